// The byte edit for a parent link: the value of one field of a record, replaced in place where the new value
// is not longer.
import { OPEN_BRACE } from '../../../bytes/ascii.ts'
import type { Span } from '../../../bytes/json.ts'
import { plainString } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { ByteEdit } from '../../../model/plan.ts'
import { NONE } from '../../records/record-index.ts'
import type { LogSubject } from '../damage.ts'

const NULL = Buffer.from('null')
const COMMA = Buffer.from(',')
const SPACE = 0x20

/** The id that a record names as its parent; undefined where it cannot be read. */
export function namedParent(subject: LogSubject, record: number): string | undefined {
  const field = readField(subject, record, 'parent')
  return field === undefined ? undefined : plainString(field.bytes, field.span)
}

/**
 * Makes `parent` the parent of `record`. Returns undefined where other damage on its line must be repaired
 * first.
 */
export function linkEdit(
  subject: LogSubject,
  record: number,
  parent: number,
): Omit<ByteEdit, 'damage' | 'reason'> | undefined {
  const value = parent === NONE ? NULL : readValue(subject, parent, 'id')
  const field = readField(subject, record, 'parent')
  if (value === undefined) return undefined
  if (field === undefined) return addLink(subject, record, value)
  const start = subject.index.start(record) + field.span.start
  const end = subject.index.start(record) + field.span.end
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
  return field?.bytes.subarray(field.span.start, field.span.end)
}

interface Field {
  bytes: Buffer
  span: Span
}

function readField({ index, bytes, repair }: LogSubject, record: number, name: 'id' | 'parent'): Field | undefined {
  if (repair.links === undefined) return undefined
  const own = bytes.range(index.start(record), index.end(record))
  const span = skimFields(own, fieldNames(repair.links[name]))?.[0]
  return span === undefined ? undefined : { bytes: own, span }
}
