// Begins a conversation: in the journal only, as a new session of an agent, or as one that the agent already
// has.
import { randomUUID } from 'node:crypto'
import { asksForLogin } from './agent-errors.ts'
import type { AgentConnection } from './connection/connection.ts'
import { BEGIN_MS } from './connection/limits.ts'
import { jsonOf } from './connection/message-bytes.ts'
import { asFields } from './envelope.ts'
import { noSessionId, requireUsualId } from './errors.ts'
import type { LiveConversation } from './restore/restore.ts'
import type { JournalSession, JournalStore, Metadata } from './store/store.ts'

export interface NewConversation {
  agent: string
  cwd: string
  /** Parameters of `session/new`. Default: the folder, and no MCP servers. */
  init?: object
  id?: string
  metadata?: Metadata
}

export interface StartedConversation {
  session: JournalSession
  /** The agent's answer to the request that started the session. */
  answer: unknown
}

export interface BeginTools {
  store: JournalStore
  connect(agent: string, cwd: string): Promise<AgentConnection>
  /** How long the agent may take. */
  beginMs?: number
}

export interface TakenOverSession {
  agent: string
  agentSessionId: string
  /** `session/load` or `session/resume`, with its parameters. */
  method: string
  params: object
}

export async function prepareSession(
  store: JournalStore,
  { agent, cwd, init, id = randomUUID(), metadata }: NewConversation,
): Promise<JournalSession> {
  const initJson = jsonOf({ cwd, mcpServers: [], ...init }).toString('utf8')
  return await store.createSession({ id, agent, agentSessionId: '', lastConnectionId: '', cwd, initJson }, metadata)
}

export async function createSession(
  { store, connect, beginMs = BEGIN_MS }: BeginTools,
  conversation: NewConversation,
): Promise<LiveConversation> {
  const { agent, cwd, init } = conversation
  const connection = await connect(agent, cwd)
  const params = init ?? { cwd, mcpServers: [] }
  const { id } = await prepareSession(store, { ...conversation, init: params })
  await store.claimSession(id, connection.id, () => false)
  try {
    const answer = await connection.request('session/new', params, {
      sessionId: id,
      timeoutMs: beginMs,
      onAnswer(message) {
        const agentSessionId = asFields(message['result'])['sessionId']
        if (typeof agentSessionId !== 'string') return undefined
        connection.bind(id, agentSessionId)
        return { agentSessionId }
      },
    })
    const binding = connection.bindingOf(id)
    if (binding === undefined) throw noSessionId(connection.agent.title)
    return { connection, binding, answer, strategy: undefined, isProven: true }
  } catch (error) {
    // The conversation holds no messages yet.
    await store.destroySession(id)
    throw asksForLogin(error, () => connection.agent)
  }
}

export async function takeOverSession(
  { store, connect }: BeginTools,
  { agent, agentSessionId, method, params }: TakenOverSession,
): Promise<LiveConversation> {
  requireUsualId(agentSessionId)
  const cwd = String(asFields(params)['cwd'] ?? '/')
  const connection = await connect(agent, cwd)
  const { sessionId: _, ...init } = asFields(params)
  await discardLeftOver(store, agentSessionId)
  const { id } = await prepareSession(store, { agent, cwd, init, id: agentSessionId })
  await store.claimSession(id, connection.id, () => false)
  const binding = connection.bind(id, agentSessionId)
  try {
    await store.updateSession(id, { agentSessionId })
    const answer = await connection.request(method, params, { sessionId: id, timeoutMs: BEGIN_MS })
    return { connection, binding, answer, strategy: undefined, isProven: true }
  } catch (error) {
    connection.unbind(id)
    // The agent still has all of it. Left here, it would hide the agent's own session.
    await store.discardSession(id)
    throw asksForLogin(error, () => connection.agent)
  }
}

async function discardLeftOver(store: JournalStore, id: string): Promise<void> {
  const session = await store.getSession(id)
  if (session !== undefined && (await isLeftOver(store, session))) await store.discardSession(id)
}

/** The first events of a session that was taken over: the request, what the agent repeats, the answer. */
const FIRST_EVENTS = 200

/** Whether it is only the trace of a failed attempt to take over a session, which earlier versions left. */
export async function isLeftOver(store: JournalStore, session: JournalSession): Promise<boolean> {
  if (session.destroyedAt === undefined || session.agentSessionId !== session.id) return false
  const { events, total } = await store.page(session.id, { after: 0, limit: FIRST_EVENTS })
  return total <= FIRST_EVENTS && !events.some(({ kind }) => /^(response:session\/|session\/prompt)/.test(kind))
}
