// From stored messages to the conversation, for both stores. Memory holds one message at a time.
import { type Finding, Findings } from '../../model/finding.ts'
import type { Message, Part, Place, Usage } from '../../model/message.ts'
import type { Branch, ReadingEnd, RecordCounts, SessionFacts } from '../../model/reading.ts'
import { endReading } from '../../model/reading.ts'
import { shorten, titleFrom } from '../stores/title.ts'
import { countUnknown, knownFields, unfamiliarParts } from '../stores/unfamiliar.ts'
import type { Json } from '../stores/values.ts'
import { asNumber, asObject, asString, asText, asTime, present } from '../stores/values.ts'
import type { StoredPart } from './parts.ts'
import { errorText, isOwnWords, partsOf } from './parts.ts'
import type { SessionInfo } from './session-info.ts'
import { asMillis, ownTitle } from './session-info.ts'

export interface StoredMessage {
  id: string
  /** Undefined if it could not be read. Its parts may still exist. */
  value: Json | undefined
  parts: StoredPart[]
  at: Place
  /** Milliseconds since 1970, if the store has the time beside the value. */
  createdAt?: number | undefined
  updatedAt?: number | undefined
  /** A revert to this message hides only what follows it. */
  staysAtRevert?: boolean
}

/** A record that says what happened. It is not a message of the conversation. */
export interface StoredNotice {
  id: string
  parts: Part[]
  at: Place
  /** Milliseconds since 1970. */
  createdAt?: number | undefined
}

/** What the messages say of the session. */
interface Noted {
  prompt?: string | undefined
  cwd?: string | undefined
  model?: string | undefined
  /** Milliseconds since 1970. */
  startedAt?: number | undefined
  updatedAt?: number | undefined
}

/** What one builder has taken, as plain data. */
export interface TakenMessages {
  findings: Finding[]
  counts: RecordCounts
  noted: Noted
}

export class ConversationBuilder {
  readonly findings = new Findings()
  readonly counts: RecordCounts = emptyCounts()
  readonly #sessionId: string
  readonly info: SessionInfo
  readonly #branchToo: boolean
  readonly #noted: Noted
  #abandoned: Branch | undefined

  /**
   * `branch` is the id of the message that the person reverted to. If given, the reverted messages are
   * included.
   */
  constructor(sessionId: string, info: SessionInfo, branch: string | undefined) {
    this.#sessionId = sessionId
    this.info = info
    this.#branchToo = branch !== undefined
    this.#noted = { startedAt: info.createdAt, updatedAt: info.updatedAt }
  }

  /** The message as shown. Undefined if it is on the reverted branch, or nothing of it could be read. */
  take(stored: StoredMessage): Message | undefined {
    this.counts.records += stored.parts.length + (stored.value === undefined ? 0 : 1)
    if (stored.value === undefined && stored.parts.length === 0) return undefined
    this.#noteFacts(stored)
    const revert = this.info.revert
    if (this.#abandoned === undefined && stored.id !== revert?.messageId) return this.#give(stored, stored.parts)
    if (this.#abandoned === undefined && stored.staysAtRevert === true) {
      this.#abandoned = { id: stored.id, kind: 'abandoned', messages: 0, title: '' }
      return this.#give(stored, stored.parts)
    }
    const cut = this.#abandoned === undefined ? this.#cutAt(stored.parts) : 0
    const dropped = stored.parts.slice(cut)
    this.#abandoned ??= { id: stored.id, kind: 'abandoned', messages: 0, title: '' }
    if (cut === 0 || dropped.length > 0) this.#abandoned.messages++
    this.#abandoned.title ||= previewOf(dropped)
    const whole = this.#give(stored, stored.parts)
    if (this.#branchToo) return whole
    // The counts cover everything stored, so the whole message is built first and then cut.
    return cut === 0 ? undefined : { ...whole, parts: this.#partsOf(stored.parts.slice(0, cut), emptyCounts()) }
  }

  /** The notice as shown. Undefined if it is on the reverted branch. */
  takeNotice({ id, parts, at, createdAt }: StoredNotice): Message | undefined {
    this.counts.records++
    countUnknown(this.counts, parts)
    if (this.#abandoned !== undefined && !this.#branchToo) return undefined
    return { id, role: 'system', time: asTime(createdAt) ?? null, parts, at }
  }

  /** How many parts remain of the message that the person reverted to. */
  #cutAt(parts: StoredPart[]): number {
    const partId = this.info.revert?.partId
    if (partId === undefined) return 0
    const cut = parts.findIndex(part => part.id === partId)
    return cut === -1 ? parts.length : cut
  }

  #give(stored: StoredMessage, parts: StoredPart[]): Message {
    const { value } = stored
    const role = value === undefined ? guessRole(parts) : asString(value['role'])
    const shown = this.#partsOf(parts, this.counts)
    const time = asTime(asObject(value?.['time'])?.['created']) ?? asTime(stored.createdAt) ?? null
    const base = { id: stored.id, time, at: stored.at }
    if (role !== 'user' && role !== 'assistant') {
      this.counts.unknown++
      const unknown: Part = { type: 'unknown', recordType: `message ${role ?? '(none)'}`, value }
      return { ...base, role: 'system', parts: [unknown, ...shown] }
    }
    // A message is its parts. Without any, whatever else it holds may be what was said.
    if (shown.length === 0) shown.push(...unfamiliarParts(value, MESSAGE, `message ${role}`))
    if (parts.length === 0) countUnknown(this.counts, shown)
    if (value?.['error'] !== undefined && value['error'] !== null)
      shown.push({ type: 'notice', text: `The answer ended with an error: ${errorText(value['error'])}` })
    return {
      ...base,
      role,
      parts: shown,
      ...present<Pick<Message, 'model' | 'usage'>>({
        model: asText(value?.['modelID']),
        usage: usageOf(value?.['tokens'], value?.['cost']),
      }),
    }
  }

  #partsOf(parts: StoredPart[], counts: RecordCounts): Part[] {
    return parts.flatMap(part => partsOf(part, counts))
  }

  #noteFacts({ value, parts, createdAt, updatedAt }: StoredMessage): void {
    const noted = this.#noted
    const time = asObject(value?.['time'])
    const created = asMillis(time?.['created']) ?? createdAt
    noted.startedAt ??= created
    for (const at of [created, asMillis(time?.['completed']), updatedAt]) noted.updatedAt = later(noted.updatedAt, at)
    noted.cwd ??= asText(asObject(value?.['path'])?.['cwd'])
    noted.model = asText(value?.['modelID']) ?? noted.model
    if (value?.['role'] === 'user' && noted.prompt === undefined) noted.prompt = titleFrom(wordsOf(parts))
  }

