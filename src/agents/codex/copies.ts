// An output of a tool that is stored twice. Two outputs to one call need not be one too many; the same item twice is.
import { isDeepStrictEqual } from 'node:util'
import type { RecordIndex } from '../../model/record-index.ts'
import type { Bytes } from '../mend.ts'
import { asText } from '../stores/values.ts'
import { recordAt } from './stored-record.ts'

/** The second and further copies among these records. */
export function findCopies(bytes: Bytes, index: RecordIndex, among: ReadonlySet<number>): Set<number> {
  const firstOf = new Map<number, number>()
  const copies = new Set<number>()
  for (const { record, isResult, key } of index.tools()) {
    if (!isResult || !among.has(record)) continue
    const first = firstOf.get(key)
    if (first === undefined) firstOf.set(key, record)
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
