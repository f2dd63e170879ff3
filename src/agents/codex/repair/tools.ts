// Tool calls and their outputs. Codex itself answers a call without an output ("aborted") and leaves out an
// output without a call. It sends an output that is stored twice two times with the same id, which the
// provider may refuse.
import { isDeepStrictEqual } from 'node:util'
import { NONE, type RecordIndex } from '../../../repair/records/record-index.ts'
import type { Bytes, LogView, ToolRepair, UnpairedTool } from '../../repair.ts'
import { asText } from '../../stores/values.ts'
import { recordAt } from '../records/record.ts'
import { chainOf } from './loader.ts'

const SPACE = 0x20

export const tools: ToolRepair = {
  kinds: ['duplicate-result'],
  findUnpaired: log => [...findCopies(log.bytes, log.index, sentRecords(log))].map(record => duplicate(log, record)),
}

/** The records that are sent to the model: the conversation after the last compaction. */
function sentRecords(log: LogView): (record: number) => boolean {
  const { index } = log
  let boundary = -1
  for (let record = 0; record < index.length; record++) if (index.kind(record) === 'boundary') boundary = record
  const isSent = new Uint8Array(index.length)
  for (const record of chainOf(log, index)) if (record > boundary) isSent[record] = 1
  return record => isSent[record] === 1
}

function duplicate({ index }: LogView, record: number): UnpairedTool {
  const [start, end] = [index.start(record), index.end(record)]
  return {
    kind: 'duplicate-result',
    start,
    end,
    text: 'The output of a tool is stored twice. The model gets it twice and may refuse the conversation.',
    repair: {
      edits: [{ start, end, bytes: Buffer.alloc(end - start, SPACE) }],
      reason: 'Blank the second copy; the vault keeps it',
    },
  }
}

// Tool outputs that are stored twice. Two outputs of one call can be right; the same item twice is not.

/** The second and further copies among these records. */
function findCopies(bytes: Bytes, index: RecordIndex, isAmong: (record: number) => boolean): Set<number> {
  const firstOf = new Int32Array(index.keyLimit).fill(NONE)
  const copies = new Set<number>()
  index.eachTool((record, isResult, key) => {
    if (!isResult || !isAmong(record)) return
    const first = firstOf[key] ?? NONE
    if (first === NONE) firstOf[key] = record
    else if (isSameItem(bytes, index, first, record)) copies.add(record)
  })
  return copies
}

function isSameItem(bytes: Bytes, index: RecordIndex, first: number, second: number): boolean {
  const [one, other] = [recordAt(bytes, index, first)?.payload, recordAt(bytes, index, second)?.payload]
  if (one === undefined || other === undefined) return false
  const id = asText(one['id'])
  return id === undefined ? isDeepStrictEqual(one, other) : id === other['id']
}
