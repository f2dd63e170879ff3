// The sessions that the list thread has published, so that another scan publishes only new, changed and gone
// ones.

import { summaryInStore } from '../../../catalog/list.ts'
import type { Summaries, Summary } from '../../../catalog/summaries.ts'
import { exists } from '../../../disk/files/read.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import { keyOfSession } from '../key.ts'
import type { Outbox } from './outbox.ts'
import { isSameSession, mayPass, outdated, publishedRow } from './published-rows.ts'

interface Published {
  session: SessionRef
  summary: Summary | undefined
  /** The summary is of this state of the session. */
  isFresh: boolean
  /** The session was read in this state. A store knows much of a session but not its tokens. */
  isRead: boolean
  /** Files without any conversation are known and not listed. */
  isListed: boolean
}

export class ThreadCatalog {
  readonly #published = new Map<string, Published>()
  readonly #summaries: Summaries
  readonly #outbox: Outbox

  constructor(summaries: Summaries, outbox: Outbox, known: readonly SessionRef[]) {
    this.#summaries = summaries
    this.#outbox = outbox
    for (const session of known)
      this.#published.set(keyOfSession(session), {
        session,
        summary: undefined,
        isFresh: false,
        isRead: false,
        isListed: true,
      })
  }

  /** Publishes a new or changed session. Returns whether it has to be read. */
  meet(session: SessionRef): boolean {
    const before = this.#published.get(keyOfSession(session))
    const isSame = before !== undefined && isSameSession(before.session, session)
    if (isSame && before.isFresh && before.summary !== undefined) return !before.isRead || mayPass(before.summary)
    const isUnchanged = before?.isFresh === true && before.session.identity === session.identity
    const read = (isUnchanged && before.isRead ? before.summary : undefined) ?? this.#summaries.known(session)
    const summary = withUsage(summaryInStore(session), read ?? before?.summary) ?? read
    if (summary !== undefined) this.#publish(session, summary, { isFresh: true, isRead: read !== undefined })
    else if (!isSame)
      this.#publish(session, before?.summary && outdated(before.summary), { isFresh: false, isRead: false })
    return read === undefined || mayPass(read)
  }

  /** Whether this is still the last known state of the session. */
  isCurrent(session: SessionRef): boolean {
    return this.#published.get(keyOfSession(session))?.session.identity === session.identity
  }

  /** Whether a summary is shown already, if only of an earlier state. */
  isDescribed(session: SessionRef): boolean {
    return this.#published.get(keyOfSession(session))?.summary !== undefined
  }

  learnt(session: SessionRef, summary: Summary): void {
    const shown = withUsage(summaryInStore(session), summary) ?? summary
    if (this.isCurrent(session)) this.#publish(session, shown, { isFresh: true, isRead: true })
  }

  forget(key: string): void {
    if (!this.#published.delete(key)) return
    this.#outbox.send({ type: 'gone', keys: [key] })
  }

  /**
   * Sessions of scanned places that were not found again are gone. In a place whose scan
   * failed, a session is gone only if its file is.
   */
  dropOthers(met: ReadonlySet<string>, placeOf: (session: SessionRef) => 'scanned' | 'failed' | 'other-store'): void {
    const keys: string[] = []
    for (const [key, { session, isListed }] of this.#published) {
      if (met.has(key)) continue
      const place = placeOf(session)
      if (place === 'other-store' || (place === 'failed' && !isCertainlyGone(session.filePath))) continue
      this.#published.delete(key)
      if (isListed) keys.push(key)
    }
    if (keys.length > 0) this.#outbox.send({ type: 'gone', keys })
  }

  #publish(session: SessionRef, summary: Summary | undefined, known: Pick<Published, 'isFresh' | 'isRead'>): void {
    const key = keyOfSession(session)
    const wasListed = this.#published.get(key)?.isListed === true
    const isListed = summary?.isWithoutConversation !== true
    this.#published.set(key, { session, summary, ...known, isListed })
    if (isListed) this.#outbox.add(publishedRow(session, summary))
    else if (wasListed) this.#outbox.send({ type: 'gone', keys: [key] })
  }
}

/** The store's own summary, with the tokens that reading the session found. */
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
