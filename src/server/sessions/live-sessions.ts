// The sessions in memory, kept up to date by the thread of the
// list. Nothing here waits for a disk but a stat.

import type { Context } from '../../catalog/context.ts'
import type { Log } from '../../catalog/log.ts'
import { statIfThere } from '../../disk/files/handles.ts'
import { identityOf } from '../../disk/files/read.ts'
import { labelsIdentity, labelsOf } from '../../disk/state/labels.ts'
import type { Failure } from '../../model/errors.ts'
import { failureOf, hasErrorCode } from '../../model/errors.ts'
import type { LabelChange } from '../../model/label.ts'
import type { SessionRef } from '../../model/session.ts'
import { isOneFile } from '../../repair/verdicts/origin.ts'
import type { StartThread } from '../../threads/options.ts'
import type { ApiAgent, ApiReceipt, Counts, Progress, SessionsPage, SessionsQuery } from '../api.ts'
import { countEntries } from './counts.ts'
import type { Entry, ServedSession, StatusFacts } from './entries.ts'
import { Entries } from './entries.ts'
import { collectFailures } from './failures.ts'
import type { AgentFacts } from './list-thread/messages.ts'
import type { ListThread, ThreadParts } from './list-thread/thread.ts'
import { openListThread, threadDied } from './list-thread/thread.ts'
import type { NeedsDecision } from './needs-decision.ts'
import { makeNeedsDecision } from './needs-decision.ts'
import { makeNotices } from './notices.ts'
import { makeOverview, type OverviewFigures } from './overview.ts'
import type { Pages } from './pages.ts'
import { makePages } from './pages.ts'
import { makeRounds } from './rounds.ts'
import type { SessionCatalog } from './sessions.ts'

export interface SessionsParts {
  context: Context
  log?: Pick<Log, 'debug'>
  /** Starts the thread. A test replaces it with one that dies. */
  startWorker?: StartThread
}

type Published = Parameters<ThreadParts['onMessage']>[0]

export class LiveSessions implements SessionCatalog {
  readonly #entries = new Entries()
  readonly #notices = makeNotices()
  readonly #firstAgents = Promise.withResolvers<void>()
  readonly #scans = new Map<string, () => Promise<void>>()
  readonly #pages: Pages
  readonly #needsDecision: NeedsDecision
  readonly #thread: ListThread
  readonly #log: Pick<Log, 'debug'>
  #agents: AgentFacts[] | undefined
  #failuresOfStores: Failure[] = []
  #failureOfLabels: Failure[] = []
  /** The identity of the labels that are shown or requested. */
  #labelsIdentity = 'none'
  #death: Failure | undefined
  #progress: Progress = { phase: 'finding', done: 0, total: 0, bytesDone: 0, bytesTotal: 0 }
  /** The counts of this revision. */
  #counted: { revision: number; counts: Counts; failures: Failure[] } | undefined

  readonly refresh: () => Promise<void> = makeRounds(() => this.#scanAll())

  readonly #state: string

  constructor({ context, log, startWorker }: SessionsParts) {
    this.#state = context.state
    this.#log = log ?? context.log
    this.#needsDecision = makeNeedsDecision(context.agents)
    this.#pages = makePages(this.#entries, new Map(context.agents.map(({ id, title }) => [id, title])))
    this.#thread = openListThread({
      context,
      known: () => [...this.#entries.all()].map(({ session }) => session),
      onMessage: message => this.#hear(message),
      onDeath: (cause, reading) => this.#noteDeath(cause, reading),
      ...(startWorker === undefined ? {} : { start: startWorker }),
    })
  }

  get revision(): number {
    return this.#entries.revision
  }

  get progress(): Progress {
    return this.#progress
  }

  get failures(): readonly Failure[] {
    return this.#count().failures
  }

  get(key: string): ServedSession | undefined {
    return this.#entries.get(key)
  }

  gone(key: string): SessionRef | undefined {
    return this.#entries.gone(key)
  }

