// What a check has to know of one record: how it is linked, what it is, and whether its content is worth a close look.
import type { RecordFacts, RecordKind } from '../../model/record-index.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asObject, asString, asText } from '../stores/values.ts'
import { groupOf } from './messages.ts'

const KINDS: ReadonlyMap<unknown, RecordKind> = new Map([
  ['user', 'talk'],
  ['assistant', 'talk'],
  ['system', 'system'],
  ['attachment', 'attachment'],
  ['progress', 'progress'],
])
/** A parent that is neither text nor null: the agent takes it for one that is not there. */
const NO_ID = '(not an id)'
const SIGNED = new Set(['thinking', 'redacted_thinking'])

export function describe(record: Json): RecordFacts {
  const kind = kindOf(record)
  // A snapshot's `messageId` and a title's `leafUuid` equal the uuid of a record, and link nothing.
  const isLinked = kind !== 'other' || 'parentUuid' in record
  const message = asObject(record['message'])
  const blocks = (asArray(message?.['content']) ?? []).map(asObject)
  return {
    kind,
    id: isLinked ? asText(record['uuid']) : undefined,
    parent: isLinked ? parentOf(record['parentUuid']) : undefined,
    sidechain: record['isSidechain'] === true,
    role: roleOf(record),
    group: groupOf(record),
    time: timeOf(record['timestamp']),
    calls: idsIn(blocks, 'tool_use', 'id'),
    results: idsIn(blocks, 'tool_result', 'tool_use_id'),
    suspect: isSuspect(message?.['content']) || isSuspect(record['attachment']),
    onlyThinking: blocks.length > 0 && blocks.every(block => SIGNED.has(asString(block?.['type']) ?? '')),
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

/** A prompt that was typed while the agent worked is an attachment. */
function roleOf(record: Json): RecordFacts['role'] {
  const type = record['type']
  if (type === 'user' || type === 'assistant') return type
  const isPrompt = type === 'attachment' && asObject(record['attachment'])?.['type'] === 'queued_command'
  return isPrompt ? 'user' : undefined
}

/** Where the conversation ended when this was written; empty where the person went back to before its beginning. */
function endOf(record: Json): string | undefined {
  return asText(record['leafUuid']) ?? (record['explicit'] === true ? '' : undefined)
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const NO_IDS: readonly string[] = []

function idsIn(blocks: readonly (Json | undefined)[], type: string, field: string): readonly string[] {
  if (!blocks.some(block => block?.['type'] === type)) return NO_IDS
  return blocks
    .filter(block => block?.['type'] === type)
    .map(block => asText(block?.[field]))
    .filter(id => id !== undefined)
}

/** Text that says nothing, half a character, thinking that nobody signed. Without recursion, as values can be nested beyond reason. */
function isSuspect(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() === '' || !content.isWellFormed()
  const open: unknown[] = [content]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string' && !value.isWellFormed()) return true
    if (typeof value !== 'object' || value === null) continue
    const block = asObject(value)
    if (block?.['type'] === 'text' && (asString(block['text']) ?? '').trim() === '') return true
    if (block?.['type'] === 'thinking' && asText(block['signature']) === undefined) return true
    for (const inner of Object.values(value)) if (inner !== null && inner !== undefined) open.push(inner)
  }
  return false
}
