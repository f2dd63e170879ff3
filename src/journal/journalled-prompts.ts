// A prompt that is journalled before its agent runs. Whatever the agent does then, and whenever rethread
// ends, the message is in the journal, with the error that kept it from the agent.
import { randomUUID } from 'node:crypto'
import { RequestError } from '@agentclientprotocol/sdk'
import { RethreadError } from '../model/errors.ts'
import { AUTH_REQUIRED } from './agent-errors.ts'
import { JournalWriter, noteEntry, type PublishEvent } from './connection/journal-writer.ts'
import { asFields } from './envelope.ts'
import { makeNote } from './store/notes.ts'
import type { Envelope, JournalSession, JournalStore } from './store/store.ts'

/** `isOver`: the prompt was sent, or its failure is in the journal. */
export interface JournalledPrompt {
  token: string
  isOver: boolean
}

/** The prompts that have not reached their agents yet. */
export class JournalledPrompts {
  readonly #store: JournalStore
  readonly #publish: PublishEvent
  readonly #waiting = new Map<string, Set<JournalledPrompt>>()

  constructor(store: JournalStore, publish: PublishEvent) {
    this.#store = store
    this.#publish = publish
  }

  has(sessionId: string): boolean {
    return this.#waiting.has(sessionId)
  }

  /** Resolves when the prompt is on disk. */
  async take(session: JournalSession, params: object): Promise<JournalledPrompt> {
    const taken: JournalledPrompt = { token: randomUUID(), isOver: false }
    const { sessionId: _, ...said } = asFields(params)
    const note = makeNote('_rethread/prompt_taken', session.lastConnectionId, { token: taken.token, params: said })
    await this.#write(session, note, 1)
    this.#waiting.set(session.id, (this.#waiting.get(session.id) ?? new Set()).add(taken))
    return taken
  }

  /** Journals why the prompt did not reach the agent. Only releases one that did. */
  async fail(session: JournalSession, taken: JournalledPrompt, error: unknown): Promise<void> {
    const waiting = this.#waiting.get(session.id)
    waiting?.delete(taken)
    if (waiting?.size === 0) this.#waiting.delete(session.id)
    if (taken.isOver) return
    taken.isOver = true
    const facts = { token: taken.token, ...describeFailure(error) }
    await this.#write(session, makeNote('_rethread/prompt_failed', session.lastConnectionId, facts), 0)
  }

  async #write({ id, lastConnectionId }: JournalSession, note: Envelope, openTurns: number): Promise<void> {
    const log = new JournalWriter(this.#store, lastConnectionId, this.#publish)
    await log.write([noteEntry(id, note, { openTurns })])
  }
}

/** For the journal: the error with its hint, and whether the agent asks for a login. */
export function describeFailure(error: unknown): { text: string; code?: number; isCancelled?: boolean } {
  if (!(error instanceof RethreadError)) return { text: error instanceof Error ? error.message : String(error) }
  const text = `${error.message} ${error.hint}`
  if (error.code === 'stopped') return { text, isCancelled: true }
  const isLogin = error.cause instanceof RequestError && error.cause.code === AUTH_REQUIRED
  return isLogin ? { text, code: AUTH_REQUIRED } : { text }
}
