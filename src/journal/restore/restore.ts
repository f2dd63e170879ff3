// How a conversation comes back: down the ladder, until a rung holds. What was tried, what held and what it may have cost is written down.

import type { Binding } from '../connection/attribution.ts'
import type { AgentConnection } from '../connection/connection.ts'
import type { Connections } from '../connection/connections.ts'
import { noteEntry, type PublishEvent } from '../connection/journal-writer.ts'
import { BEGIN_MS } from '../connection/limits.ts'
import { fenceConnection, settleSession } from '../connection/settle.ts'
import { heldByOtherProcess, noStrategyWorked } from '../errors.ts'
import { makeNote, type Note, type StrategyName } from '../store/notes.ts'
import type { JournalSession, JournalStore } from '../store/store.ts'
import type { AgentFileRepair, AgentFiles } from './agent-files.ts'
import { strategies } from './strategies.ts'
import { hasUsableAgentId, type RestoreContext, type RestoreSuccess } from './strategy.ts'

export interface RestoreTools {
  store: JournalStore
  connections: Connections
  agentFiles: AgentFiles
  publish: PublishEvent
  beginMs?: number
}

export interface LiveConversation {
  connection: AgentConnection
  binding: Binding
  /** What the agent answered when it came back: modes and options. */
  answer: unknown
  /** By which it came back; undefined where it was begun just now. */
  strategy: StrategyName | undefined
  /** A turn has worked since: only then the rung holds. */
  isProven: boolean
}

type Tried = Note<'_rethread/restored'>['tried'][number]

/** The request that begins a session, and its answer: nothing was said yet. */
const BEGINNING = 2

/** `failed`: rungs that seemed to hold, until the first turn. */
export async function restore(
  tools: RestoreTools,
  session: JournalSession,
  failed: ReadonlySet<StrategyName>,
): Promise<LiveConversation> {
  const { store, connections, agentFiles, publish, beginMs = BEGIN_MS } = tools
  await settleSession({ store, isHeld: connection => connections.isHeld(connection), publish }, session)
  const isNew = session.agentSessionId === '' && (await store.count(session.id)) <= BEGINNING
  const isDamaged =
    isNew || !hasUsableAgentId(session)
      ? false
      : (await agentFiles.check(session.agent, session.agentSessionId)) === 'damaged'
  const repaired = isDamaged && !failed.has('repair') ? await repairFirst(tools, session) : undefined
  const tried: Tried[] = [...failed].map(rung => ({ rung, why: 'The first turn after it failed.' }))
  let lastError: unknown
  for (const strategy of strategies) {
    if (failed.has(strategy.name)) continue
    // Anew for each: the agent may have ended on the rung above.
    const connection = await claim(tools, session)
    const context: RestoreContext = {
      store,
      agentFiles,
      session,
      connection,
      isDamaged,
      repaired,
      beginMs,
    }
    if (!strategy.isApplicable(context)) continue
    const outcome = await strategy.attempt(context)
    if (!('why' in outcome)) {
      const { binding, answer } = outcome
      const live = { connection, binding, answer, isProven: false }
      if (isNew) return { ...live, strategy: undefined }
      await record(context, strategy.name, tried, outcome)
      return { ...live, strategy: strategy.name }
    }
    tried.push({ rung: strategy.name, why: outcome.why })
    lastError = outcome.error
  }
  // Nothing was said in it that could come back: what its agent said is all there is to say.
  throw isNew && lastError !== undefined ? lastError : noStrategyWorked(session.id, tried, lastError)
}

/** There are agents that erase, when they start, what they cannot load: a repair that comes after that is too late. */
async function repairFirst(tools: RestoreTools, session: JournalSession): Promise<AgentFileRepair | undefined> {
  if (session.replay?.state === 'pending') return undefined
  await fenceLast(tools, session)
  return await tools.agentFiles.repair(session.agent, session.agentSessionId)
}

/** Throws where another rethread has the session. */
async function fenceLast({ store, connections }: RestoreTools, session: JournalSession): Promise<void> {
  const known = await store.getConnection(session.lastConnectionId)
  if (known === undefined || known.endedAt !== undefined) return
  if (!connections.isHeld(known)) await fenceConnection(store, known.id)
  else if (!connections.isOurs(known)) throw heldByOtherProcess(session.id, known)
}

/** A connection of ours, which the session belongs to from now on, and nobody is left who could write to it. */
async function claim(tools: RestoreTools, session: JournalSession): Promise<AgentConnection> {
  const { store, connections } = tools
  await fenceLast(tools, session)
  const connection = await connections.get(session.agent, session.cwd)
  const holder = await store.claimSession(
    session.id,
    connection.id,
    other => connections.isHeld(other) && !connections.isOurs(other),
  )
  if (holder !== undefined) throw heldByOtherProcess(session.id, holder)
  return connection
}

async function record(
  { session, connection }: RestoreContext,
  strategy: StrategyName,
  tried: Tried[],
  held: RestoreSuccess,
): Promise<void> {
  const { binding, text, lost, change, snapshot, receipt } = held
  const { agentSessionId } = binding
  const note = makeNote('_rethread/restored', connection.id, {
    rung: strategy,
    from: session.agentSessionId,
    to: agentSessionId,
    text,
    tried,
    ...(lost === undefined ? {} : { lost }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(receipt === undefined ? {} : { receipt }),
  })
  const restored = { ...change, agentSessionId, lastConnectionId: connection.id, restoredBy: strategy }
  await connection.write([noteEntry(session.id, note, restored)])
}
