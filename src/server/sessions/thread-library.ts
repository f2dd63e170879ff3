// What the thread of the list has published so far, so that a second scan publishes only what is new, changed or gone.

import { summaryInStore } from '../../catalog/list.ts'
import type { Summaries, Summary } from '../../catalog/summaries.ts'
import { exists } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { keyOfSession } from './key.ts'
import { isSameSession, mayPass, outdated, publishedRow } from './published-rows.ts'
import type { Outbox } from './thread-outbox.ts'

interface Told {
  session: SessionRef
  summary: Summary | undefined
  /** The summary is of this state of the session. */
  isFresh: boolean
  /** It was read in this state: a store may say much of a session, and nothing of its tokens. */
  isRead: boolean
  /** Files without any conversation are known and not listed. */
  isListed: boolean
}

export class ThreadLibrary {
  readonly #told = new Map<string, Told>()
  readonly #summaries: Summaries
  readonly #outbox: Outbox

  constructor(summaries: Summaries, outbox: Outbox, known: readonly SessionRef[]) {
    this.#summaries = summaries
    this.#outbox = outbox
    for (const session of known)
      this.#told.set(keyOfSession(session), {
        session,
        summary: undefined,
        isFresh: false,
        isRead: false,
        isListed: true,
      })
  }

  /** Tells of it where it is new or other than before. Returns whether it has to be read. */
  meet(session: SessionRef): boolean {
    const before = this.#told.get(keyOfSession(session))
    const isSame = before !== undefined && isSameSession(before.session, session)
    if (isSame && before.isFresh && before.summary !== undefined) return !before.isRead || mayPass(before.summary)
    const isUnchanged = before?.isFresh === true && before.session.identity === session.identity
    const read = (isUnchanged && before.isRead ? before.summary : undefined) ?? this.#summaries.known(session)
    const summary = withUsage(summaryInStore(session), read ?? before?.summary) ?? read
    if (summary !== undefined) this.#tell(session, summary, { isFresh: true, isRead: read !== undefined })
    else if (!isSame)
      this.#tell(session, before?.summary && outdated(before.summary), { isFresh: false, isRead: false })
    return read === undefined || mayPass(read)
  }

  /** Says whether this state of the session is still the last one seen. */
  isCurrent(session: SessionRef): boolean {
    return this.#told.get(keyOfSession(session))?.session.identity === session.identity
  }

  /** Something is shown of it already, if only from an earlier state. */
  isDescribed(session: SessionRef): boolean {
    return this.#told.get(keyOfSession(session))?.summary !== undefined
  }

  learnt(session: SessionRef, summary: Summary): void {
    const shown = withUsage(summaryInStore(session), summary) ?? summary
    if (this.isCurrent(session)) this.#tell(session, shown, { isFresh: true, isRead: true })
  }

  forget(key: string): void {
    if (!this.#told.delete(key)) return
    this.#outbox.send({ type: 'gone', keys: [key] })
  }

  /**
   * What was in these places and was not met again is gone; where a place could not be looked at as a whole (`isFailed`), only what certainly is.
   */
  dropOthers(met: ReadonlySet<string>, placeOf: (session: SessionRef) => 'looked-at' | 'failed' | 'elsewhere'): void {
    const keys: string[] = []
    for (const [key, { session, isListed }] of this.#told) {
      if (met.has(key)) continue
      const place = placeOf(session)
      if (place === 'elsewhere' || (place === 'failed' && !isCertainlyGone(session.filePath))) continue
      this.#told.delete(key)
      if (isListed) keys.push(key)
    }
    if (keys.length > 0) this.#outbox.send({ type: 'gone', keys })
  }

  #tell(session: SessionRef, summary: Summary | undefined, known: Pick<Told, 'isFresh' | 'isRead'>): void {
    const key = keyOfSession(session)
    const wasListed = this.#told.get(key)?.isListed === true
    const isListed = summary?.isWithoutConversation !== true
    this.#told.set(key, { session, summary, ...known, isListed })
    if (isListed) this.#outbox.add(publishedRow(session, summary))
    else if (wasListed) this.#outbox.send({ type: 'gone', keys: [key] })
  }
}

/** What the store says of a session, with what reading it has shown of its tokens. */
function withUsage(inStore: Summary | undefined, read: Summary | undefined): Summary | undefined {
  return inStore === undefined || read?.usage === undefined ? inStore : { ...inStore, usage: read.usage }
}

function isCertainlyGone(path: string): boolean {
  try {
    return !exists(path)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return false
  }
}
