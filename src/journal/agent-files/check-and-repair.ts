// Checks and repairs one session in its agent's own store, before the agent loads it.

import type { Agent } from '../../agents/agent.ts'
import { UNUSUAL_ID } from '../../agents/session-ids.ts'
import type { Context } from '../../catalog/context.ts'
import { LIVE_MS } from '../../disk/processes/writers.ts'
import { RethreadError } from '../../model/errors.ts'
import { formatNumber } from '../../model/format-number.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Status, Verdict } from '../../model/verdict.ts'
import { checkSession } from '../../repair/check/check.ts'
import type { Repaired } from '../../repair/repair.ts'
import { finishInterrupted, repairSession } from '../../repair/repair.ts'
import type { Verdicts } from '../../repair/verdicts/verdict-cache.ts'
import { openVerdicts } from '../../repair/verdicts/verdict-cache.ts'
import { whenQuiet } from '../../repair/when-quiet.ts'
import type { AgentFileRepair, AgentFiles } from '../restore/agent-files-interface.ts'
import { findStored } from './find-stored.ts'

/** One healthy file with this id is enough: some agents leave further files for the same session. */
export async function checkAgentFile(
  context: Context,
  storeOf: Readonly<Record<string, string>>,
  name: string,
  sessionId: string,
): ReturnType<AgentFiles['check']> {
  try {
    const stored = await findStored(context, storeOf, name, sessionId)
    if (stored.type === 'unknown') return 'unknown'
    const verdicts = []
    for (const session of stored.sessions) verdicts.push(statusOfFile((await checkSession(context, session)).verdict))
    if (verdicts.includes('healthy')) return 'healthy'
    return verdicts.includes('corrupted') ? 'damaged' : 'unknown'
  } catch (error) {
    // A store that cannot be examined says nothing about the session. The agent decides.
    if (error instanceof RethreadError) return 'unknown'
    throw error
  }
}

/**
 * An unusual id is not damage of the file. Whether to pass the id to the agent is decided elsewhere in the
 * restore.
 */
function statusOfFile({ status, findings }: Verdict): Status {
  const isOnlyId = findings.length > 0 && findings.every(({ damage }) => damage === UNUSUAL_ID)
  return status === 'corrupted' && isOnlyId ? 'healthy' : status
}

/** A restore can fall back to other strategies, and a person waits for the answer. */
const MAX_RESTORE_WAIT_MS = LIVE_MS

export async function repairStored(
  context: Context,
  storeOf: Readonly<Record<string, string>>,
  name: string,
  sessionId: string,
): Promise<AgentFileRepair> {
  try {
    await finishInterrupted(context)
    const stored = await findStored(context, storeOf, name, sessionId)
    if (stored.type === 'unknown') return { status: 'unknown', text: stored.text }
    return resultOf(stored.agent, await repairFirstThatLoads(context, stored.sessions))
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return { status: 'failed', text: `${error.message} ${error.hint}` }
  }
}

/**
 * Repairs the newest file with this id. A file from which nothing loads was left beside the conversation, so
 * the next one is tried.
 */
async function repairFirstThatLoads(
  context: Context,
  [newest, ...others]: readonly [SessionRef, ...SessionRef[]],
): Promise<Repaired> {
  const verdicts = openVerdicts(context.state)
  try {
    const first = await repairWhenQuiet(context, newest, verdicts)
    if (first.verdict.loads.now > 0) return first
    for (const session of others) {
      const done = await repairWhenQuiet(context, session, verdicts)
      if (done.verdict.loads.now > 0) return done
    }
    return first
  } finally {
    verdicts.close()
  }
}

/**
 * A crashed agent wrote a moment ago. Where its processes are hidden, that looks like an agent that still
 * writes.
 */
async function repairWhenQuiet(context: Context, session: SessionRef, verdicts: Verdicts): Promise<Repaired> {
  return await whenQuiet(() => repairSession(context, session, { verdicts }), {
    onWait: () => undefined,
    onlyRecent: true,
    maxMs: MAX_RESTORE_WAIT_MS,
  })
}

function resultOf({ title }: Agent, { before, verdict, report }: Repaired): AgentFileRepair {
  const now = `${title} loads ${count(verdict.loads.now)}`
  if (report.status === 'already_healthy') return { status: 'healthy', text: `${now}.` }
  if (report.status === 'repaired' && report.receipt !== undefined)
    return {
      status: 'repaired',
      text: `${now} now; before the repair it would have loaded ${formatNumber(before.loads.now)}.`,
      receipt: report.receipt,
    }
  const reason = report.error ?? verdict.reason
  const text = reason === undefined ? 'The session could not be repaired.' : `${reason.text} ${reason.hint}`
  return { status: verdict.status === 'missing' ? 'unknown' : 'failed', text }
}

function count(messages: number): string {
  return messages === 1 ? '1 message' : `${formatNumber(messages)} messages`
}
