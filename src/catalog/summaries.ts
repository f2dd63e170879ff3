// What a list shows of a session beyond what discovery knows. Read once, then cached as long as the identity
// of the session stays the same.

import { UNUSUAL_ID } from '../agents/session-ids.ts'
import { findStore, type Skim, type SkimmedSession, type Store } from '../agents/store.ts'
import { openFile } from '../disk/files/read.ts'
import type { ReadOnceFile } from '../disk/files/read-once.ts'
import { makeOpener } from '../disk/files/read-once.ts'
import { keepConnections } from '../disk/sqlite/read-database.ts'
import { seal, unseal } from '../disk/state/checksums.ts'
import type { CacheTable } from '../disk/state/state.ts'
import { openCacheTable } from '../disk/state/state.ts'
import type { Failure } from '../model/errors.ts'
import { failureOf, RethreadError } from '../model/errors.ts'
import type { Finding } from '../model/finding.ts'
import { MessageTally } from '../model/message-tally.ts'
import type { PartialCode, SessionFacts } from '../model/reading.ts'
import { isPartial } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import type { SessionUsage } from '../model/usage.ts'
import type { Context } from './context.ts'
import { agentOf, readSession, withOwnId } from './reading.ts'
import { SUMMARIES } from './summaries-table.ts'

export interface Summary
  extends Pick<SessionFacts, 'title' | 'project' | 'startedAt' | 'updatedAt' | 'subagentOf' | 'forkedFrom'> {
  messageCount: number
  /** Why the reading was partial; absent where it was complete. */
  partial?: PartialCode
  skipped: number
  /** Records were read, but none of them is a message: for example a title without its session. */
  isWithoutConversation: boolean
  /** Absent where the records state no usage. */
  usage?: SessionUsage
  failure?: Failure
}

/** How a session in a file of its own is opened. */
type Open = (path: string, storeRoot: string) => ReadOnceFile

/** The cached form. */
interface StoredSummary {
  identity: string
  summary: Summary
}

export interface Summaries {
  /** From the cache where the session is unchanged; undefined where it must be read. */
  known(session: SessionRef): Summary | undefined
  learn(session: SessionRef): Promise<Summary>
  /** All of them, in threads where that is faster. `mayBlock`: the caller waits for nothing else. */
  learnMany(
    sessions: readonly SessionRef[],
    onLearnt?: (count: number) => void,
    mayBlock?: boolean,
  ): Promise<ReadonlyMap<SessionRef, Summary>>
  /** For a caller that needs most summaries next, once each: one query instead of thousands. */
  load(): void
  close(): void
}

/** The number of summaries held in memory after `load`. The others are read one by one. */
const MAX_LOADED = 50_000

export function openSummaries(context: Context): Summaries {
  let cache = openSummaryCache(context)
  let loaded = new Map<string, string>()
  /** The loaded entries are all there were. */
  let areAllLoaded = false
  /** Their entries are newer than the loaded ones. */
  const learnt = new Set<string>()
  // A full disk must not fail the list. From then on nothing is cached.
  const attempt = (step: () => void): void => {
    try {
      step()
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
      cache = undefined
      context.log.debug('Summaries cannot be remembered.', { code: error.code, path: error.path })
    }
  }
  const remember = (session: SessionRef, summary: Summary): void => {
    const key = keyOf(session)
    loaded.delete(key)
    learnt.add(key)
    // A failure may pass (a lock, a permission), so it is not cached.
    if (summary.failure === undefined && summary.partial !== 'database-busy')
      attempt(() => cache?.set(key, seal({ identity: session.identity, summary } satisfies StoredSummary)))
  }
  return {
    known(session) {
      if (areAllLoaded && loaded.size === 0 && learnt.size === 0) return undefined
      const key = keyOf(session)
      const text = loaded.get(key) ?? (areAllLoaded && !learnt.has(key) ? undefined : cache?.get(key))
      // A sealed entry of this cache was written by `learn` below.
      const stored = text === undefined ? undefined : (unseal(text) as StoredSummary | undefined)
      return stored?.identity === session.identity ? stored.summary : undefined
    },
    async learn(session) {
      const summary = await summarize(context, session)
      remember(session, summary)
      return summary
    },
    async learnMany(sessions, onLearnt, mayBlock) {
      const { summarizeMany } = await import('./summarize-in-threads.ts')
      const found = new Map<SessionRef, Summary>()
      const note = (session: SessionRef, summary: Summary): void => {
        remember(session, summary)
        found.set(session, summary)
        onLearnt?.(found.size)
      }
      await summarizeMany(context, sessions, note, mayBlock)
      return found
    },
    load: () =>
      attempt(() => {
        loaded = cache?.all(MAX_LOADED) ?? loaded
        areAllLoaded = loaded.size < MAX_LOADED
      }),
    close: () => attempt(() => cache?.close()),
  }
}

