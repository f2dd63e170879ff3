// Copies one session into the archive: what of its files changed since the last copy, as one restore point.
import type { Agent } from '../agents/agent.ts'
import type { Environment } from '../agents/environment.ts'
import { storeOf } from '../agents/store.ts'
import { type Failure, failureOf, hasErrorCode, RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Archive } from './archive.ts'
import { captureDocument } from './capture-document.ts'
import { captureLog } from './capture-log.ts'
import { type ArchiveChain, deletedPoint } from './chain.ts'
import { makeContentReader } from './content.ts'
import { countLive, countMessagesAt } from './count-messages.ts'
import { foldHome } from './home-paths.ts'
import { archiveChainId, itemsOf, type LiveItem } from './items.ts'
import type { ArchivedSession, PointReason } from './segment.ts'
import { type PointFacts, SegmentWriter } from './segment-writer.ts'

/** All known bytes of a log that still grows are compared this often. */
const FULL_COMPARE_MS = 24 * 60 * 60 * 1000
/** A document that lost more than this share may have lost messages, so they are counted. */
const SHRUNK_SHARE = 0.9

export interface CaptureContext {
  archive: Archive
  environment: Environment
  state: string
  /** Which files rethread itself has changed. */
  changedByRethread: (path: string) => string | undefined
  busyMs?: number
  now: () => number
  /** For a copy of a session that must not continue the chain of the present one. */
  chain?: string
  /**
   * Takes notes that may be kept only when what was written is durable. Without it, each copy waits for that.
   */
  keepLater?: (id: string, notes: string) => void
}

export interface Captured {
  outcome: 'same' | 'copied' | 'unsupported'
  why?: PointReason
  messages?: { before: number; after: number }
  storedBytes: number
  /** The last record is incomplete: copy it again when the agent is done with it. */
  hasPendingTail: boolean
  /** Files beside the session that could not be copied. The next pass tries again. */
  failures: Failure[]
}

/** What is known of the files from the last copy. */
export interface Notes {
  gate: string
  /** Files beside the session that could not be copied. The next pass tries again. */
  missing?: string[]
  /** When the session was last written, in milliseconds since 1970. */
  updatedAt?: number
  items: Record<string, { mark: string; comparedAt: number; altered: string }>
}

const NOTHING: Captured = { outcome: 'same', storedBytes: 0, hasPendingTail: false, failures: [] }

/** Throws what makes the session unreadable. Everything that was archived before stays as it is. */
export async function captureSession(context: CaptureContext, agent: Agent, session: SessionRef): Promise<Captured> {
  const { archive, environment } = context
  const items = await itemsOf(agent, session, environment)
  if (items === undefined) return { ...NOTHING, outcome: 'unsupported' }
  const id = context.chain ?? archiveChainId(session, environment.home)
  const notes = notesOf(archive.notes.get(id))
  const gate = gateOf(context, items)
  if (notes?.gate === gate && notes.missing === undefined) return NOTHING
  const chain = await archive.load(id)
  const work = new Capture(context, agent, session, items, id, chain, notes)
  const captured = await work.run()
  // Without a gate, the next pass reads it again.
  const kept: Notes = {
    gate: captured.hasPendingTail ? '' : gate,
    ...(captured.failures.length === 0 ? {} : { missing: captured.failures.map(({ path }) => path) }),
    updatedAt: session.updatedAt,
    items: work.marks,
  }
  if (context.keepLater !== undefined) context.keepLater(id, JSON.stringify(kept))
  else {
    await archive.store.sync()
    archive.notes.set(id, JSON.stringify(kept))
  }
  return captured
}

export interface LastCopy {
  state: 'current' | 'behind' | 'unsupported'
  /** Files beside the session that the last pass could not copy. */
  missing: readonly string[]
}

