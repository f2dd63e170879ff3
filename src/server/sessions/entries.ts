// The sessions in the memory of the server: rows from the list thread,
// with the results of checks and terminals since.

import type { Labels } from '../../disk/state/labels.ts'
import { labelsOf } from '../../disk/state/labels.ts'
import type { Failure } from '../../model/errors.ts'
import { withLabel } from '../../model/label.ts'
import type { SessionRef } from '../../model/session.ts'
import type { MonthlyUsage } from '../../model/usage.ts'
import type { Loads } from '../../model/verdict.ts'
import type { SessionRow, SessionStatus } from '../api.ts'
import { keyOfSession } from './key.ts'
import type { PublishedRow } from './list-thread/messages.ts'

export interface ServedSession {
  key: string
  session: SessionRef
  row: SessionRow
}

export interface StatusFacts {
  status: SessionStatus
  loads?: Loads
  findings?: number
}

export interface Entry extends ServedSession {
  /** Milliseconds since 1970, of the row. */
  time: number
  isSubagent: boolean
  failure: Failure | undefined
  usageByMonth: MonthlyUsage | undefined
  /** Made when it is first needed, and again after the row changed. */
  derived: { search?: string; title?: string; day?: string }
}

interface Known {
  entry: Entry
  published: PublishedRow
  checked: { identity: string; facts: StatusFacts } | undefined
  terminalId: string | undefined
  /** The thread saw it locked or unreadable after the last status was set. */
  isTroubled: boolean
}

function isAlready({ entry, checked, isTroubled }: Known, facts: StatusFacts): boolean {
  if (isTroubled || checked?.identity !== entry.session.identity) return false
  const { status, loads, findings } = checked.facts
  const isLoading = loads?.now === facts.loads?.now && loads?.afterRepair === facts.loads?.afterRepair
  return status === facts.status && findings === facts.findings && isLoading
}

function newEntry({ session, row }: PublishedRow): Entry {
  const nothing = { failure: undefined, usageByMonth: undefined, derived: {} }
  return { key: row.key, session, row, time: 0, isSubagent: false, ...nothing }
}

/** With more changes than this, sorting everything again is faster. */
const MAX_MOVED = 2000
/**
 * The number of removed sessions to remember, so that a client
 * that still shows one learns what happened to it.
 */
const MAX_GONE = 1000

export class Entries {
  readonly #known = new Map<string, Known>()
  readonly #byId = new Map<string, Set<Entry>>()
  /** In the order of their removal. */
  readonly #gone = new Map<string, SessionRef>()
  #labels: Labels = labelsOf(new Map())
  /** Grows with every change. */
  revision = 0
  /** The keys of added, removed and moved sessions, in this order. Dropped ones are counted. */
  #moved: string[] = []
  #movedBefore = 0

  /** Grows when the order of sessions may have changed. */
  get structure(): number {
    return this.#movedBefore + this.#moved.length
  }

  /** Undefined if that was too long ago. */
  movedSince(structure: number): Set<string> | undefined {
    return structure < this.#movedBefore ? undefined : new Set(this.#moved.slice(structure - this.#movedBefore))
  }

  get(key: string): Entry | undefined {
    return this.#known.get(key)?.entry
  }

  /**
   * The row of a removed session. Undefined if the session
   * exists, never existed, or was removed too long ago.
   */
  gone(key: string): SessionRef | undefined {
    return this.#gone.get(key)
  }

  withId(sessionId: string): Iterable<Entry> {
    return this.#byId.get(sessionId) ?? []
  }

