// Which of the loaded records are sent to the model. The agent's notes are not sent, nor content that the
// agent knows the API would refuse.
import { parseObject } from '../../../bytes/json.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import { ASSISTANT, KIND, kindFlag, ONLY_THINKING, SUSPECT, USER } from '../../../repair/records/record-index.ts'
import type { Bytes } from '../../repair.ts'
import { asArray, asObject, asString, type Json } from '../../stores/values.ts'
import { isThinking, shapeOf, usableIn } from './message-shape.ts'
import type { LoaderRules } from './rules.ts'

const [TALK, ATTACHMENT] = [kindFlag('talk'), kindFlag('attachment')]

export interface SentRecords {
  records: Int32Array
  hasResult(record: number): boolean
  /** The conversation ends in a call without a result, and the agent adds one. */
  isLastCallOpen: boolean
}

export function findSent(chain: Int32Array, index: RecordIndex, bytes: Bytes, rules: LoaderRules): SentRecords {
  const { flags } = index
  const tools = pairTools(chain, index)
  const answers = chain.findLastIndex(record => ((flags[record] ?? 0) & USER) !== 0)
  // The last message of the model keeps its calls if the agent adds their results.
  const lastAnswer = new Set(rules.answersLastCall ? chain.subarray(answers + 1) : [])
  const first = chain.find(record => index.kind(record) === 'talk')
  const isStray = (record: number): boolean => {
    return (
      isUnpairedResult(tools, record) && record !== first && !hasMoreThanResults(recordAt(record, index, bytes), rules)
    )
  }
  const isSent = (record: number): boolean => {
    const own = flags[record] ?? 0
    const isUser = (own & USER) !== 0
    const isSuspect = (own & SUSPECT) !== 0
    if ((own & KIND) === ATTACHMENT) return rules.sendsQueuedPrompts && isUser
    if ((own & KIND) !== TALK) return false
    if (isSuspect && isLeftOut(recordAt(record, index, bytes), rules)) return false
    if (isUser) return !(rules.dropsStrayResults && isStray(record))
    if (isOpen(tools, record) && !lastAnswer.has(record)) return hasMoreThanCalls(recordAt(record, index, bytes), rules)
    return !(rules.dropsBlank && isSuspect && isBlank(recordAt(record, index, bytes), rules))
  }
  const sent = only(chain, isSent)
  const records = rules.dropsThinkingAlone ? withoutThinkingAlone(sent, index, bytes, rules) : sent
  return {
    records,
    hasResult: record => ((tools[record] ?? 0) & RESULT) !== 0,
    isLastCallOpen: records.some(record => lastAnswer.has(record) && isOpen(tools, record)),
  }
}

/** Whether the agent fails on a message of the chain. */
export function hasBrokenMessage(chain: Int32Array, index: RecordIndex, bytes: Bytes, rules: LoaderRules): boolean {
  const { flags } = index
  return chain.some(record => {
    const own = flags[record] ?? 0
    if ((own & SUSPECT) === 0 || (own & KIND) !== TALK) return false
    const shape = shapeOf(recordAt(record, index, bytes))
    return shape === 'broken' || (shape === 'textless' && rules.failsOnMissingText)
  })
}

function isLeftOut(record: Json, rules: LoaderRules): boolean {
  switch (shapeOf(record)) {
    case 'fine':
      return false
    case 'empty':
      return record['type'] === 'user' || rules.dropsEmptyAnswers
    case 'broken':
    case 'unsendable':
    case 'textless':
    case 'odd':
      return !rules.failsOnBrokenMessages && usableIn(record).length === 0
  }
}

/** Like `filter`, but without a list of objects. */
function only(records: Int32Array, isWanted: (record: number) => boolean): Int32Array {
  const wanted = new Int32Array(records.length)
  let count = 0
  for (const record of records) if (isWanted(record)) wanted[count++] = record
  return wanted.subarray(0, count)
}

/**
 * What a record on the chain holds: a call, a result, and whether one of them has its counterpart on the
 * chain.
 */
const CALL = 1
const RESULT = 2
const PAIRED = 4

/** None of its calls has a result on the chain. */
function isOpen(tools: Uint8Array, record: number): boolean {
  return ((tools[record] ?? 0) & (CALL | PAIRED)) === CALL
}

/** None of its results has its call on the chain. */
function isUnpairedResult(tools: Uint8Array, record: number): boolean {
  return ((tools[record] ?? 0) & (RESULT | PAIRED)) === RESULT
}

/** By the number of the record. */
function pairTools(chain: Int32Array, index: RecordIndex): Uint8Array {
  const isLoaded = new Uint8Array(index.length)
  for (const record of chain) isLoaded[record] = 1
  const halves = new Uint8Array(index.keyLimit)
  index.eachTool((record, isResult, key) => {
    if (isLoaded[record] === 1) halves[key] = (halves[key] ?? 0) | (isResult ? RESULT : CALL)
  })
  const tools = new Uint8Array(index.length)
  index.eachTool((record, isResult, key) => {
    if (isLoaded[record] !== 1) return
    const isPaired = halves[key] === (CALL | RESULT)
    tools[record] = (tools[record] ?? 0) | (isResult ? RESULT : CALL) | (isPaired ? PAIRED : 0)
  })
  return tools
}

/** A message with content in another line is not thinking alone. */
function withoutThinkingAlone(sent: Int32Array, index: RecordIndex, bytes: Bytes, rules: LoaderRules): Int32Array {
  const { flags } = index
  const isAlone = (record: number): boolean => {
    const own = flags[record] ?? 0
    if ((own & ONLY_THINKING) !== 0) return true
    // Beside blocks that the agent leaves out.
    return (own & SUSPECT) !== 0 && (own & ASSISTANT) !== 0 && isOnlyThinking(recordAt(record, index, bytes), rules)
  }
  if (!sent.some(isAlone)) return sent
  const saysMore = new Uint8Array(index.keyLimit)
  for (const record of sent) if (!isAlone(record)) saysMore[index.group(record) ?? index.keyLimit] = 1
  return only(sent, record => {
    if (!isAlone(record)) return true
    const group = index.group(record)
    return group !== undefined && saysMore[group] === 1
  })
}

function recordAt(record: number, index: RecordIndex, bytes: Bytes): Json {
  return parseObject(bytes.range(index.start(record), index.end(record))) ?? {}
}

/** The blocks that the agent sees. Values that are no objects are undefined. */
function blocksIn(record: Json, { failsOnBrokenMessages }: LoaderRules): (Json | undefined)[] {
  if (failsOnBrokenMessages) return (asArray(asObject(record['message'])?.['content']) ?? []).map(asObject)
  const usable = usableIn(record)
  return typeof usable === 'string' ? [] : usable
}

function hasMoreThanCalls(record: Json, rules: LoaderRules): boolean {
  return blocksIn(record, rules).some(block => block?.['type'] !== 'tool_use')
}

function hasMoreThanResults(record: Json, rules: LoaderRules): boolean {
  const blocks = blocksIn(record, rules)
  return blocks.length === 0 || blocks.some(block => block?.['type'] !== 'tool_result')
}

function isBlank(record: Json, rules: LoaderRules): boolean {
  const blocks = blocksIn(record, rules)
  return (
    blocks.length > 0 &&
    blocks.every(block => block?.['type'] === 'text' && (asString(block['text']) ?? '').trim() === '')
  )
}

function isOnlyThinking(record: Json, rules: LoaderRules): boolean {
  const blocks = blocksIn(record, rules)
  return blocks.length > 0 && blocks.every(block => isThinking(block?.['type']))
}
