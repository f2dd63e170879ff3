// Verdicts, remembered as long as nothing that they were made from has changed. Derived, so it may be deleted, and never a reason to fail.
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import { isExamined } from '../../model/verdict.ts'
import { forgetIndex } from '../scan/index-cache.ts'
import { openBestEffortCache } from './best-effort-cache.ts'
import type { Origin } from './origin.ts'
import { isKnown, isUnchanged, keyOf } from './origin.ts'
import { RULES_VERSION } from './rules-version.ts'
import { formatVerdict, parseVerdict, verdictOn } from './stored-verdict.ts'

/** So many are held in memory after `load`; the others are asked for one by one. */
const MAX_LOADED = 50_000

export interface Verdicts {
  /** The verdict on a session that has not changed since; undefined where it has to be checked. Looks at the session's files, but opens none. */
  get(session: SessionRef): Verdict | undefined
  /** `origin` was taken before the check began to read. A verdict that does not last is not kept, nor is the one before it. */
  set(session: SessionRef, verdict: Verdict, origin: Origin): void
  /** To be called before a session is written to, and after a repair that failed. */
  invalidate(session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>): void
  /** For whoever asks for most of them next, once each: one reading in place of thousands. */
  load(): void
  close(): void
}

/** The end of a file that is being written is damage as soon as its writer is dead, and the file stays the same. */
function isUnfinished(verdict: Verdict): boolean {
  return verdict.findings.some(({ severity }) => severity === 'updating')
}

export function openVerdicts(state: string, rules = RULES_VERSION): Verdicts {
  const shelf = openBestEffortCache(state, 'verdicts')
  let loaded = new Map<string, string>()
  /** What was loaded is used once: a second question may come much later. */
  const take = (key: string): string | undefined => {
    const text = loaded.get(key)
    loaded.delete(key)
    return text ?? shelf.attempt(opened => opened.get(key))
  }
  const forget = (key: string): void => {
    loaded.delete(key)
    shelf.attempt(opened => opened.delete(key))
  }
  return {
    get(session) {
      const text = take(keyOf(session))
      const stored = text === undefined ? undefined : parseVerdict(text)
      if (stored === undefined || stored.rules !== rules || !isUnchanged(stored.origin, session)) return undefined
      return verdictOn(session, stored)
    },
    set(session, verdict, origin) {
      const key = keyOf(session)
      if (!isExamined(verdict) || isUnfinished(verdict) || !isKnown(origin)) return forget(key)
      loaded.delete(key)
      shelf.attempt(opened => opened.set(key, formatVerdict(verdict, origin, rules)))
    },
    invalidate(session) {
      forget(keyOf(session))
      forgetIndex(state, session)
    },
    load() {
      loaded = shelf.attempt(opened => opened.all(MAX_LOADED)) ?? loaded
    },
    close() {
      loaded.clear()
      shelf.close()
    },
  }
}