  *all(): Generator<Entry, void, void> {
    for (const { entry } of this.#known.values()) yield entry
  }

  putAll(rows: readonly PublishedRow[]): void {
    for (const row of rows) this.#put(row)
  }

  removeAll(keys: readonly string[]): void {
    for (const key of keys) this.#remove(key)
  }

  #put(published: PublishedRow): void {
    const { key } = published.row
    const before = this.#known.get(key)
    const known: Known = before ?? {
      entry: newEntry(published),
      published: published,
      checked: undefined,
      terminalId: undefined,
      isTroubled: false,
    }
    known.published = published
    known.isTroubled = published.trouble !== undefined
    known.entry.session = published.session
    known.entry.failure = published.failure
    known.entry.usageByMonth = published.usageByMonth
    known.entry.isSubagent = published.row.subagentOf !== undefined
    known.entry.time = Date.parse(published.row.updatedAt)
    known.entry.derived = {}
    if (known.checked?.identity !== published.session.identity) known.checked = undefined
    if (before === undefined) this.#add(key, known)
    this.#show(known)
    this.#move(key)
  }

  /** From the file itself, until the thread reports the row. */
  renew(session: SessionRef): void {
    const known = this.#known.get(keyOfSession(session))
    if (known === undefined) return
    const updatedAt = new Date(session.updatedAt).toISOString()
    const { usageByMonth } = known.published
    const usage = usageByMonth === undefined ? {} : { usageByMonth }
    this.#put({
      session,
      row: { ...known.published.row, updatedAt, fileSize: session.ownBytes ?? session.fileSize },
      ...usage,
    })
  }

  #remove(key: string): void {
    const known = this.#known.get(key)
    if (known === undefined) return
    this.#known.delete(key)
    this.#remember(key, known.entry.session)
    const { sessionId } = known.entry.session
    const sameId = this.#byId.get(sessionId)
    sameId?.delete(known.entry)
    if (sameId?.size === 0) this.#byId.delete(sessionId)
    this.#move(key)
    this.revision++
  }

  /** Something outside the sessions has changed that clients get with them. */
  touch(): void {
    this.revision++
  }

  setStatus(key: string, facts: StatusFacts): void {
    const known = this.#known.get(key)
    if (known === undefined || isAlready(known, facts)) return
    known.checked = { identity: known.entry.session.identity, facts }
    known.isTroubled = false
    this.#show(known)
  }

  setTerminal(key: string, terminalId: string | undefined): void {
    const known = this.#known.get(key)
    if (known === undefined || known.terminalId === terminalId) return
    known.terminalId = terminalId
    this.#show(known)
  }

  setLabels(labels: Labels): void {
    const before = this.#labels
    this.#labels = labels
    for (const [key, known] of this.#known) {
      const { session } = known.entry
      if (JSON.stringify(before.get(session)) === JSON.stringify(labels.get(session))) continue
      known.entry.derived = {}
      this.#show(known)
      this.#move(key)
    }
  }

  #move(key: string): void {
    this.#moved.push(key)
    if (this.#moved.length <= MAX_MOVED) return
    this.#movedBefore += this.#moved.length
    this.#moved = []
  }

  #remember(key: string, session: SessionRef): void {
    this.#gone.delete(key)
    this.#gone.set(key, session)
    for (const oldest of this.#gone.keys()) {
      if (this.#gone.size <= MAX_GONE) return
      this.#gone.delete(oldest)
    }
  }

  #add(key: string, known: Known): void {
    this.#gone.delete(key)
    this.#known.set(key, known)
    const { sessionId } = known.entry.session
    const sameId = this.#byId.get(sessionId) ?? new Set()
    this.#byId.set(sessionId, sameId.add(known.entry))
  }

  /** Makes a new row each time, because callers may hold the old one. */
  #show({ entry, published, checked, terminalId, isTroubled }: Known): void {
    const { trouble } = published
    // A locked database is newer than any check. A file that could not
    // be read once does not outweigh a later check.
    const isOverruled = isTroubled && (trouble === 'busy' || checked === undefined)
    const facts = isOverruled && trouble !== undefined ? { status: trouble } : checked?.facts
    const row = withLabel(published.row, this.#labels.get(published.session))
    entry.row = { ...row, ...facts, ...(terminalId === undefined ? {} : { terminalId }) }
    this.revision++
  }
}
