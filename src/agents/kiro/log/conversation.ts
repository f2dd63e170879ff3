// The messages of a log, from one record after the other. The last message waits: its next piece may follow.
import type { Message, Part } from '../../../model/message.ts'
import type { RecordCounts } from '../../../model/reading.ts'
import type { LogRecord } from '../../stores/json-lines.ts'
import { titleFrom } from '../../stores/title.ts'
import type { Draft } from '../blocks.ts'
import { interpretRecord } from './records.ts'
import { joinParts, type RunState, Runs } from './runs.ts'

export interface Notes {
  prompt?: string
  startedAt?: string
  updatedAt?: string
}

/** What is noted of the messages that were given, and of the records that were taken. */
export interface Noted {
  notes: Notes
  counts: RecordCounts
}

/** On what later messages depend. */
export interface ConversationState {
  runs?: RunState
  open?: readonly Message[]
}

export function newNoted({ notes, counts }: Partial<Noted> = {}): Noted {
  return {
    notes: { ...notes },
    counts: { ...(counts ?? { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }) },
  }
}

const NONE: readonly Message[] = []

export class Conversation {
  noted: Noted
  /** Whether a record continues a message that was given before the first one was taken. */
  continuesEarlier = false
  readonly #runs: Runs
  /** The messages of the last record. */
  #open: readonly Message[]

  constructor({ runs, open = NONE }: ConversationState, noted: Noted) {
    this.noted = noted
    this.#runs = new Runs(runs)
    this.#open = open
  }

  get runs(): RunState {
    return this.#runs.state
  }

  /** Equal for equal states. */
  get state(): string {
    const { answer, tools } = this.#runs.state
    return JSON.stringify({ runs: { answer, tools }, open: this.#open })
  }

  /** The messages that no later record changes. */
  add(record: LogRecord): readonly Message[] {
    const { counts } = this.noted
    const interpreted = interpretRecord(record.value)
    const kind = interpreted.type === 'bookkeeping' ? interpreted.type : this.#runs.add(record.value, interpreted)
    if (kind === 'bookkeeping' || kind === 'repeated' || interpreted.type === 'bookkeeping') {
      counts.bookkeeping++
      return NONE
    }
    const { drafts } = interpreted
    if (drafts.some(hasUnknown)) counts.unknown++
    const messages = messagesOf(record, drafts)
    const last = this.#open.at(-1)
    if (kind === 'piece' && last !== undefined) {
      this.#open = [{ ...last, parts: joinParts(last.parts, messages[0]?.parts ?? []) }]
      return NONE
    }
    this.continuesEarlier ||= kind === 'piece'
    return this.#give(messages)
  }

  /** After the last record. */
  finish(): readonly Message[] {
    return this.#give(NONE)
  }

  #give(next: readonly Message[]): readonly Message[] {
    const given = this.#open
    for (const message of given) noteMessage(this.noted.notes, message)
    this.#open = next
    return given
  }
}

/**
 * Ids are places: not every record has an id, and a later reading could not know whether one was given
 * before.
 */
function messagesOf({ at }: LogRecord, drafts: Draft[]): Message[] {
  return drafts.map(({ role, parts, time }, i) => ({
    id: i === 0 ? `@${at.start}` : `@${at.start}.${i}`,
    role,
    parts,
    time,
    at,
  }))
}

function hasUnknown({ parts }: Draft): boolean {
  return parts.some(isUnknown)
}

function isUnknown({ type }: Part): boolean {
  return type === 'unknown'
}

function noteMessage(notes: Notes, { role, time, parts }: Message): void {
  if (role === 'user' && notes.prompt === undefined) {
    const text = parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
    const title = titleFrom(text)
    if (title !== undefined) notes.prompt = title
  }
  if (time === null) return
  notes.startedAt ??= time
  if (notes.updatedAt === undefined || time > notes.updatedAt) notes.updatedAt = time
}
