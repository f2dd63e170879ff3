// The sessions that this process has open, and those that its store keeps.
import { randomUUID } from 'node:crypto'
import type { ListSessionsResponse, SessionInfo } from '@agentclientprotocol/sdk/unstable'
import { RequestError } from '@agentclientprotocol/sdk/unstable'
import type { MockStore } from '../disk/state/mock-store.ts'
import type { StoredSession } from './records.ts'
import { readRecords } from './records.ts'
import { Session } from './session.ts'

const PAGE_SESSIONS = 50

export class Sessions {
  readonly #open = new Map<string, Session>()
  readonly #store: MockStore | undefined

  constructor(store: MockStore | undefined) {
    this.#store = store
  }

  create(cwd: string): Session {
    const session = new Session(`mock-${randomUUID()}`, cwd, this.#store)
    session.save()
    this.#open.set(session.id, session)
    return session
  }

  /** One that was made or opened by this process. */
  find(id: string): Session {
    const session = this.#open.get(id)
    if (session === undefined) throw RequestError.sessionNotFound(id)
    return session
  }

  /** As the store has it now. */
  open(id: string, cwd: string): Session {
    const stored = this.#read(id)
    this.close(id)
    const session = new Session(id, cwd, this.#store)
    session.remember(stored.entries)
    session.isFreshlyOpened = true
    this.#open.set(id, session)
    return session
  }

  fork(id: string, cwd: string): Session {
    const { entries } = this.#open.get(id) ?? this.#read(id)
    const session = this.create(cwd)
    for (const { role, updates } of entries) session.add(role, updates)
    return session
  }

  close(id: string): void {
    this.#open.get(id)?.cancel?.()
    this.#open.delete(id)
  }

  remove(id: string): void {
    this.close(id)
    this.#store?.remove(id)
  }

  list(cwd: string | null | undefined, cursor: string | null | undefined): ListSessionsResponse {
    const all = (this.#store?.list() ?? [])
      .map(({ id, modified }) => this.#describe(id, modified))
      .filter(session => cwd === undefined || cwd === null || session.cwd === cwd)
    const from = Number(cursor ?? 0)
    const end = from + PAGE_SESSIONS
    return { sessions: all.slice(from, end), ...(end < all.length ? { nextCursor: String(end) } : {}) }
  }

  #describe(id: string, modified: Date): SessionInfo {
    const { cwd, entries } = this.#read(id)
    const session = new Session(id, cwd, undefined)
    session.remember(entries)
    return { sessionId: id, cwd, title: session.title, updatedAt: modified.toISOString() }
  }

  #read(id: string): StoredSession {
    const bytes = this.#store?.read(id)
    if (bytes === undefined) throw RequestError.sessionNotFound(id)
    const stored = readRecords(bytes)
    if (stored.skipped > 0) process.stderr.write(`mock agent: ${stored.skipped} unreadable lines in ${id}\n`)
    return stored
  }
}
