// Verdicts, cached until anything they were made from changes. The cache is derived: it may be deleted and is
// never a reason to fail.
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import { isExamined } from '../../model/verdict.ts'
import { removeCachedIndex } from '../scan/index-cache.ts'
import { openBestEffortCache } from './best-effort-cache.ts'
import type { Origin } from './origin.ts'
import { hasAllMarks, isUnchanged, sessionKey } from './origin.ts'
import { RULES_VERSION } from './rules-version.ts'
import { formatVerdict, parseVerdict, verdictOn } from './stored-verdict.ts'

/** The number of verdicts held in memory after `load`. The others are read one by one. */
const MAX_LOADED = 50_000

export interface Verdicts {
  /**
   * The verdict on a session that has not changed; undefined where it must be checked. Stats the session's
   * files but opens none.
   */
  get(session: SessionRef): Verdict | undefined
  /**
   * `origin` was taken before the check started to read. A verdict that may change without a change of the
   * file is not cached, and removes an older one.
   */
  set(session: SessionRef, verdict: Verdict, origin: Origin): void
  /** Must be called before a session is changed, and after a repair that failed. */
  invalidate(session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>): void
  /** For a caller that reads most verdicts next, once each: one query instead of thousands. */
  load(): void
  close(): void
}

/**
 * The incomplete end of a file becomes damage as soon as its writer is dead, without a change of the file.
 */
function isUnfinished(verdict: Verdict): boolean {
  return verdict.findings.some(({ severity }) => severity === 'updating')
}

export function openVerdicts(state: string, rules = RULES_VERSION): Verdicts {
  const cache = openBestEffortCache(state, 'verdicts')
  let loaded = new Map<string, string>()
  /** A loaded entry is used once: the next request may come much later. */
  const take = (key: string): string | undefined => {
    const text = loaded.get(key)
    loaded.delete(key)
    return text ?? cache.attempt(opened => opened.get(key))
  }
  const forget = (key: string): void => {
    loaded.delete(key)
    cache.attempt(opened => opened.delete(key))
  }
  return {
    get(session) {
      const text = take(sessionKey(session))
      const stored = text === undefined ? undefined : parseVerdict(text)
      if (stored === undefined || stored.rules !== rules || !isUnchanged(stored.origin, session)) return undefined
      return verdictOn(session, stored)
    },
    set(session, verdict, origin) {
      const key = sessionKey(session)
      if (!isExamined(verdict) || isUnfinished(verdict) || !hasAllMarks(origin)) return forget(key)
      loaded.delete(key)
      cache.attempt(opened => opened.set(key, formatVerdict(verdict, origin, rules)))
    },
    invalidate(session) {
      forget(sessionKey(session))
      removeCachedIndex(state, session)
    },
    load() {
      loaded = cache.attempt(opened => opened.all(MAX_LOADED)) ?? loaded
    },
    close() {
      loaded.clear()
      cache.close()
    },
  }
}