/** Whether the archive has the session as it is now. Reads nothing but names and times. */
export async function copyStateOf(
  context: Pick<CaptureContext, 'archive' | 'environment' | 'changedByRethread'>,
  agent: Agent,
  session: SessionRef,
): Promise<LastCopy> {
  const items = await itemsOf(agent, session, context.environment)
  if (items === undefined) return { state: 'unsupported', missing: [] }
  const notes = notesOf(context.archive.notes.get(archiveChainId(session, context.environment.home)))
  const isCurrent = notes?.gate === gateOf(context, items)
  return { state: isCurrent ? 'current' : 'behind', missing: notes?.missing ?? [] }
}

type Changed = Pick<CaptureContext, 'changedByRethread'>

/**
 * Made of what is copied, not of the identity of the session, which may change with other sessions. Of a file
 * that sessions share it has only that it exists: the file is copied with the next change of this session.
 */
function gateOf({ changedByRethread }: Changed, items: readonly LiveItem[]): string {
  return items
    .map(({ item, path, mark }) =>
      item.role === 'shared' ? `${path} shared` : `${path} ${mark} ${changedByRethread(path) ?? ''}`,
    )
    .join('\n')
}

export function notesOf(text: string | undefined): Notes | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Notes)
}

class Capture {
  readonly marks: Notes['items'] = {}
  readonly #context: CaptureContext
  readonly #agent: Agent
  readonly #session: SessionRef
  readonly #items: readonly LiveItem[]
  readonly #chain: ArchiveChain | undefined
  readonly #notes: Notes | undefined
  readonly #writer: SegmentWriter
  #why: PointReason | undefined
  #hasPendingTail = false
  readonly #failures: Failure[] = []

  constructor(
    context: CaptureContext,
    agent: Agent,
    session: SessionRef,
    items: readonly LiveItem[],
    id: string,
    chain: ArchiveChain | undefined,
    notes: Notes | undefined,
  ) {
    this.#context = context
    this.#agent = agent
    this.#session = session
    this.#items = items
    this.#chain = chain
    this.#notes = notes
    const described = describeSession(session, context.environment)
    this.#writer = new SegmentWriter(context.archive.store, id, described, chain, context.now)
  }

