// Restores a conversation in its agent: tries the strategies in order until one works. Journals what was
// tried, what worked and what may be lost.

import type { Binding } from '../connection/attribution.ts'
import type { AgentConnection } from '../connection/connection.ts'
import type { Connections } from '../connection/connections.ts'
import { noteEntry, type PublishEvent } from '../connection/journal-writer.ts'
import { BEGIN_MS, INITIALIZE_MS } from '../connection/limits.ts'
import { fenceConnection, settleSession } from '../connection/settle.ts'
import { heldByOtherProcess, noStrategyWorked } from '../errors.ts'
import { hasTalked } from '../queue.ts'
import { type JournalNote, makeNote, type StrategyName } from '../store/notes.ts'
import type { JournalSession, JournalStore } from '../store/store.ts'
import type { AgentFileRepair, AgentFiles } from './agent-files-interface.ts'
import { restoreByLoad } from './by-load.ts'
import { restoreByRepair } from './by-repair.ts'
import { restoreByReplay } from './by-replay.ts'
import { restoreByResume } from './by-resume.ts'
import type { PreparingSteps } from './preparing.ts'
import { hasUsableAgentId, type RestoreContext, type RestoreStrategy, type RestoreSuccess } from './strategy.ts'

/** THE LIST, in the order in which they are tried. A file that is known to be damaged is repaired before all of them. */
const strategies: readonly RestoreStrategy[] = [restoreByResume, restoreByLoad, restoreByRepair, restoreByReplay]

export interface RestoreTools {
  store: JournalStore
  connections: Connections
  agentFiles: AgentFiles
  publish: PublishEvent
  beginMs?: number
  initializeMs?: number
  preparing: PreparingSteps
}

export interface LiveConversation {
  connection: AgentConnection
  binding: Binding
  /** The agent's answer to the restore: modes and options. */
  answer: unknown
  /** The strategy that restored it. Undefined for a new conversation. */
  strategy: StrategyName | undefined
  /** Whether a turn has succeeded since. Only that proves the restore. */
  isProven: boolean
}

type Tried = JournalNote<'_rethread/restored'>['tried'][number]

/** `failed`: strategies that seemed to work until the first turn. */
export async function restoreConversation(
  tools: RestoreTools,
  session: JournalSession,
  failed: ReadonlySet<StrategyName>,
): Promise<LiveConversation> {
  const { store, connections, agentFiles, publish, preparing, beginMs = BEGIN_MS } = tools
  await settleSession({ store, isHeld: connection => connections.isHeld(connection), publish }, session)
  const isNew = session.agentSessionId === '' && !(await hasTalked(store, session.id))
  const isDamaged =
    isNew || !hasUsableAgentId(session)
      ? false
      : (await agentFiles.check(session.agent, session.agentSessionId)) === 'damaged'
  const repaired = isDamaged && !failed.has('repair') ? await repairFirst(tools, session) : undefined
  const tried: Tried[] = [...failed].map(rung => ({ rung, why: 'The first turn after it failed.' }))
  let lastError: unknown
  for (const strategy of strategies) {
    if (failed.has(strategy.name)) continue
    // Claimed for each strategy: the agent may have exited during the last attempt.
    preparing.begin(session.id, `Starting ${session.agent}`, tools.initializeMs ?? INITIALIZE_MS)
    const connection = await claim(tools, session)
    const context: RestoreContext = {
      store,
      agentFiles,
      session,
      connection,
      isDamaged,
      repaired,
      beginMs,
      isNew,
    }
    if (!strategy.isApplicable(context)) continue
    preparing.begin(session.id, strategy.describe(session.agent), beginMs)
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
  // A new conversation has nothing to restore, so the agent's own error is the whole answer.
  throw isNew && lastError !== undefined ? lastError : noStrategyWorked(session.id, tried, lastError)
}

/** Some agents erase at start what they cannot load. A later repair would be too late. */
async function repairFirst(tools: RestoreTools, session: JournalSession): Promise<AgentFileRepair | undefined> {
  if (session.replay?.state === 'pending') return undefined
  await fenceLast(tools, session)
  return await tools.agentFiles.repair(session.agent, session.agentSessionId)
}

/** Throws where another rethread owns the session. */
async function fenceLast({ store, connections }: RestoreTools, session: JournalSession): Promise<void> {
  const known = await store.getConnection(session.lastConnectionId)
  if (known === undefined || known.endedAt !== undefined) return
  if (!connections.isHeld(known)) await fenceConnection(store, known.id)
  else if (!connections.isOurs(known)) throw heldByOtherProcess(session.id, known)
}

/**
 * Connects to the agent and makes this connection the owner of the session. No other process can write to it
 * then.
 */
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
