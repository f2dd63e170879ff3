// The facts of one record that a check needs: its links, its kind, and whether its content needs a closer
// check.
import type { RecordFacts, RecordKind } from '../../../repair/records/record-index.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString, asText } from '../../stores/values.ts'
import { isThinking, shapeOf } from '../loader/message-shape.ts'
import { groupOf, isTyped } from '../read/messages.ts'

const KINDS: ReadonlyMap<unknown, RecordKind> = new Map([
  ['user', 'talk'],
  ['assistant', 'talk'],
  ['system', 'system'],
  ['attachment', 'attachment'],
  ['progress', 'progress'],
])
/** A parent that is neither text nor null. The agent treats it as missing. */
const NO_ID = '(not an id)'

export function describe(record: Json): RecordFacts {
  const kind = kindOf(record)
  // A snapshot's `messageId` and a title's `leafUuid` equal the uuid of a record, but link nothing.
  const isLinked = kind !== 'other' || 'parentUuid' in record
  const content = asObject(record['message'])?.['content']
  const { calls, results, onlyThinking } = describeBlocks(asArray(content) ?? NOTHING)
  return {
    kind,
    id: isLinked ? asText(record['uuid']) : undefined,
    hasUnusedId: !isLinked && asText(record['uuid']) !== undefined,
    parent: isLinked ? parentOf(record['parentUuid']) : undefined,
    sidechain: record['isSidechain'] === true,
    role: roleOf(record),
    group: groupOf(record),
    time: timeOf(record['timestamp']),
    calls,
    results,
    suspect: isSuspect(content) || isSuspect(record['attachment']) || (kind === 'talk' && shapeOf(record) !== 'fine'),
    onlyThinking,
    target: record['type'] === 'last-prompt' ? endOf(record) : undefined,
    version: asText(record['version']),
    meta: record['isMeta'] === true || record['isCompactSummary'] === true,
  }
}

function kindOf(record: Json): RecordKind {
  if (record['type'] === 'system' && record['subtype'] === 'compact_boundary') return 'boundary'
  return KINDS.get(record['type']) ?? 'other'
}

function parentOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  return asString(value) ?? NO_ID
}

/** A prompt that was typed while the agent worked is stored as an attachment. */
function roleOf(record: Json): RecordFacts['role'] {
  const type = record['type']
  if (type === 'user' || type === 'assistant') return type
  const attachment = type === 'attachment' ? asObject(record['attachment']) : undefined
  const isPrompt = attachment?.['type'] === 'queued_command' && isTyped(attachment)
  return isPrompt ? 'user' : undefined
}

/**
 * The end of the conversation when this record was written. Empty if the person rewound to before its start.
 */
function endOf(record: Json): string | undefined {
  return asText(record['leafUuid']) ?? (record['explicit'] === true ? '' : undefined)
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const NOTHING: readonly never[] = []

function describeBlocks(blocks: readonly unknown[]): Pick<RecordFacts, 'calls' | 'results' | 'onlyThinking'> {
  let calls: string[] | undefined
  let results: string[] | undefined
  let onlyThinking = blocks.length > 0
  for (const value of blocks) {
    const block = asObject(value)
    const type = block?.['type']
    if (type === 'tool_use') calls = addId(calls, block?.['id'])
    else if (type === 'tool_result') results = addId(results, block?.['tool_use_id'])
    onlyThinking &&= isThinking(type)
  }
  return { calls: calls ?? NOTHING, results: results ?? NOTHING, onlyThinking }
}

/** Most records have no ids, so the list is created with the first one. */
function addId(ids: string[] | undefined, value: unknown): string[] | undefined {
  const id = asText(value)
  if (id === undefined) return ids
  if (ids === undefined) return [id]
  ids.push(id)
  return ids
}

/**
 * Blank text, half a character, or unsigned thinking. Not recursive, because values can be nested very
 * deeply.
 */
function isSuspect(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() === '' || !content.isWellFormed()
  if (typeof content !== 'object' || content === null) return false
  const open: object[] = [content]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isSuspectBlock(value)) return true
    for (const inner of Array.isArray(value) ? value : Object.values(value)) {
      if (typeof inner === 'string' && !inner.isWellFormed()) return true
      if (typeof inner === 'object' && inner !== null) open.push(inner)
    }
  }
  return false
}

function isSuspectBlock(value: object): boolean {
  const block = asObject(value)
  if (block?.['type'] === 'text') return (asString(block['text']) ?? '').trim() === ''
  return block?.['type'] === 'thinking' && asText(block['signature']) === undefined
}
