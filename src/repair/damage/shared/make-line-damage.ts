// Turns a kind of broken line into a damage class. The record readers have already found it, and the repair
// edits a few bytes at the same place.
import { paste } from '../../../model/paste.ts'
import type { ByteEdit } from '../../../model/plan.ts'
import { NONE } from '../../records/record-index.ts'
import type { Detected, Inflict, LogDamage, LogSubject, Planned } from '../damage.ts'
import type { BytePlace, LineDamage, LineLog, LineRepair } from '../lines/line-damage.ts'

export function makeLineDamage(line: LineDamage): LogDamage {
  const { id, title, why, version } = line
  return {
    id,
    title,
    why,
    version,
    framing: 'json-lines',
    appliesTo: traits => traits.isCompressed !== true && (line.appliesTo?.(traits) ?? true),
    detect: subject =>
      line.find === undefined && subject.junk.length === 0
        ? []
        : [...placesOf(line, subject)].map(place => describe(line, subject, place)),
    plan: (subject, detected) => planLines(line, subject, detected),
    inflict: inflictLine(line),
  }
}

function placesOf({ id, find }: LineDamage, subject: LogSubject): Iterable<BytePlace> {
  return find?.(subject) ?? subject.junk.filter(({ kind }) => kind === id)
}

function describe(line: LineDamage, subject: LogSubject, { start, end }: BytePlace): Detected {
  const { session, isLive } = subject
  const finding = { damage: line.id, at: { file: session.filePath, start, end } }
  if (isLive && line.textWhileWritten !== undefined) {
    const hint = `Check again in a moment: ${paste('rethread check', session.sessionId)}`
    return { finding: { ...finding, severity: 'updating', text: line.textWhileWritten, hint } }
  }
  const hint = `Repair it: ${paste('rethread repair', session.sessionId)}`
  const detail: BytePlace = { start, end }
  return { finding: { ...finding, severity: line.severity, text: line.text(end - start), hint }, detail }
}

/** Bytes that may still be written are not repaired. */
function planLines({ id, repair = blank }: LineDamage, subject: LogSubject, detected: readonly Detected[]): Planned {
  const places = detected.flatMap(({ detail }) => (detail === undefined ? [] : [detail as BytePlace]))
  const edits = places.flatMap((place): ByteEdit[] => {
    const { edits, reason } = repair(subject, place)
    return edits.map(edit => ({ ...edit, damage: id, reason }))
  })
  return { changes: edits.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits }], refused: [] }
}

/** The header has damage classes of its own, so this leaves it alone. */
function inflictLine(line: LineDamage): Inflict {
  return ({ session, traits, read, write }, random) => {
    const broken = line.inflict(read(session.filePath), random, traits.headerRecord ? 1 : 0)
    if (broken === undefined) return undefined
    const { bytes, what, destroyed } = broken
    write(session.filePath, bytes)
    return { what, destroyed }
  }
}

const NEWLINE = 0x0a
const SPACE = 0x20

/**
 * Replaces the bytes with spaces. The length stays the same, so that a process that appends is not disturbed,
 * and JSON allows spaces before a record.
 */
function blank(log: LineLog, { start, end }: BytePlace): LineRepair {
  const bytes = Buffer.alloc(end - start, SPACE)
  // Between two records, one blank becomes the missing newline.
  if (separatesRecords(log, start, end)) bytes[0] = NEWLINE
  return {
    edits: [{ start, end, bytes }],
    reason: `${end - start} bytes blanked; the vault keeps them`,
  }
}

function separatesRecords({ index, bytes }: LineLog, start: number, end: number): boolean {
  const before = lastEndingBefore(index, start)
  const after = before + 1
  if (before === NONE || after >= index.length || index.start(after) < end) return false
  const [from, to] = [index.end(before), index.start(after)]
  return !hasNewline(bytes.range(from, start)) && !hasNewline(bytes.range(end, to))
}

function hasNewline(bytes: Buffer): boolean {
  return bytes.includes(NEWLINE)
}

/** Records are in file order. */
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
