// What Gemini CLI itself makes of a log when it resumes: nothing where no record names the session and its project, else the fold of all changes that it can
// read. A rewind to a message that is not there empties the conversation.
import { parseObject } from '../../bytes/json.ts'
import { separatorsIn } from '../../bytes/separators.ts'
import type { RecordIndex } from '../../model/record-index.ts'
import type { Bytes, Loaded, LogView } from '../mend.ts'
import type { Json } from '../stores/values.ts'
import { asObject, asText } from '../stores/values.ts'
import { Conversation } from './conversation.ts'

export function load(log: LogView): Loaded {
  const { visible: index, bytes } = log
  const split = splitRecords(index, bytes)
  const isSeen = (record: number): boolean => !split.has(record)
  if (!isNamed(index, bytes, isSeen)) return { messages: 0, chain: [], depth: 0 }
  const chain = new Conversation({ index, bytes, isSeen, clearsWhenDangling: true }).messages()
  return { messages: chain.length, chain, depth: chain.length }
}

/** On Node 24 its reader of lines splits at U+2028 and U+2029 too: a record with a raw one is no JSON to it. */
function splitRecords(index: RecordIndex, bytes: Bytes): Set<number> {
  const split = new Set<number>()
  let record = 0
  for (const at of separatorsIn(bytes)) {
    while (record < index.length && index.end(record) <= at) record++
    if (record < index.length && index.start(record) <= at) split.add(record)
  }
  return split
}

/** What the records say of the session itself, the later over the earlier. */
export function isNamed(index: RecordIndex, bytes: Bytes, isSeen: (record: number) => boolean): boolean {
  const told: Json = {}
  for (let record = 0; record < index.length; record++) {
    if (!isSeen(record)) continue
    const kind = index.kind(record)
    if (kind === 'header' || (kind === 'boundary' && index.isMeta(record))) return true
    if (kind === 'change') Object.assign(told, namesIn(bytes, index, record))
    if (told['sessionId'] !== undefined && told['projectHash'] !== undefined) return true
  }
  return false
}

/** Facts about the session are short; the long ones hold a conversation or a plan. */
const MAX_CHANGE_BYTES = 4 * 1024

/** The names of session and project in a change. Both may come one by one. */
export function namesIn(bytes: Bytes, index: RecordIndex, record: number): Json {
  const [start, end] = [index.start(record), index.end(record)]
  const set = end - start > MAX_CHANGE_BYTES ? undefined : asObject(parseObject(bytes.range(start, end))?.['$set'])
  const names: Json = {}
  for (const name of ['sessionId', 'projectHash']) {
    const text = asText(set?.[name])
    if (text !== undefined) names[name] = text
  }
  return names
}
