// The records that this version of the agent can read. Older versions skip a line that holds more than one
// record. Newer ones read the first record on it.
import { isBlank, startsWithByteOrderMark } from '../../../bytes/text.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import { NONE } from '../../../repair/records/record-index.ts'
import type { LogView } from '../../repair.ts'
import type { LoaderRules } from './rules.ts'

const NEWLINE = 0x0a
/**
 * How far before a record the start of its line is searched. If more bytes are blank, the record counts as
 * whole.
 */
const MAX_BLANK_BYTES = 4096
const BYTE_ORDER_MARK_BYTES = 3

export function readableBy(rules: LoaderRules, log: LogView): RecordIndex {
  const { index, visible, bytes } = log
  if (index === visible || !(rules.readsFirstOnLine || rules.skipsByteOrderMark)) return visible
  return index.onlyWhole(record => {
    const start = index.start(record)
    if (start === BYTE_ORDER_MARK_BYTES && startsWithByteOrderMark(bytes.range(0, start))) return true
    return rules.readsFirstOnLine && isFirstOnLine(bytes, start) && isOnOneLine(bytes, start, index.end(record))
  })
}

function isFirstOnLine(bytes: LogView['bytes'], start: number): boolean {
  const before = bytes.range(Math.max(0, start - MAX_BLANK_BYTES), start)
  const line = before.subarray(before.lastIndexOf(NEWLINE) + 1)
  return isBlank(line) && (line.length < before.length || start <= MAX_BLANK_BYTES)
}

/** A raw newline in a text splits the record into two unreadable lines. */
function isOnOneLine(bytes: LogView['bytes'], start: number, end: number): boolean {
  return !bytes.range(start, end).includes(NEWLINE)
}

/** Translates record numbers of one index to those of another that lacks some of the records. */
export function translate(records: Int32Array, from: RecordIndex, to: RecordIndex): Int32Array {
  if (from === to) return records
  const numbers = new Int32Array(from.length).fill(NONE)
  for (let own = 0, other = 0; own < from.length && other < to.length; own++)
    if (from.start(own) === to.start(other)) numbers[own] = other++
  return records.map(record => numbers[record] ?? NONE).filter(record => record !== NONE)
}
