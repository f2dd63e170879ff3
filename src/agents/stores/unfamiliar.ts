// Fields that a reader does not know. Text in them is shown as an unknown part and counted, never left out:
// agents rename fields, and an empty message would hide the loss.
import type { Part } from '../../model/message.ts'
import type { RecordCounts } from '../../model/reading.ts'
import type { Json } from './values.ts'

/** The fields of one kind of object. */
export interface KnownFields {
  /**
   * Without a value in one of these, every text in an unknown field counts: it may be the renamed field. Of a
   * list of names one is enough.
   */
  needs: readonly Needed[]
  /** The other known fields, whether shown or left out on purpose. */
  others: ReadonlySet<string>
}

type Needed = string | readonly string[]

export function knownFields(needs: readonly Needed[], ...others: readonly string[]): KnownFields {
  return { needs, others: new Set([...needs.flat(), ...others]) }
}

/**
 * The unknown fields with text, as one part. Beside the fields that an object needs, an unknown field counts
 * only if it holds prose: new versions add ids, names and times everywhere.
 */
export function unfamiliarParts(value: Json | undefined, fields: KnownFields, recordType: string): Part[] {
  // Most objects have only known fields.
  for (const name in value) if (!fields.others.has(name)) return unfamiliarIn(value, fields, recordType)
  return []
}

function unfamiliarIn(value: Json, { needs, others }: KnownFields, recordType: string): Part[] {
  let found: Json | undefined
  let counts: (field: unknown) => boolean = field => holdsText(field, isProse)
  for (const name in value) {
    if (others.has(name)) continue
    if (found === undefined && lacksOne(value, needs)) counts = field => holdsText(field, isText)
    if (!counts(value[name])) continue
    found ??= {}
    found[name] = value[name]
  }
  return found === undefined ? [] : [unknownPart(recordType, found)]
}

export function unknownPart(recordType: string | undefined, value: unknown): Part {
  return { type: 'unknown', recordType: recordType ?? '(none)', value }
}

/** Counts a record once, however much of it is unknown. */
export function countUnknown(counts: Pick<RecordCounts, 'unknown'>, parts: readonly Part[]): void {
  if (parts.some(({ type }) => type === 'unknown')) counts.unknown++
}

function lacksOne(value: Json, needs: readonly Needed[]): boolean {
  return needs.some(needed => [needed].flat().every(name => isEmpty(value[name])))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Ids and times are in every record. */
const ID_OR_TIME = /^[0-9a-f-]{16,}$|^\d[\dTZ:.+-]*$/i

function isText(text: string): boolean {
  return text.trim() !== '' && !ID_OR_TIME.test(text)
}

function isProse(text: string): boolean {
  return /\S\s+\S/.test(text)
}

/** Deeper values count as text: they are not searched. */
const MAX_DEPTH = 16

function holdsText(value: unknown, isWanted: (text: string) => boolean, depth = 0): boolean {
  if (typeof value === 'string') return isWanted(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth === MAX_DEPTH) return true
  return Object.values(value).some(inner => holdsText(inner, isWanted, depth + 1))
}