  /** Without what a revert left out. Undefined if there are too many findings to keep them. */
  taken(): TakenMessages | undefined {
    const { findings, counts } = this
    return findings.beyondLimit > 0 ? undefined : { findings: findings.list, counts, noted: this.#noted }
  }

  /** As if this builder had taken what another one took, which knew nothing of the session. */
  add({ findings, counts, noted: other }: TakenMessages): void {
    for (const finding of findings) this.findings.add(finding)
    this.counts.records += counts.records
    this.counts.bookkeeping += counts.bookkeeping
    this.counts.unknown += counts.unknown
    this.counts.skipped += counts.skipped
    const noted = this.#noted
    noted.startedAt ??= other.startedAt
    noted.updatedAt = later(noted.updatedAt, other.updatedAt)
    noted.cwd ??= other.cwd
    noted.model = other.model ?? noted.model
    noted.prompt ??= other.prompt
  }

  end(worktree: string | undefined): ReadingEnd {
    const { prompt, cwd, model, startedAt, updatedAt } = this.#noted
    const facts = present<SessionFacts>({
      sessionId: this.#sessionId,
      title: ownTitle(this.info) ?? prompt ?? this.info.title,
      project: this.info.directory ?? cwd ?? worktree,
      startedAt: asTime(startedAt),
      updatedAt: asTime(updatedAt),
      agentVersion: this.info.version,
      model,
      subagentOf: this.info.parentId,
    })
    const branches = this.#abandoned === undefined || this.#abandoned.messages === 0 ? [] : [this.#abandoned]
    return endReading({ facts, counts: this.counts, branches, continued: false }, this.findings, {
      parsedUpTo: 0,
      recovered: this.counts.records > 0,
    })
  }
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  return other !== undefined && (one === undefined || other > one) ? other : one
}

const MESSAGE = knownFields(
  // Not a field of OpenCode: without parts, every unknown text counts.
  ['parts'],
  ...['id', 'sessionID', 'role', 'time', 'parentID', 'modelID', 'providerID', 'model', 'variant', 'mode', 'agent'],
  ...['path', 'cost', 'tokens', 'finish', 'error', 'summary', 'system', 'tools', 'format', 'structured'],
)

/**
 * The author of a message of which only parts are left: a person neither thinks nor calls tools, and typed
 * text has no duration.
 */
export function guessRole(parts: StoredPart[]): 'user' | 'assistant' {
  const isOfModel = ({ value }: StoredPart) =>
    ['reasoning', 'tool', 'step-start', 'step-finish', 'patch'].includes(asString(value['type']) ?? '') ||
    (value['type'] === 'text' && asObject(value['time']) !== undefined)
  return parts.some(isOfModel) ? 'assistant' : 'user'
}

/** The cost is in dollars. It is zero if the agent does not know the price. */
function usageOf(value: unknown, cost: unknown): Usage | undefined {
  const tokens = asObject(value)
  const amount = asNumber(cost) ?? 0
  if (tokens === undefined && amount === 0) return undefined
  const cache = asObject(tokens?.['cache'])
  return present<Usage>({
    input: asNumber(tokens?.['input']),
    output: asNumber(tokens?.['output']),
    cacheRead: asNumber(cache?.['read']),
    cacheWrite: asNumber(cache?.['write']),
    reasoning: asNumber(tokens?.['reasoning']),
    cost: amount === 0 ? undefined : { amount, currency: 'USD' },
  })
}

function wordsOf(parts: StoredPart[]): string {
  return parts
    .filter(({ value }) => isOwnWords(value))
    .map(({ value }) => asString(value['text']) ?? '')
    .join('\n')
}

/** A text can be megabytes long, so only its start is used. */
const PREVIEW_OF = 1000

function previewOf(parts: StoredPart[]): string {
  return shorten(wordsOf(parts).slice(0, PREVIEW_OF).replace(/\s+/g, ' ').trim(), 80)
}

function emptyCounts(): RecordCounts {
  return { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
}