  find(name: string): ServedSession | undefined {
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    let newest: Entry | undefined
    for (const entry of this.#entries.withId(name)) if (newest === undefined || newest.time < entry.time) newest = entry
    return newest
  }

  all(): Iterable<ServedSession> {
    return this.#entries.all()
  }

  query(query: SessionsQuery): SessionsPage {
    this.#renewLabels()
    const { entries, total, nextCursor } = this.#pages.page(query)
    const { counts, failures } = this.#count()
    const { revision, progress } = this
    return { sessions: entries.map(({ row }) => row), total, nextCursor, counts, failures, progress, revision }
  }

  counts(): Counts {
    return this.#count().counts
  }

  overview(receipts: readonly ApiReceipt[]): OverviewFigures {
    const entries = [...this.#entries.all()].filter(({ row }) => row.hidden !== true)
    return makeOverview({ entries, counts: this.counts(), agents: this.#agents ?? [], receipts, now: Date.now() })
  }

  async agents(): Promise<ApiAgent[]> {
    if (this.#agents === undefined) await Promise.race([this.#firstAgents.promise, this.refresh()])
    if (this.#agents === undefined) throw threadDied(this.#death?.text)
    return this.#agents.map(({ deletesFrom: _, ...agent }) => agent)
  }

  async renew(key: string): Promise<ServedSession | undefined> {
    const session = this.#entries.get(key)?.session
    if (session === undefined) return await this.#renewGone(key)
    if (isOneFile(session) && session.isFromMemory !== true) return await this.#renewFile(key, session)
    await this.#scan(session)
    return this.#entries.get(key)
  }

  async scanStore(agent: string, root: string): Promise<void> {
    await this.#scan({ agent, storeRoot: root })
  }

  setStatus(key: string, facts: StatusFacts): void {
    this.#change(() => this.#entries.setStatus(key, facts))
  }

  async label(key: string, change: LabelChange): Promise<void> {
    const session = this.#entries.get(key)?.session
    if (session === undefined) return
    const { agent, sessionId } = session
    await this.#thread.call('label', { session: { agent, sessionId }, change })
  }

  setTerminal(key: string, terminalId: string | undefined): void {
    this.#change(() => this.#entries.setTerminal(key, terminalId))
  }

  on(event: 'changed', listener: () => void): () => void
  on(event: 'progress', listener: (progress: Progress) => void): () => void
  on(event: 'changed' | 'progress', listener: (progress: Progress) => void): () => void {
    if (event === 'progress') return this.#notices.onProgress(listener)
    return this.#notices.onChanged(() => listener(this.#progress))
  }

  async close(): Promise<void> {
    this.#notices.close()
    await this.#thread.close()
  }

  /** Another process may have changed them, such as `rethread tag`. */
  #renewLabels(): void {
    const identity = labelsIdentity(this.#state)
    if (identity === this.#labelsIdentity) return
    this.#labelsIdentity = identity
    // A thread that dies of it is reported by `onDeath`.
    void this.#thread.call('labels', null).catch(() => undefined)
  }

  async #scanAll(): Promise<void> {
    this.#change(() => this.#fail(undefined))
    try {
      await this.#thread.call('refresh', null)
    } catch (error) {
      if (hasErrorCode(error, 'stopped')) return
      // The failure of a thread is reported already. The sessions it found stay.
      this.#change(() => this.#fail(this.#death ?? failureOf('', error)))
    }
  }

  /** Requests at the same time share one reading of the database. */
  async #scan({ agent, storeRoot: root }: Pick<SessionRef, 'agent' | 'storeRoot'>): Promise<void> {
    const place = `${agent}\n${root}`
    const scan = this.#scans.get(place) ?? makeRounds(() => this.#thread.call('scanStore', { agent, root }))
    this.#scans.set(place, scan)
    await scan()
  }

  /** Makes a restored session known at once, without waiting for the next scan of all stores. */
  async #renewGone(key: string): Promise<ServedSession | undefined> {
    const last = this.#entries.gone(key)
    if (last === undefined || statIfThere(last.filePath, 'stat')?.isFile() !== true) return undefined
    await this.#scan(last)
    return this.#entries.get(key)
  }

  async #renewFile(key: string, { messageCount: _, ...session }: SessionRef): Promise<ServedSession | undefined> {
    const stats = statIfThere(session.filePath, 'stat')
    if (stats === undefined) {
      // The archive may have it.
      await this.#scan(session)
      return this.#entries.get(key)
    }
    const { mark: identity, mtimeMs: updatedAt, size: fileSize } = identityOf(stats)
    if (identity === session.identity) return this.#entries.get(key)
    const renewed = { ...session, identity, updatedAt, fileSize }
    this.#change(() => this.#entries.renew(renewed))
    this.#thread.notify('renewed', renewed)
    return this.#entries.get(key)
  }

  #hear(message: Published): void {
    switch (message.type) {
      case 'rows':
        this.#change(() => this.#entries.putAll(message.rows))
        break
      case 'gone':
        this.#change(() => this.#entries.removeAll(message.keys))
        break
      case 'labels':
        this.#labelsIdentity = message.identity
        this.#failureOfLabels = message.failure === undefined ? [] : [message.failure]
        this.#change(() => this.#entries.setLabels(labelsOf(message.labels)))
        break
      case 'agents':
        this.#agents = message.agents
        this.#firstAgents.resolve()
        break
      case 'failures':
        this.#failuresOfStores = message.failures
        this.#change(() => this.#entries.touch())
        break
      case 'progress':
        this.#progress = message.progress
        this.#notices.progress(message.progress)
    }
  }

  #noteDeath(cause: unknown, reading: string | undefined): void {
    const path = reading === undefined ? undefined : this.#entries.get(reading)?.session.filePath
    const failure = failureOf('', threadDied(cause), path)
    this.#log.debug('The thread of the list died.', failure)
    this.#change(() => this.#fail(failure))
    this.#progress = { ...this.#progress, phase: 'done' }
    this.#notices.progress(this.#progress)
  }

  #fail(failure: Failure | undefined): void {
    if (this.#death === failure) return
    this.#death = failure
    this.#entries.touch()
  }

  #change(step: () => void): void {
    const { revision } = this.#entries
    step()
    if (this.#entries.revision !== revision) this.#notices.changed()
  }

  #count(): { counts: Counts; failures: Failure[] } {
    const { revision } = this.#entries
    if (this.#counted?.revision === revision) return this.#counted
    const failures = collectFailures(
      this.#death,
      [...this.#failureOfLabels, ...this.#failuresOfStores],
      this.#entries.all(),
    )
    this.#counted = { revision, counts: countEntries(this.#entries.all(), this.#needsDecision), failures }
    return this.#counted
  }
}
