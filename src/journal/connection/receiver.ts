// Reads the output of an agent line by line: first into the journal, then to the waiting request. One chunk
// at a time, so that a fast agent waits instead of filling memory.
import type { Readable } from 'node:stream'
import { isObject } from '../../bytes/json.ts'
import { LineCollector } from '../../bytes/line-collector.ts'
import { makeNote } from '../store/notes.ts'
import type { Attribution, EntryTarget } from './attribution.ts'
import { type JournalEntry, type JournalWriter, noteEntry } from './journal-writer.ts'
import { MAX_AGENT_LINE_BYTES, MAX_GARBAGE_CHARS } from './limits.ts'
import { rememberLine } from './message-bytes.ts'

export interface ReceiverOptions {
  connectionId: string
  attribution: Attribution
  log: JournalWriter
  /** Gets requests of the agent, and answers to open requests. */
  pass(message: Record<string, unknown>): void
}

type Message = Record<string, unknown>

interface ReceivedBatch {
  entries: JournalEntry[]
  passed: Message[]
}

export class Receiver {
  readonly #options: ReceiverOptions
  /** Updates by the agent's session id. */
  #firstGarbage: string | undefined
  #hasMessage = false
  readonly #early = new Map<string, { message: Message; line: Buffer }[]>()

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  /** The first line, where the agent has sent nothing but lines that are not messages. */
  get garbage(): string | undefined {
    return this.#hasMessage ? undefined : this.#firstGarbage
  }

  /**
   * Runs to the end of the output. Throws where the journal cannot be written; then nothing more is passed
   * on.
   */
  async run(output: Readable): Promise<void> {
    const lines = new LineCollector(MAX_AGENT_LINE_BYTES)
    for await (const chunk of output) await this.#take(lines.push(Buffer.from(chunk)))
    const rest = lines.flush()
    if (rest !== undefined) await this.#take([rest])
    await this.#writeStranded()
  }

  async #take(lines: ReturnType<LineCollector['push']>): Promise<void> {
    const batch: ReceivedBatch = { entries: [], passed: [] }
    for (const { bytes, length, isTooLong } of lines) {
      const message = isTooLong ? undefined : parseMessage(bytes)
      if (message !== undefined) this.#route(message, bytes, batch)
      else if (length > 0) batch.entries.push(this.#garbage(bytes, length))
    }
    await this.#options.log.write(batch.entries)
    for (const message of batch.passed) this.#options.pass(message)
  }

  #route(message: Message, line: Buffer, batch: ReceivedBatch): void {
    this.#hasMessage = true
    const verdict = this.#options.attribution.attributeReceived(message)
    switch (verdict.type) {
      case 'repeated':
        return
      case 'early':
        this.#early.set(verdict.agentSessionId, [
          ...(this.#early.get(verdict.agentSessionId) ?? []),
          { message, line: Buffer.from(line) },
        ])
        return
      case 'stray':
        batch.entries.push(entryOf(verdict.target, message, line))
        return
      case 'pass':
        batch.entries.push(entryOf(verdict.target, message, line))
        if (isAwaited(message)) {
          // A copy, because the chunk is reused.
          rememberLine(message, Buffer.from(line))
          batch.passed.push(message)
        }
        if (this.#early.size > 0) this.#routeEarly(batch)
    }
  }

  /** Routes the updates whose session id is known since the last answer. */
  #routeEarly(batch: ReceivedBatch): void {
    const known = new Set(this.#options.attribution.bindings.map(({ agentSessionId }) => agentSessionId))
    for (const [agentSessionId, held] of this.#early) {
      if (!known.has(agentSessionId)) continue
      this.#early.delete(agentSessionId)
      for (const { message, line } of held) this.#route(message, line, batch)
    }
  }

  /** Journals updates whose session never became known. */
  async #writeStranded(): Promise<void> {
    const { connectionId, log } = this.#options
    const held = [...this.#early.values()].flat()
    this.#early.clear()
    await log.write(held.map(({ message, line }) => entryOf({ sessionId: connectionId, kind: 'stray' }, message, line)))
  }

  #garbage(bytes: Buffer, length: number): JournalEntry {
    const { connectionId } = this.#options
    const beginning = bytes.toString('utf8').slice(0, MAX_GARBAGE_CHARS)
    this.#firstGarbage ??= beginning
    return noteEntry(connectionId, makeNote('_rethread/garbage', connectionId, { bytes: length, beginning }))
  }
}

function entryOf({ sessionId, kind, change }: EntryTarget, envelope: Message, payload: Buffer): JournalEntry {
  return { sessionId, kind, sender: 'agent', payload, envelope, ...(change === undefined ? {} : { change }) }
}

/** Other notifications reach their readers through the journal. */
function isAwaited({ method, id }: Message): boolean {
  return id !== undefined || method === '$/cancel_request'
}

/** Undefined where the line is not one JSON-RPC message. */
function parseMessage(line: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return isObject(value) && ('method' in value || 'id' in value) ? value : undefined
  } catch {
    return undefined
  }
}
