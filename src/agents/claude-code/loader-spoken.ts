// Which of the loaded records are sent to the model. Notes of the agent are not; nor is what the model's API would refuse, as far as the agent knows of it.
import { parseObject } from '../../bytes/json.ts'
import type { RecordIndex } from '../../model/record-index.ts'
import type { Bytes } from '../mend.ts'
import { asArray, asObject, asString } from '../stores/values.ts'
import type { LoaderRules } from './loader-rules.ts'

export interface Spoken {
  records: readonly number[]
  hasResult(record: number): boolean
  /** The conversation ends in a call that has no result, and the agent puts one in. */
  isLastCallOpen: boolean
}

export function findSpoken(chain: readonly number[], index: RecordIndex, bytes: Bytes, rules: LoaderRules): Spoken {
  const tools = pairTools(chain, index)
  const answers = chain.findLastIndex(record => index.role(record) === 'user')
  // The last message of the model keeps its calls where the agent answers for them.
  const kept = new Set(rules.answersLastCall ? chain.slice(answers + 1) : [])
  const first = chain.find(record => index.kind(record) === 'talk')
  const isStray = (record: number): boolean => {
    return tools.strays.has(record) && record !== first && !hasMoreThanResults(bytesOf(record, index, bytes))
  }
  const isSaid = (record: number): boolean => {
    if (index.kind(record) === 'attachment') return rules.sendsQueuedPrompts && index.role(record) === 'user'
    if (index.kind(record) !== 'talk') return false
    if (index.role(record) === 'user') return !(rules.dropsStrayResults && isStray(record))
    if (tools.open.has(record) && !kept.has(record)) return hasMoreThanCalls(bytesOf(record, index, bytes))
    return !(rules.dropsBlank && index.isSuspect(record) && isBlank(bytesOf(record, index, bytes)))
  }
  const said = chain.filter(isSaid)
  const records = rules.dropsThinkingAlone ? withoutThinkingAlone(said, index) : said
  return {
    records,
    hasResult: record => tools.results.has(record),
    isLastCallOpen: records.some(record => kept.has(record) && tools.open.has(record)),
  }
}

interface Tools {
  /** Records none of whose calls has a result on the chain. */
  open: Set<number>
  /** Records with results. */
  results: Set<number>
  /** Those of them none of whose results has its call on the chain. */
  strays: Set<number>
}

function pairTools(chain: readonly number[], index: RecordIndex): Tools {
  const isLoaded = new Uint8Array(index.length)
  for (const record of chain) isLoaded[record] = 1
  const called = new Set<number>()
  const answered = new Set<number>()
  for (const { record, isResult, key } of index.tools())
    if (isLoaded[record] === 1) (isResult ? answered : called).add(key)
  const tools: Tools = { open: new Set(), results: new Set(), strays: new Set() }
  const paired = new Set<number>()
  for (const { record, isResult, key } of index.tools()) {
    if (isLoaded[record] !== 1) continue
    if (isResult) tools.results.add(record)
    if ((isResult ? called : answered).has(key)) paired.add(record)
    else (isResult ? tools.strays : tools.open).add(record)
  }
  for (const record of paired) {
    tools.open.delete(record)
    tools.strays.delete(record)
  }
  return tools
}

function withoutThinkingAlone(said: readonly number[], index: RecordIndex): readonly number[] {
  const alone = new Set<number | undefined>()
  for (const record of said) if (index.isOnlyThinking(record)) alone.add(index.group(record))
  if (alone.size === 0) return said
  const others = new Set(said.filter(record => !index.isOnlyThinking(record)).map(record => index.group(record)))
  for (const group of alone) if (group !== undefined && others.has(group)) alone.delete(group)
  return said.filter(record => !index.isOnlyThinking(record) || !alone.has(index.group(record)))
}

function bytesOf(record: number, index: RecordIndex, bytes: Bytes): Buffer {
  return bytes.range(index.start(record), index.end(record))
}

function blocksIn(record: Buffer): (Record<string, unknown> | undefined)[] {
  return (asArray(asObject(parseObject(record)?.['message'])?.['content']) ?? []).map(asObject)
}

function hasMoreThanCalls(record: Buffer): boolean {
  return blocksIn(record).some(block => block?.['type'] !== 'tool_use')
}

function hasMoreThanResults(record: Buffer): boolean {
  const blocks = blocksIn(record)
  return blocks.length === 0 || blocks.some(block => block?.['type'] !== 'tool_result')
}

function isBlank(record: Buffer): boolean {
  const blocks = blocksIn(record)
  return blocks.every(block => block?.['type'] === 'text' && (asString(block['text']) ?? '').trim() === '')
}
