// Settles what an exited rethread left open: its agents are killed and its turns end. The text so far stays,
// marked as incomplete.

import { makeNote } from '../store/notes.ts'
import type { JournalConnection, JournalSession, JournalStore } from '../store/store.ts'
import { fence } from './agent-process.ts'
import { JournalWriter, noteEntry, type PublishEvent } from './journal-writer.ts'

export interface SettleOptions {
  store: JournalStore
  /** Whether a living process owns the connection. */
  isHeld(connection: JournalConnection): boolean
  publish: PublishEvent
}

export interface Settled {
  /** Conversations whose turn was cut off. */
  sessions: string[]
  /** The number of processes that had outlived their rethread. */
  fenced: number
}

/** Called at start. Two processes may do this at once: settling a turn twice has no effect. */
export async function settleAbandoned(options: SettleOptions): Promise<Settled> {
  const { store, isHeld } = options
  const left = (await store.listOpenConnections()).filter(connection => !isHeld(connection))
  let fenced = 0
  for (const { process, id } of left) fenced += await fence(process, id)
  const sessions: string[] = []
  for (const session of await store.listOpenTurns())
    if (await settleSession(options, session)) sessions.push(session.id)
  for (const { id } of left) await store.endConnection(id)
  return { sessions, fenced }
}

/**
 * Called when other rethreads have exited without ending their connections. `isWaiting`: a prompt of this
 * process waits in the session, which is not a turn that was cut off.
 */
export async function settleConnections(
  options: SettleOptions,
  ended: readonly JournalConnection[],
  isWaiting: (sessionId: string) => boolean,
): Promise<void> {
  const { store } = options
  for (const { process, id } of ended) await fence(process, id)
  const ids = new Set(ended.map(({ id }) => id))
  for (const session of await store.listOpenTurns())
    if (ids.has(session.lastConnectionId) && !isWaiting(session.id)) await settleSession(options, session)
  for (const id of ids) await store.endConnection(id)
}

/** Called before a restore. Returns whether there was anything to settle. */
export async function settleSession(options: SettleOptions, session: JournalSession): Promise<boolean> {
  const { store, isHeld, publish } = options
  if (session.openTurns === 0) return false
  const connection = await store.getConnection(session.lastConnectionId)
  if (connection !== undefined && connection.endedAt === undefined && isHeld(connection)) return false
  const text = 'The turn was cut off: rethread ended before the agent answered.'
  const note = makeNote('_rethread/settled', session.lastConnectionId, { reason: 'rethread-ended', text })
  const log = new JournalWriter(store, session.lastConnectionId, publish)
  await log.write([noteEntry(session.id, note, { openTurns: 0 })])
  return true
}

/** Only the restoring process may write to the session, so the earlier agent is ended. */
export async function fenceConnection(store: JournalStore, id: string): Promise<number> {
  const connection = await store.getConnection(id)
  if (connection === undefined || connection.endedAt !== undefined) return 0
  const fenced = await fence(connection.process, id)
  await store.endConnection(id)
  return fenced
}