/** Without a writable state folder, every session is read each time. */
function openSummaryCache(context: Context): CacheTable | undefined {
  try {
    return openCacheTable(context.state, SUMMARIES)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    context.log.debug('Summaries cannot be remembered.', { code: error.code, path: error.path })
    return undefined
  }
}

/** One after the other, in this thread. */
export async function summarizeEach(
  context: Context,
  sessions: readonly SessionRef[],
  onSummary: (session: SessionRef, summary: Summary) => void,
): Promise<void> {
  const open = makeOpener()
  await keepConnections(async () => {
    for (const session of sessions) onSummary(session, await summarize(context, session, open))
  })
}

/** A session that cannot be read has a summary that says so. */
export async function summarize(context: Context, session: SessionRef, open: Open = openFile): Promise<Summary> {
  try {
    return await readSummary(context, session, open)
  } catch (error) {
    const failure = failureOf(session.agent, error, session.filePath)
    return { messageCount: 0, skipped: 0, isWithoutConversation: false, failure }
  }
}

async function readSummary(context: Context, session: SessionRef, open: Open): Promise<Summary> {
  const store = findStore(agentOf(context, session), session)
  const skimmed = session.archived === undefined ? await skimSummary(store, session, open) : undefined
  if (skimmed !== undefined) return skimmed
  const reading = readSession(context, session, { isOnce: true })
  const tally = new MessageTally(store?.traits.tokens)
  for (;;) {
    const step = await reading.next()
    if (!step.done) {
      tally.add(step.value)
      continue
    }
    const { facts, counts, branches, findings } = step.value
    const isEmpty = tally.count === 0 && branches.length === 0 && counts.unknown === 0
    return {
      ...facts,
      ...tally.result(facts),
      skipped: counts.skipped,
      // A session that a check reports as damaged stays listed, however little is in it.
      isWithoutConversation: isEmpty && !isPartial(step.value) && findings.every(isAboutId),
      ...(isPartial(step.value) ? { partial: step.value.error.code } : {}),
    }
  }
}

/** Importing the module for each session would take as long as skimming it. */
const skims = new WeakMap<Store, Promise<Skim>>()

function skimOf(store: Store): Promise<Skim> | undefined {
  const skim = skims.get(store) ?? store.skim?.()
  if (skim !== undefined) skims.set(store, skim)
  return skim
}

/** Undefined for a session that has to be read: then everything about it is seen, also where nothing was said. */
async function skimSummary(store: Store | undefined, session: SessionRef, open: Open): Promise<Summary | undefined> {
  const skim = store === undefined ? undefined : await skimOf(store)
  if (skim === undefined) return undefined
  const file = open(session.filePath, session.storeRoot)
  try {
    const skimmed = skim(file, session, store?.traits.tokens)
    return skimmed && summaryOf(session, skimmed)
  } finally {
    file.close()
  }
}

/** Undefined where nothing was said: such a session is read. */
function summaryOf(session: SessionRef, { facts, messageCount, usage }: SkimmedSession): Summary | undefined {
  if (messageCount === 0) return undefined
  const summary: Summary = { ...withOwnId(facts, session), messageCount, skipped: 0, isWithoutConversation: false }
  if (usage !== undefined) summary.usage = usage
  return summary
}

/** A finding on the id does not turn a file without messages into a conversation. */
function isAboutId({ damage }: Finding): boolean {
  return damage === UNUSUAL_ID
}

function keyOf(session: SessionRef): string {
  return `${session.agent}\n${session.filePath}\n${session.sessionId}`
}
