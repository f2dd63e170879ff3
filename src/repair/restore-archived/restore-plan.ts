// The changes that put the files and rows of an archived session back, and their application.
import { dirname, isAbsolute, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import type { Agent } from '../../agents/agent.ts'
import type { RenewedId } from '../../agents/archive.ts'
import { locationsOf, type Store } from '../../agents/store.ts'
import type { ArchivedContent } from '../../archive/archived-sessions.ts'
import { unfoldHome } from '../../archive/home-paths.ts'
import type { ArchivedItem } from '../../archive/segment.ts'
import { hashUpTo, readRange, statIfThere, withHandle } from '../../disk/files/handles.ts'
import { identityOf, readSmallFile, realPath } from '../../disk/files/read.ts'
import { busyError } from '../../disk/processes/writers.ts'
import { parseCanonicalRows } from '../../disk/sqlite/session-rows.ts'
import { applyChanges } from '../../disk/vault/apply.ts'
import type { Receipt } from '../../disk/vault/receipt.ts'
import type { StreamIn } from '../../disk/vault/steps/step.ts'
import type { Patch, RowChange } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import { findActivity } from '../activity.ts'
import { takeAgentLock } from '../agent-lock.ts'
import type { CheckContext } from '../check/check.ts'
import type { Verdicts } from '../verdicts/verdict-cache.ts'
import { notRenewable, outsideStore, readOnlyDatabase, taken, tooLarge } from './errors.ts'
import { planRows } from './plan-rows.ts'

/** A content that must be changed before it is put back is changed in memory. */
export const MAX_CHANGED_BYTES = 512 * 1024 * 1024

const RESTORED = /^Restored from the archive, as of ([\d.:TZ-]+)\.(?: It is a copy of session (\S+)\.)?$/

/** What the reasons of a restore say. Undefined for those of another change. */
export function restoredFrom(reasons: readonly string[]): { time: string; sessionId?: string } | undefined {
  const found = reasons.flatMap(reason => {
    const [, time, sessionId] = RESTORED.exec(reason) ?? []
    return time === undefined ? [] : [{ time, ...(sessionId === undefined ? {} : { sessionId }) }]
  })
  // Those of its subagents may be older.
  return found.sort((a, b) => (a.time < b.time ? 1 : -1))[0]
}

export interface RestoreSubject {
  agent: Agent
  store: Store
  session: SessionRef
  /** For a session that gets a new id. */
  renewed: RenewedId | undefined
}

export class RestorePlan {
  readonly #context: CheckContext
  readonly #subject: RestoreSubject
  readonly #changes: (StreamIn | Patch | RowChange)[] = []
  /** Where the session is after it was restored. */
  filePath: string

  constructor(context: CheckContext, subject: RestoreSubject) {
    this.#context = context
    this.#subject = subject
    this.filePath = subject.session.filePath
  }

  get files(): string[] {
    return this.#changes.flatMap(change => (change.type === 'row' ? [] : [change.file]))
  }

  get rows(): number {
    return this.#changes.filter(({ type }) => type === 'row').length
  }

  async add(content: ArchivedContent, isMain: boolean): Promise<void> {
    for (const file of content.files) {
      const path = this.#pathOf(file.item, isMain ? content.chain.session.filePath : undefined)
      if (isMain && file.item.path === content.chain.session.filePath) this.filePath = path
      if (file.item.kind === 'rows') await this.#addRows(file, path, content)
      else await this.#addFile(file, path, content)
    }
  }

  /** Read by `restoredFrom`. */
  #reasonOf({ point }: ArchivedContent): string {
    const { session, renewed } = this.#subject
    const copied = renewed === undefined ? '' : ` It is a copy of session ${session.sessionId}.`
    return `Restored from the archive, as of ${new Date(point.time).toISOString()}.${copied}`
  }

  /** `archived` is where the session was. One that is at another place now is restored there. */
  #pathOf({ path }: ArchivedItem, archived: string | undefined): string {
    const { environment } = this.#context
    const { agent, store, session, renewed } = this.#subject
    const was = archived === undefined ? undefined : unfoldHome(renamed(archived, renewed), environment.home)
    const isMoved = was !== undefined && session.archived === undefined
    const unfolded = unfoldHome(renamed(path, renewed), environment.home)
    const real = isMoved && unfolded !== undefined ? moved(unfolded, was, renamed(session.filePath, renewed)) : unfolded
    const folders = [
      ...locationsOf(agent, environment).map(({ location }) => location.root),
      ...(store.archive?.folders?.(environment) ?? []),
      // A store that was found in another folder, such as that of a project.
      ...(session.archived === undefined ? [session.storeRoot] : []),
    ]
    if (real !== undefined && folders.some(folder => isBelow(folder, real) && staysInside(folder, real))) return real
    throw outsideStore(agent.title, path, session)
  }

  async #addFile(file: ArchivedFile, path: string, content: ArchivedContent): Promise<void> {
    const { session, renewed } = this.#subject
    const { item } = file
    const present = statIfThere(path)
    if (present !== undefined && item.role === 'shared') return await this.#addEntry(file, path, content)
    const { size, read } = (await this.#changedContent(file)) ?? file
    if (present !== undefined) {
      if (await holds(path, size, read())) return
      // What is there belongs to another session.
      if (session.archived !== undefined || renewed !== undefined) {
        if (item.role === 'main') throw taken(path, session)
        return
      }
    }
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: item.mode ?? 0o600 }
    const why = { damage: 'lost-content', reason: this.#reasonOf(content) }
    this.#changes.push({ type: 'stream-in', file: path, read, size, owner, isTouched: true, ...why })
  }

  /** A file that other sessions use stays as it is, but for what this session needs. */
  async #addEntry(file: ArchivedFile, path: string, content: ArchivedContent): Promise<void> {
    const { store, session } = this.#subject
    const lostEntry = store.archive?.lostEntry
    if (lostEntry === undefined || this.files.includes(path)) return
    const present = readSmallFile(path, dirname(path))
    const lost = lostEntry({ path, present, archived: await readWhole(file) }, session)
    if (lost === undefined) return
    const { at, bytes } = lost
    const why = { damage: 'lost-content', reason: this.#reasonOf(content) }
    this.#changes.push({
      type: 'patch',
      file: path,
      edits: [{ start: at, end: at, bytes, old: Buffer.alloc(0), ...why }],
    })
  }

  /** Undefined where the content is put back byte for byte. */
  async #changedContent(file: ArchivedFile): Promise<Pick<StreamIn, 'size' | 'read'> | undefined> {
    const { agent, store, renewed } = this.#subject
    const refresh = store.archive?.refresh
    const isAged = agent.retention?.(this.#context.environment)?.countsFrom === 'conversation'
    const mustRefresh = file.item.role === 'main' && refresh !== undefined && isAged
    const replacements = (renewed?.replace ?? []).filter(({ isOnlyInPath }) => isOnlyInPath !== true)
    if (!mustRefresh && replacements.length === 0) return undefined
    let content = await readWhole(file)
    for (const { from, to } of replacements) content = replaceEach(content, Buffer.from(from), Buffer.from(to))
    if (mustRefresh) content = refresh(content, new Date().toISOString())
    return { size: content.length, read: () => Readable.from([content], { objectMode: true }) }
  }

  async #addRows(archived: ArchivedFile, path: string, content: ArchivedContent): Promise<void> {
    const { agent, store, session, renewed } = this.#subject
    const isMain = archived.item.role === 'main'
    if (renewed !== undefined) {
      if (isMain) throw notRenewable(store.title, session)
      return
    }
    const source = isMain ? store.archive?.rows?.({ ...session, filePath: path }) : store.archive?.index?.(session)
    if (source === undefined) return
    if (isMain && !(await canPutRows(store))) throw readOnlyDatabase(agent.title, session)
    const wanted = parseCanonicalRows(await readWhole(archived)).rows
    const { file, root, tables } = source
    const reason = this.#reasonOf(content)
    this.#changes.push(...(await planRows({ file, root, tables, wanted, reason, isIndex: !isMain })))
  }

  /** Undefined where everything is there already. Throws `busy` while the agent writes. */
  async apply(options: {
    force?: boolean | undefined
    verdicts?: Pick<Verdicts, 'invalidate'> | undefined
  }): Promise<Receipt | undefined> {
    const { session, renewed } = this.#subject
    const { force = false, verdicts } = options
    const files = [...new Set(this.#changes.map(({ file }) => file))]
    if (files.length === 0) return undefined
    const present = files.flatMap(file => {
      const stats = statIfThere(file, 'stat')
      return stats === undefined ? [] : [{ file, identity: identityOf(stats) }]
    })
    const sign = await findActivity(
      this.#context,
      session,
      present.map(({ file }) => file),
      { force },
    )
    if (sign !== undefined) throw busyError(session.filePath, sign)
    const sessionId = renewed?.sessionId ?? session.sessionId
    const subject = { agent: session.agent, sessionId, filePath: this.filePath }
    verdicts?.invalidate(subject)
    const lock = takeAgentLock(this.#context, subject, { force })
    try {
      const { state } = this.#context
      return await applyChanges({ state, ...subject, changes: this.#changes, planned: present })
    } finally {
      lock?.release()
    }
  }
}

type ArchivedFile = ArchivedContent['files'][number]

async function readWhole({ item, size, read }: ArchivedFile): Promise<Buffer> {
  if (size > MAX_CHANGED_BYTES) throw tooLarge(item.path, size)
  const pieces: Buffer[] = []
  for await (const piece of read()) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Whether the file is exactly this content. */
async function holds(path: string, size: number, content: AsyncIterable<Buffer>): Promise<boolean> {
  const stats = statIfThere(path)
  if (stats?.isFile() !== true || Number(stats.size) !== size) return false
  return await withHandle(path, 'read', async handle => {
    let at = 0
    for await (const piece of content) {
      if (!readRange(handle, at, at + piece.length).equals(piece)) return false
      at += piece.length
    }
    return true
  })
}

async function canPutRows({ archive, repair }: Store): Promise<boolean> {
  if (archive?.canPutRows === true) return true
  const facts = await repair?.()
  return facts?.framing === 'sqlite' && facts.isRepairable
}

/** A path of the files of a session, after its own file has moved. */
function moved(path: string, from: string, to: string): string {
  if (path === from) return to
  return isBelow(dirname(from), path) ? join(dirname(to), relative(dirname(from), path)) : path
}

export function renamed(path: string, renewed: RenewedId | undefined): string {
  return (renewed?.replace ?? []).reduce((text, { from, to }) => text.replaceAll(from, to), path)
}

export function replaceEach(content: Buffer, from: Buffer, to: Buffer): Buffer {
  const changed = Buffer.from(content)
  for (let at = changed.indexOf(from); at !== -1; at = changed.indexOf(from, at + from.length)) to.copy(changed, at)
  return changed
}

export async function hashFile(path: string): Promise<{ size: number; sha256: string }> {
  const size = Number(statIfThere(path)?.size ?? 0)
  const sha256 = await withHandle(path, 'read', handle => hashUpTo(handle, size))
  return { size, sha256: sha256 ?? '' }
}

/** A link on the way must not lead out of the folder. */
export function staysInside(folder: string, path: string): boolean {
  if (statIfThere(folder, 'stat') === undefined) return true
  let existing = dirname(path)
  while (existing !== folder && statIfThere(existing) === undefined) existing = dirname(existing)
  const [root, real] = [realPath(folder), realPath(existing)]
  return real === root || isBelow(root, real)
}

export function isBelow(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
}