  async run(): Promise<Captured> {
    // The files beside it first: a session that is restored from an interrupted copy then has them.
    const ordered = [...this.#items].sort((a, b) => rank(a) - rank(b))
    for (const live of ordered) await this.#copy(live)
    this.#markGone()
    if (this.#writer.isEmpty) return { ...NOTHING, hasPendingTail: this.#hasPendingTail, failures: this.#failures }
    const why = this.#reason()
    const messages = await this.#countLoss(why)
    const facts: PointFacts = { why: whyOf(why, messages), ...(messages === undefined ? {} : { messages }) }
    await this.#writer.commit(facts)
    return {
      outcome: 'copied',
      ...facts,
      storedBytes: this.#writer.storedBytes,
      hasPendingTail: this.#hasPendingTail,
      failures: this.#failures,
    }
  }

  #reason(): PointReason {
    if (this.#chain === undefined) return 'first'
    const why = this.#why ?? 'changed'
    const hasLess = why === 'shrank' || why === 'rewritten'
    return deletedPoint(this.#chain) === undefined || hasLess ? why : 'returned'
  }

  async #copy(live: LiveItem): Promise<void> {
    const { archive, now, busyMs, changedByRethread } = this.#context
    const isMain = live.item.role === 'main'
    // The row of an index is read again only when its session has changed.
    const reader = this.#chain === undefined ? undefined : makeContentReader(archive.store, this.#chain)
    const facts: PointFacts = { why: this.#chain === undefined ? 'first' : (this.#why ?? 'grew') }
    try {
      if (live.item.kind === 'log') {
        const known = this.#notes?.items[live.item.path]
        const altered = changedByRethread(live.path) ?? ''
        const isSuspicious = this.#isSuspicious(live, known, altered)
        const { outcome, hasPendingTail } = await captureLog({
          live,
          reader,
          writer: this.#writer,
          isSuspicious,
          facts,
          now: now(),
        })
        this.#hasPendingTail ||= hasPendingTail
        if (isMain && outcome !== 'same')
          this.#note(outcome === 'grew' ? 'grew' : outcome === 'cut' ? 'shrank' : 'rewritten')
        const comparedAt = isSuspicious ? now() : (known?.comparedAt ?? now())
        this.marks[live.item.path] = { mark: live.mark ?? '', comparedAt, altered }
        return
      }
      const wait = busyMs === undefined ? {} : { busyMs }
      const { outcome, size, sizeBefore = 0 } = await captureDocument(live, reader, this.#writer, facts, wait)
      if (isMain && outcome === 'changed') this.#note(size < sizeBefore * SHRUNK_SHARE ? 'shrank' : 'changed')
      if (isMain && outcome === 'new') this.#note('grew')
    } catch (error) {
      if (isMain || !(error instanceof RethreadError) || error.code === 'no-space') throw error
      // A file beside the session that is gone by now is noticed by the next pass.
      if (!hasErrorCode(error, 'not-found')) this.#failures.push(failureOf(this.#agent.id, error, live.path))
    }
  }

  /** Everything but plain growth of the same file. */
  #isSuspicious(live: LiveItem, known: Notes['items'][string] | undefined, altered: string): boolean {
    if (known === undefined || known.altered !== altered) return true
    if (this.#context.now() - known.comparedAt > FULL_COMPARE_MS || this.#context.now() < known.comparedAt) return true
    const [device, inode, size, modified] = (live.mark ?? '').split(':')
    const [oldDevice, oldInode, oldSize, oldModified] = known.mark.split(':')
    if (device !== oldDevice || inode !== oldInode) return true
    return Number(size) <= Number(oldSize) || BigInt(modified ?? 0) < BigInt(oldModified ?? 0)
  }

  /** The worst reason counts. */
  #note(why: PointReason): void {
    const order: PointReason[] = ['grew', 'changed', 'rewritten', 'shrank']
    if (this.#why === undefined || order.indexOf(why) > order.indexOf(this.#why)) this.#why = why
  }

  /** Files that belonged to the session and are not there any more. */
  #markGone(): void {
    const present = new Set(this.#items.filter(({ mark }) => mark !== undefined).map(({ item }) => item.path))
    for (const [path, { item, changes }] of this.#chain?.items ?? [])
      if (!present.has(path) && changes.at(-1)?.type !== 'gone') {
        this.#writer.add({ type: 'gone', item: this.#writer.item(item) })
        if (item.role === 'main') this.#note('shrank')
      }
  }

  async #countLoss(why: PointReason): Promise<{ before: number; after: number } | undefined> {
    const last = this.#chain?.points.findLast(({ why: ended }) => ended !== 'deleted')
    if (this.#chain === undefined || last === undefined || (why !== 'shrank' && why !== 'rewritten')) return undefined
    const { archive, state, environment } = this.#context
    const before = await countMessagesAt({
      archive,
      state,
      home: environment.home,
      agent: this.#agent,
      chain: this.#chain,
      number: last.number,
    })
    const after = await countLive(storeOf(this.#agent, this.#session), this.#session)
    return before === undefined || after === undefined ? undefined : { before, after }
  }
}

/** A document that became smaller and kept its messages was only written in another way. */
function whyOf(why: PointReason, messages: { before: number; after: number } | undefined): PointReason {
  if (messages === undefined) return why
  if (messages.after < messages.before) return 'shrank'
  return why === 'shrank' ? 'changed' : why
}

function rank({ item }: LiveItem): number {
  return item.role === 'main' ? 1 : 0
}

function describeSession(session: SessionRef, { home }: Environment): ArchivedSession {
  const { agent, sessionId, generation, subagentOf, title, project, updatedAt } = session
  const short = (text: string): string => text.slice(0, 1000)
  return {
    agent,
    sessionId,
    generation,
    filePath: foldHome(session.filePath, home),
    storeRoot: foldHome(session.storeRoot, home),
    updatedAt,
    ...(subagentOf === undefined ? {} : { subagentOf }),
    ...(title === undefined ? {} : { title: short(title) }),
    ...(project === undefined ? {} : { project: short(project) }),
  }
}
