// Shared by all link damage classes: a record names a wrong or missing parent, and the edit gives it another.

import { OPEN_BRACE } from '../../../bytes/ascii.ts'
import { plainString, type Span } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { Finding } from '../../../model/finding.ts'
import { formatNumber } from '../../../model/format-number.ts'
import { paste } from '../../../model/paste.ts'
import type { ByteEdit, Why } from '../../../model/plan.ts'
import { NONE } from '../../records/record-index.ts'
import type { Detected, LogDamage, LogSubject, Planned } from '../damage.ts'

export interface Relink {
  /** Record numbers in `subject.index`. */
  record: number
  /** NONE: the record becomes a root. */
  parent: number
  /** The agent's fallback reaches a record that the repair would not, so the link is left alone. */
  isLeft: boolean
}

export interface LinkWords {
  text: string
  detail?: string
}

export interface LinkDamage extends Pick<LogDamage, 'id' | 'title' | 'inflict'> {
  why: string
  find(subject: LogSubject): Relink[]
  /** One entry for each, in the same order. */
  texts(subject: LogSubject, found: readonly Relink[]): LinkWords[]
}

export function makeLinkDamage(damage: LinkDamage): LogDamage {
  return {
    id: damage.id,
    title: damage.title,
    why: damage.why,
    framing: 'json-lines',
    appliesTo: (traits, repair) => traits.linkedByParent && traits.isCompressed !== true && repair.links !== undefined,
    detect: subject => {
      const found = damage.find(subject)
      if (found.length === 0) return []
      const texts = damage.texts(subject, found)
      return found.map((relink, place) => ({
        finding: describe(damage, subject, relink.record, texts[place] ?? { text: damage.title }),
        detail: relink,
      }))
    },
    plan: (subject, detected) => planRelinks(damage, subject, detected),
    inflict: damage.inflict,
  }
}

function describe({ id }: LinkDamage, { session, index }: LogSubject, record: number, words: LinkWords): Finding {
  return {
    damage: id,
    severity: 'survived',
    at: { file: session.filePath, start: index.start(record), end: index.end(record) },
    ...words,
    hint: `Repair it: ${paste('rethread repair', session.sessionId)}`,
  }
}

function planRelinks({ id }: LinkDamage, subject: LogSubject, detected: readonly Detected[]): Planned {
  const planned: Planned = { changes: [], refused: [] }
  const edits: ByteEdit[] = []
  for (const { finding, detail } of detected) {
    const relink = detail as Relink
    if (relink.isLeft) {
      const reason = 'The agent skips it and loads more messages than it would with a new link.'
      planned.refused.push({ finding, reason })
      continue
    }
    const edit = linkEdit(subject, relink.record, relink.parent)
    // Other damage on its line is repaired first.
    if (edit !== undefined) edits.push({ ...edit, damage: id, ...reasonFor(relink, subject) })
  }
  if (edits.length > 0) planned.changes.push({ type: 'patch', file: subject.session.filePath, edits })
  return planned
}

function reasonFor({ parent }: Relink, { index }: LogSubject): Omit<Why, 'damage'> {
  if (parent === NONE) return { reason: 'Start the conversation at this message: none comes before it' }
  return {
    reason: 'Reconnect 1 message to the one before it',
    reasonOfMany: 'Reconnect {count} messages, each to the one before it',
    detail: `The one before begins at byte ${formatNumber(index.start(parent))}.`,
  }
}

const NULL = Buffer.from('null')
const COMMA = Buffer.from(',')
const SPACE = 0x20

/** Where the link of a record is, from its description to its repair: both need it. */
const linkSpans = new WeakMap<LogSubject, Map<number, Span>>()

/** The id that a record names as its parent; undefined where it cannot be read. */
export function namedParent(subject: LogSubject, record: number): string | undefined {
  const field = readField(subject, record, 'parent')
  if (field === undefined) return undefined
  const spans = linkSpans.get(subject) ?? new Map<number, Span>()
  linkSpans.set(subject, spans.set(record, field.span))
  return plainString(field.bytes, field.span)
}

/**
 * The byte edit that makes `parent` the parent of `record`: the value of one field, replaced in place where
 * the new value is not longer. Undefined where other damage on its line must be repaired first.
 */
function linkEdit(
  subject: LogSubject,
  record: number,
  parent: number,
): Omit<ByteEdit, 'damage' | 'reason'> | undefined {
  const value = parent === NONE ? NULL : readValue(subject, parent, 'id')
  const span = linkSpans.get(subject)?.get(record) ?? readField(subject, record, 'parent')?.span
  if (value === undefined) return undefined
  if (span === undefined) return addLink(subject, record, value)
  const start = subject.index.start(record) + span.start
  const end = subject.index.start(record) + span.end
  const rest = Math.max(0, end - start - value.length)
  return { start, end, bytes: Buffer.concat([value, Buffer.alloc(rest, SPACE)]) }
}

/** For a record without such a field: adds it as the first field. */
function addLink({ index, bytes, repair }: LogSubject, record: number, value: Buffer) {
  if (repair.links === undefined) return undefined
  const [start, end] = [index.start(record), index.end(record)]
  const brace = bytes.range(start, end).indexOf(OPEN_BRACE)
  if (brace === -1) return undefined
  const name = Buffer.from(`${JSON.stringify(repair.links.parent)}:`)
  const at = start + brace + 1
  return { start: at, end: at, bytes: Buffer.concat([name, value, COMMA]) }
}

function readValue(subject: LogSubject, record: number, name: 'id' | 'parent'): Buffer | undefined {
  const field = readField(subject, record, name)
  return field && Buffer.from(field.bytes.subarray(field.span.start, field.span.end))
}

interface Field {
  bytes: Buffer
  span: Span
}

/** Records up to this size are read into the same memory: new memory takes longer than the bytes. */
const memory = Buffer.allocUnsafeSlow(512 * 1024)

/** The bytes are valid until the next call. */
function readField({ index, bytes, repair }: LogSubject, record: number, name: 'id' | 'parent'): Field | undefined {
  if (repair.links === undefined) return undefined
  const own = bytes.range(index.start(record), index.end(record), memory)
  const span = skimFields(own, fieldNames(repair.links[name]))?.[0]
  return span === undefined ? undefined : { bytes: own, span }
}
