// Forks a conversation: copies its history, so that the copy is independent.
import { randomUUID } from 'node:crypto'
import { RequestError } from '@agentclientprotocol/sdk'
import { RethreadError } from '../model/errors.ts'
import { ACP_SESSION_ID } from '../model/session-id.ts'
import { prepareSession } from './begin.ts'
import { JournalWriter, noteEntry, type PublishEvent } from './connection/journal-writer.ts'
import { asFields } from './envelope.ts'
import { noSessionId } from './errors.ts'
import type { LiveConversation } from './restore/restore.ts'
import { startParamsOf } from './restore/strategy.ts'
import { makeNote, readNote } from './store/notes.ts'
import type { JournalEvent, JournalSession, JournalStore, Metadata } from './store/store.ts'

const PAGE = 500

export interface HistoryCopy {
  from: string
  to: string
  /** The last event to copy. */
  upTo: number
  /** Keys of prompts that wait in the original and are not copied. */
  without?: ReadonlySet<string>
  publish: PublishEvent
}

export interface ForkOptions {
  /** The last event of the copy. */
  upTo?: number
  /** Keys of prompts that wait and stay with the original. */
  without?: ReadonlySet<string>
  id?: string
  metadata?: Metadata
}

/** Creates the copy in the journal, with the history and the metadata of the original. */
export async function makeCopy(
  store: JournalStore,
  publish: PublishEvent,
  parent: JournalSession,
  options: ForkOptions,
): Promise<JournalSession> {
  const { id: from, agent, cwd, initJson } = parent
  const total = await store.count(from)
  const metadata = { ...(await store.getMetadata(from)), ...options.metadata, parent: from }
  const named = { agent, cwd, init: asFields(JSON.parse(initJson ?? '{}')), metadata }
  const child = await prepareSession(store, options.id === undefined ? named : { ...named, id: options.id })
  const { without = new Set(), upTo = total } = options
  await copyHistory(store, { from, to: child.id, upTo: Math.min(upTo, total), without, publish })
  return child
}

/** Copies page by page. Events that cannot be read are missing in the copy too. */
export async function copyHistory(
  store: JournalStore,
  { from, to, upTo, without = new Set(), publish }: HistoryCopy,
): Promise<void> {
  for (let after = 0; after < upTo; ) {
    const page = await store.page(from, { after, limit: Math.min(PAGE, upTo - after) })
    const events = page.events.filter(event => !isQueued(event, without))
    const envelopes = events.map(({ connectionId, sender, kind, payload, createdAt }) => ({
      connectionId,
      sender,
      kind,
      payload,
      createdAt,
      id: randomUUID(),
    }))
    if (envelopes.length > 0) {
      const { firstSeq } = await store.append(to, envelopes)
      for (const [index, event] of events.entries())
        await publish({ ...event, id: envelopes[index]?.id ?? event.id, sessionId: to, seq: firstSeq + index })
    }
    if (page.lastSeq <= after) break
    after = page.lastSeq
  }
  const note = makeNote('_rethread/forked', '', { from, upTo })
  await new JournalWriter(store, '', publish).write([noteEntry(to, note)])
}

function isQueued({ envelope }: JournalEvent, keys: ReadonlySet<string>): boolean {
  const note = keys.size === 0 ? undefined : readNote('_rethread/queued', envelope)
  return note !== undefined && keys.has(note.key)
}

/** The agent exited or did not answer. */
function isOfAgent(error: unknown): boolean {
  return error instanceof RethreadError && (error.code === 'agent-failed' || error.code === 'timeout')
}

/** Undefined where the agent refuses. The copy then starts with a replay. */
export async function forkAgentSession(
  { connection, binding }: LiveConversation,
  { parent, child, timeoutMs }: { parent: JournalSession; child: string; timeoutMs: number },
): Promise<LiveConversation | undefined> {
  if (!ACP_SESSION_ID.test(binding.agentSessionId)) return undefined
  const params = { ...startParamsOf(parent), sessionId: binding.agentSessionId }
  let answer: unknown
  try {
    answer = await connection.request('session/fork', params, {
      sessionId: child,
      timeoutMs,
      onAnswer(message) {
        const agentSessionId = asFields(message['result'])['sessionId']
        if (typeof agentSessionId !== 'string') return undefined
        // Some agents repeat the history to the fork. The journal already has it.
        connection.bind(child, agentSessionId).repeated = () => true
        return { agentSessionId, lastConnectionId: connection.id }
      },
    })
  } catch (error) {
    if (error instanceof RequestError || isOfAgent(error)) return undefined
    throw error
  }
  const copy = connection.bindingOf(child)
  if (copy === undefined) throw noSessionId(connection.agent.title)
  copy.repeated = undefined
  return { connection, binding: copy, answer, strategy: undefined, isProven: true }
}
