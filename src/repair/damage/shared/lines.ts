// What all damages of lines have in common: the salvage of records has found them already, and the cure is a few bytes at the same place.

import type { JunkKind } from '../../../bytes/records.ts'
import type { Severity } from '../../../model/finding.ts'
import { paste } from '../../../model/paste.ts'
import type { ByteEdit } from '../../../model/plan.ts'
import { NONE } from '../../records/record-index.ts'
import type { Detected, Inflict, Junk, LogDamage, LogSubject, Planned } from '../damage.ts'

export interface LineDamage {
  id: string
  title: string
  why: string
  kind: JunkKind
  severity: Severity
  text(bytes: number): string
  /** What cures one place. Blanking with spaces unless it says otherwise. */
  mend?(subject: LogSubject, junk: Junk): { edits: Omit<ByteEdit, 'damage' | 'reason'>[]; reason: string }
  inflict: Inflict
}

export function makeLineDamage(line: LineDamage): LogDamage {
  return {
    id: line.id,
    title: line.title,
    why: line.why,
    framing: 'json-lines',
    concerns: traits => traits.isCompressed !== true,
    detect: subject => subject.junk.filter(junk => junk.kind === line.kind).map(junk => describe(line, subject, junk)),
    plan: (subject, detected) => planLines(line, subject, detected),
    inflict: line.inflict,
  }
}

function describe(line: LineDamage, subject: LogSubject, junk: Junk): Detected {
  const at = { file: subject.session.filePath, start: junk.start, end: junk.end }
  const finding = {
    damage: line.id,
    severity: line.severity,
    at,
    text: line.text(junk.end - junk.start),
    hint: `Repair it: ${paste('rethread repair', subject.session.sessionId)}`,
  }
  return { finding, detail: junk }
}

function planLines(line: LineDamage, subject: LogSubject, detected: readonly Detected[]): Planned {
  const edits = detected.flatMap(({ detail }): ByteEdit[] => {
    const junk = detail as Junk
    const cure = line.mend?.(subject, junk) ?? blank(subject, junk)
    return cure.edits.map(edit => ({ ...edit, damage: line.id, reason: cure.reason }))
  })
  return { changes: edits.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits }], refused: [] }
}

const NEWLINE = 0x0a
const SPACE = 0x20

/** Spaces in place of the bytes: the length stays, so nobody who appends is disturbed, and JSON allows them before a record. */
export function blank(
  subject: LogSubject,
  junk: Junk,
): { edits: { start: number; end: number; bytes: Buffer }[]; reason: string } {
  const bytes = Buffer.alloc(junk.end - junk.start, SPACE)
  // Between two records, one of the blanks can be the newline they lack.
  if (separatesRecords(subject, junk)) bytes[0] = NEWLINE
  return {
    edits: [{ start: junk.start, end: junk.end, bytes }],
    reason: `${junk.end - junk.start} bytes blanked; the vault keeps them`,
  }
}

function separatesRecords({ index, bytes }: LogSubject, junk: Junk): boolean {
  const before = lastEndingBefore(index, junk.start)
  const after = before + 1
  if (before === NONE || after >= index.length || index.start(after) < junk.end) return false
  const [from, to] = [index.end(before), index.start(after)]
  return !hasNewline(bytes.range(from, junk.start)) && !hasNewline(bytes.range(junk.end, to))
}

function hasNewline(bytes: Buffer): boolean {
  return bytes.includes(NEWLINE)
}

/** Records are in the order of the file. */
function lastEndingBefore(index: LogSubject['index'], offset: number): number {
  let low = 0
  let high = index.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (index.end(middle) <= offset) low = middle + 1
    else high = middle
  }
  return low - 1
}

export function countBytes(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`
}
