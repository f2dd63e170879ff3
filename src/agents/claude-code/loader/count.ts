// From the records that a resume loads to the messages it sends: lines of one message are joined, and
// adjacent prompts become one.
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import { ASSISTANT, countMessages, KIND, kindFlag, USER } from '../../../repair/records/record-index.ts'
import type { LoaderRules } from './rules.ts'
import type { SentRecords } from './sent-records.ts'

const NOTHING = new Int32Array(0)
const ATTACHMENT = kindFlag('attachment')

/**
 * How many messages precede the new prompt. A prompt at the end is joined with the new one and does not
 * count.
 */
export function countSent(sent: SentRecords, chain: Int32Array, index: RecordIndex, rules: LoaderRules): number {
  const counter = new SentCounter(rules)
  const { flags } = index
  const { records } = sent
  for (let place = 0; place < records.length; place++) {
    const record = records[place] ?? 0
    const own = flags[record] ?? 0
    if ((own & KIND) === ATTACHMENT && isSentAside(records, place, index, rules)) continue
    if ((own & ASSISTANT) !== 0) counter.addAnswer(index.group(record))
    else counter.addPrompt(sent.hasResult(record))
  }
  if (sent.isLastCallOpen) counter.addPrompt(true)
  const last = chain.at(-1)
  const isAnswered = rules.answersPastNotes || last === undefined || index.kind(last) === 'talk'
  if (counter.endsIn === 'user' && isAnswered) counter.addAnswer(undefined)
  return counter.endsIn === 'user' ? counter.count - 1 : counter.count
}

/**
 * How many messages these are for a person, in the order of the file. The agent's own additions do not count.
 */
export function countShown(sent: Int32Array, index: RecordIndex): number {
  return countMessages(isInOrder(sent) ? sent : sent.toSorted(), index)
}

function isInOrder(records: Int32Array): boolean {
  for (let place = 1; place < records.length; place++)
    if ((records[place] ?? 0) <= (records[place - 1] ?? 0)) return false
  return true
}

/**
 * Conversation records that are reached but not sent. A message with another line that is sent does not
 * count.
 */
export function findLeftOut(chain: Int32Array, sent: Int32Array, index: RecordIndex): Int32Array {
  if (sent.length === chain.length) return NOTHING
  const isSent = new Uint8Array(index.length)
  const isGroupSent = new Uint8Array(index.keyLimit)
  for (const record of sent) {
    const group = index.group(record)
    isSent[record] = 1
    if (group !== undefined) isGroupSent[group] = 1
  }
  const { flags } = index
  return chain.filter(record => {
    if (isSent[record] === 1 || ((flags[record] ?? 0) & (USER | ASSISTANT)) === 0) return false
    const group = index.group(record)
    return group === undefined || isGroupSent[group] !== 1
  })
}

/**
 * Newer versions send a queued prompt beside the messages, unless it is between two messages of the
 * model.
 */
function isSentAside(sent: Int32Array, place: number, index: RecordIndex, rules: LoaderRules): boolean {
  if (!rules.bridges) return false
  let next = place + 1
  while (next < sent.length && index.kind(sent[next] ?? 0) === 'attachment') next++
  const [before, after] = [sent[place - 1], sent[next]]
  if (after === undefined || index.role(after) !== 'assistant') return true
  if (before === undefined) return false
  const group = index.group(after)
  return index.role(before) !== 'assistant' || (group !== undefined && group === index.group(before))
}

class SentCounter {
  count = 0
  endsIn: 'user' | 'assistant' | undefined
  readonly #rules: LoaderRules
  #isOnlyResults = false
  /** The group of the last message of the model. */
  #group: number | undefined

  constructor(rules: LoaderRules) {
    this.#rules = rules
  }

  addAnswer(group: number | undefined): void {
    const isSame = group !== undefined && group === this.#group
    if (isSame && this.endsIn === 'assistant') return
    // The results between stay after it, and the results of its other calls will join them.
    if (isSame && this.#isOnlyResults && this.#rules.joinsOverResults) return
    this.count++
    this.endsIn = 'assistant'
    this.#group = group
  }

  addPrompt(hasResult: boolean): void {
    const isJoined = this.endsIn === 'user'
    this.#isOnlyResults = hasResult && (!isJoined || this.#isOnlyResults)
    if (isJoined) return
    this.count++
    this.endsIn = 'user'
  }
}
