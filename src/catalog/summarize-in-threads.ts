// Summaries of many sessions that were never read: several threads read them.

import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { findStore } from '../agents/store.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import { sharedBytes } from '../model/shared-bytes.ts'
import { batchesOf, shareBatches } from '../threads/batches.ts'
import { ThreadPool, workerFile } from '../threads/pool.ts'
import type { Context } from './context.ts'
import { placesOf } from './context.ts'
import type { Summary } from './summaries.ts'
import { summarize, summarizeEach } from './summaries.ts'
import type { SummaryCalls } from './summary-worker.ts'

/** Below this size, starting threads takes longer than reading. */
const WORTH_THREADS_BYTES = 16 * 1024 * 1024
const SKIMMED_SHARE = 1 / 8
const MAX_THREADS = 8
const CALLS_PER_THREAD = 2
/** With less room for young objects, those of a parsed record would be collected too often. */
const MEMORY = { maxYoungGenerationSizeMb: 16 }

type OnSummary = (session: SessionRef, summary: Summary) => void

/**
 * In this thread alone where others would take longer to start than to read. `onSummary` is called for each session, in
 * no particular order. `mayBlock`: the caller waits for nothing else, so this thread reads too.
 */
export async function summarizeMany(
  context: Context,
  found: readonly SessionRef[],
  onSummary: OnSummary,
  mayBlock = false,
): Promise<void> {
  const sessions = groupByStore(found)
  if (isWorthThreads(context, sessions, mayBlock))
    return await summarizeInThreads(context, sessions, onSummary, mayBlock)
  for (const batch of batchesOf(sessions)) {
    await summarizeEach(context, batch, onSummary)
    // So that an interrupt is noticed.
    await setImmediate()
  }
}

/**
 * Then a database with many sessions is opened once, and V8 compiles most readers in one thread alone. Files are in the
 * order of their paths, in which they are opened and cached faster.
 */
function groupByStore(sessions: readonly SessionRef[]): SessionRef[] {
  const stores = new Map<string, SessionRef[]>()
  for (const session of sessions) {
    const key = `${session.agent}\n${session.generation}\n${session.storeRoot}`
    const known = stores.get(key)
    if (known === undefined) stores.set(key, [session])
    else known.push(session)
  }
  return [...stores.values()].flatMap(inStore =>
    inStore.sort(({ filePath: one }, { filePath: other }) => (one < other ? -1 : one === other ? 0 : 1)),
  )
}

function isWorthThreads(context: Context, sessions: readonly SessionRef[], mayBlock: boolean): boolean {
  const bytesOf = sharedBytes(sessions)
  const share = (session: SessionRef): number => (mayBlock ? shareRead(context, session) : 1)
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session) * share(session), 0)
  return availableParallelism() > 1 && bytes > WORTH_THREADS_BYTES
}

/** A session that is skimmed takes as long as a shorter one that is read. */
function shareRead(context: Context, session: SessionRef): number {
  const agent = context.agents.find(({ id }) => id === session.agent)
  return findStore(agent, session)?.skim === undefined ? 1 : SKIMMED_SHARE
}

export async function summarizeInThreads(
  context: Context,
  sessions: readonly SessionRef[],
  onSummary: OnSummary,
  mayBlock = false,
): Promise<void> {
  const count = Math.max(1, Math.min(availableParallelism(), MAX_THREADS) - (mayBlock ? 1 : 0))
  const threads = new ThreadPool<SummaryCalls>({
    file: workerFile(import.meta.url, 'summary-worker'),
    size: count,
    callsPerThread: CALLS_PER_THREAD,
    data: () => placesOf(context),
    memory: MEMORY,
    died: (_, cause) => readerDied(cause),
  })
  const run = async (batch: SessionRef[]): Promise<void> => {
    const { summaries, skipped } = await threads.call('summarize', batch)
    for (const { agent, sessionId, finding } of skipped) context.log.skip(agent, sessionId, finding)
    for (const [place, session] of batch.entries())
      onSummary(session, summaries[place] ?? (await summarize(context, session)))
  }
  try {
    await shareBatches(sessions, {
      lanes: count * CALLS_PER_THREAD,
      there: batch => runOrAlone(context, batch, run, onSummary),
      here: mayBlock ? batch => summarizeEach(context, batch, onSummary) : undefined,
    })
  } finally {
    await threads.close()
  }
}

/** Where a thread died, its sessions are read here: the failure of one is then the failure of that one. */
async function runOrAlone(
  context: Context,
  batch: SessionRef[],
  run: (batch: SessionRef[]) => Promise<void>,
  onSummary: OnSummary,
): Promise<void> {
  try {
    await run(batch)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    await summarizeEach(context, batch, onSummary)
  }
}

function readerDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `A thread that read sessions failed: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Run the command again with --log-level debug and report what the log says.',
    cause,
  })
}
