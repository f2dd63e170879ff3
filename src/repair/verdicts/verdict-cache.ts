// Verdicts, cached until anything they were made from changes. The cache is derived: it may be deleted and is
// never a reason to fail.

import { type CacheTable, clearCacheTable, openCacheTable } from '../../disk/state/state.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { isExamined, type Verdict } from '../../model/verdict.ts'
import { removeCachedIndex } from '../scan/index-cache.ts'
import { VERDICTS } from './last-verdicts.ts'
import { hasAllMarks, isOutdated, isUnchanged, type Marks, type Origin, parseSessionKey, sessionKey } from './origin.ts'
import { RULES_VERSION } from './rules-version.ts'
import { formatVerdict, parseVerdict } from './stored-verdict.ts'

/** The number of verdicts held in memory after `load`. The others are read one by one. */
const MAX_LOADED = 50_000
/** In the place of a loaded entry that is not used again. */
const USED = ''

export interface Verdicts {
  /**
   * The verdict on a session that has not changed; undefined where it must be checked. Stats the session's
   * files but opens none.
   */
  get(session: SessionRef): Verdict | undefined
  /** The same, with the project folder if the check knew it. */
  find(session: SessionRef): CachedVerdict | undefined
  /** The same; and whether no verdict of today can become that of this session again, whatever else changes back. */
  look(session: SessionRef): { found: CachedVerdict | undefined; isOver: boolean }
  /**
   * `origin` was taken before the check started to read. A verdict that may change without a change of the
   * file is not cached, and removes an older one.
   */
  set(session: SessionRef, verdict: Verdict, origin: Origin, project?: string): void
  /** Must be called before a session is changed, and after a repair that failed. */
  invalidate(session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>): void
  /**
   * For a caller that reads most verdicts next, once each: one query instead of thousands. `areJustFound`: the
   * sessions are as they are on the disk, so their own files need not be statted again, and shared ones once.
   */
  load(areJustFound?: boolean): void
  /** For `changedSince`. Undefined where later changes cannot be noted. */
  mark(): string | undefined
  /** The sessions whose verdicts were set or removed since, also by other processes. Undefined if that is not known. */
  changedSince(mark: string): SessionKey[] | undefined
  close(): void
}

export type SessionKey = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>

export interface CachedVerdict {
  verdict: Verdict
  /** Unchanged. */
  origin: Origin
  project?: string
}

/**
 * The incomplete end of a file becomes damage as soon as its writer is dead, without a change of the file.
 */
function mayBecomeDamage(verdict: Verdict): boolean {
  return verdict.findings.some(({ severity }) => severity === 'updating')
}

export interface VerdictCacheOptions {
  /** For a caller that sets many verdicts: a crash may lose the last ones. */
  isWrittenInBatches?: boolean
}

export function openVerdicts(
  state: string,
  rules = RULES_VERSION,
  { isWrittenInBatches = false }: VerdictCacheOptions = {},
): Verdicts {
  const cache = openBestEffortCache(state, VERDICTS, !isWrittenInBatches)
  let loaded = new Map<string, string>()
  /** The loaded entries are all there are. */
  let areAllLoaded = false
  /** The marks of files for loaded entries. */
  let marks: Marks | undefined
  /** A loaded entry is used once: the next request may come much later. */
  const take = (key: string): { text: string | undefined; known: Marks | undefined } => {
    const text = loaded.get(key)
    if (text === undefined && areAllLoaded) return { text, known: marks }
    loaded.set(key, USED)
    return text === undefined || text === USED
      ? { text: cache.attempt(opened => opened.get(key)), known: undefined }
      : { text, known: marks }
  }
  const forget = (key: string): void => {
    loaded.set(key, USED)
    cache.attempt(opened => opened.delete(key))
  }
  const look: Verdicts['look'] = session => {
    const { text, known } = take(sessionKey(session))
    const stored = text === undefined ? undefined : parseVerdict(text, session, rules)
    if (stored === undefined) return { found: undefined, isOver: true }
    if (isUnchanged(stored.origin, session, known)) return { found: stored, isOver: false }
    return { found: undefined, isOver: isOutdated(stored.origin, session) }
  }
  const find = (session: SessionRef): CachedVerdict | undefined => look(session).found
  return {
    get: session => find(session)?.verdict,
    find,
    look,
    set(session, verdict, origin, project) {
      const key = sessionKey(session)
      if (!isExamined(verdict) || mayBecomeDamage(verdict) || !hasAllMarks(origin)) return forget(key)
      loaded.set(key, USED)
      cache.attempt(opened => opened.set(key, formatVerdict(verdict, origin, rules, project)))
    },
    invalidate(session) {
      forget(sessionKey(session))
      removeCachedIndex(state, session)
    },
    load(areJustFound = false) {
      loaded = cache.attempt(opened => opened.all(MAX_LOADED)) ?? loaded
      areAllLoaded = areJustFound && loaded.size < MAX_LOADED
      marks = areJustFound ? new Map() : undefined
    },
    mark: () => cache.attempt(opened => opened.mark()),
    changedSince: mark => cache.attempt(opened => opened.changedSince(mark))?.map(parseSessionKey),
    close() {
      loaded.clear()
      areAllLoaded = false
      cache.close()
    },
  }
}

interface BestEffortCache {
  /** Returns undefined where the cache cannot be used. */
  attempt<T>(step: (cache: CacheTable) => T): T | undefined
  close(): void
}

/**
 * A cache that never fails its caller. A damaged cache is recreated. A locked one, or one on a full disk,
 * is disabled from then on.
 */
function openBestEffortCache(state: string, name: string, isWrittenAtOnce: boolean): BestEffortCache {
  const open = (): CacheTable => openCacheTable(state, name, { isWrittenAtOnce })
  let cache = bestEffort(open)
  const recreateOrDisable = (error: RethreadError): void => {
    closeQuietly(cache)
    cache = hasErrorCode(error, 'database-corrupt') ? bestEffort(recreate) : undefined
  }
  const recreate = (): CacheTable => {
    clearCacheTable(state, name)
    return open()
  }
  return {
    attempt(step) {
      const opened = cache
      return opened === undefined ? undefined : bestEffort(() => step(opened), recreateOrDisable)
    },
    close() {
      closeQuietly(cache)
      cache = undefined
    },
  }
}

function bestEffort<T>(step: () => T, recreateOrDisable?: (error: RethreadError) => void): T | undefined {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    recreateOrDisable?.(error)
    return undefined
  }
}

/** A failed close loses nothing that could not be checked again. */
function closeQuietly(cache: CacheTable | undefined): void {
  try {
    cache?.close()
  } catch {
    // A damaged cache cannot always be closed.
  }
}
