// Tool outputs that are stored twice. Two outputs of one call can be right; the same item twice is not.
import { isDeepStrictEqual } from 'node:util'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import { NONE } from '../../../repair/records/record-index.ts'
import type { Bytes } from '../../repair.ts'
import { asText } from '../../stores/values.ts'
import { recordAt } from '../records/stored-record.ts'

/** The second and further copies among these records. */
export function findCopies(bytes: Bytes, index: RecordIndex, isAmong: (record: number) => boolean): Set<number> {
  const firstOf = new Int32Array(index.keyLimit).fill(NONE)
  const copies = new Set<number>()
  for (const { record, isResult, key } of index.tools()) {
    if (!isResult || !isAmong(record)) continue
    const first = firstOf[key] ?? NONE
    if (first === NONE) firstOf[key] = record
    else if (isSameItem(bytes, index, first, record)) copies.add(record)
  }
  return copies
}

function isSameItem(bytes: Bytes, index: RecordIndex, first: number, second: number): boolean {
  const [one, other] = [recordAt(bytes, index, first)?.payload, recordAt(bytes, index, second)?.payload]
  if (one === undefined || other === undefined) return false
  const id = asText(one['id'])
  return id === undefined ? isDeepStrictEqual(one, other) : id === other['id']
}
