// The changes that put the files and rows of an archived session back, and their application.
import { createHash } from 'node:crypto'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import type { RenewedId } from '../../agents/archive.ts'
import { locationsOf, type Store } from '../../agents/store.ts'
import type { ViewedSession } from '../../archive/archived-sessions.ts'
import { unfoldHome } from '../../archive/home-paths.ts'
import type { ArchivedItem } from '../../archive/segment.ts'
import { writePrivateFile } from '../../disk/archive/export-files.ts'
import { hashUpTo, statIfThere, withHandle } from '../../disk/files/handles.ts'
import { identityOf, readSmallFile, realPath } from '../../disk/files/read.ts'
import { busyError } from '../../disk/processes/writers.ts'
import { parseCanonicalRows } from '../../disk/sqlite/session-rows.ts'
import { applyChanges } from '../../disk/vault/apply.ts'
import type { Receipt } from '../../disk/vault/receipt.ts'
import type { CopyIn } from '../../disk/vault/steps/step.ts'
import type { RowChange } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import { findActivity } from '../activity.ts'
import { takeAgentLock } from '../agent-lock.ts'
import type { CheckContext } from '../check/check.ts'
import type { Verdicts } from '../verdicts/verdict-cache.ts'
import { planRows } from './plan-rows.ts'
import { notRenewable, outsideStore, readOnlyDatabase, taken } from './refusals.ts'

/** A content that must be changed before it is put back is changed in memory. */
export const MAX_CHANGED_BYTES = 512 * 1024 * 1024

/** How the reason of every change of a restore begins. */
export const RESTORED = 'Restored from the archive'

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
  readonly #changes: (CopyIn | RowChange)[] = []
  /** Where the session is after it was restored. */
  filePath: string

  constructor(context: CheckContext, subject: RestoreSubject) {
    this.#context = context
    this.#subject = subject
    this.filePath = subject.session.filePath
  }

  get files(): string[] {
    return this.#changes.flatMap(change => (change.type === 'copy-in' ? [change.file] : []))
  }

  get rows(): number {
    return this.#changes.filter(({ type }) => type === 'row').length
  }

  async add(view: ViewedSession, isMain: boolean): Promise<void> {
    for (const { item, copy } of view.files) {
      const path = this.#pathOf(item)
      if (isMain && item.path === view.chain.session.filePath) this.filePath = path
      if (item.kind === 'rows') await this.#addRows(item, path, copy, view)
      else await this.#addFile(item, path, copy, view)
    }
  }

  #pathOf({ path }: ArchivedItem): string {
    const { environment } = this.#context
    const { agent, store, session, renewed } = this.#subject
    const real = unfoldHome(renamed(path, renewed), environment.home)
    const folders = [
      ...locationsOf(agent, environment).map(({ location }) => location.root),
      ...(store.archive?.folders?.(environment) ?? []),
      // A store that was found in another folder, such as that of a project.
      ...(session.archived === undefined ? [session.storeRoot] : []),
    ]
    if (real !== undefined && folders.some(folder => isBelow(folder, real) && staysInside(folder, real))) return real
    throw outsideStore(agent.title, path, session)
  }

  async #addFile(item: ArchivedItem, path: string, copy: string, view: ViewedSession): Promise<void> {
    const { session, renewed } = this.#subject
    const present = statIfThere(path)
    if (present !== undefined && item.role === 'shared') return
    const from = this.#changedContent(item, copy, view) ?? copy
    const { size, sha256 } = await describeFile(from)
    if (present !== undefined) {
      if (await isContent(path, size, sha256)) return
      // What is there belongs to another session.
      if (session.archived !== undefined || renewed !== undefined) {
        if (item.role === 'main') throw taken(path, session)
        return
      }
    }
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: item.mode ?? 0o600 }
    const why = { damage: 'lost-content', reason: reasonOf(view) }
    this.#changes.push({ type: 'copy-in', file: path, from, size, sha256, owner, isTouched: true, ...why })
  }

  /** Undefined where the content is put back byte for byte. */
  #changedContent(item: ArchivedItem, copy: string, { folder }: ViewedSession): string | undefined {
    const { agent, store, renewed } = this.#subject
    const refresh = store.archive?.refresh
    const isAged = agent.retention?.(this.#context.environment)?.countsFrom === 'conversation'
    const mustRefresh = item.role === 'main' && refresh !== undefined && isAged
    const replacements = (renewed?.replace ?? []).filter(({ isOnlyInPath }) => isOnlyInPath !== true)
    if (!mustRefresh && replacements.length === 0) return undefined
    let content = readSmallFile(copy, folder, MAX_CHANGED_BYTES)
    for (const { from, to } of replacements) content = replaceAll(content, Buffer.from(from), Buffer.from(to))
    if (mustRefresh) content = refresh(content, new Date().toISOString())
    const changed = join(folder, 'changed', createHash('sha256').update(content).digest('hex').slice(0, 32))
    if (statIfThere(changed) === undefined) writePrivateFile(changed, content)
    return changed
  }

  async #addRows(item: ArchivedItem, path: string, copy: string, view: ViewedSession): Promise<void> {
    const { agent, store, session, renewed } = this.#subject
    const isMain = item.role === 'main'
    if (renewed !== undefined) {
      if (isMain) throw notRenewable(store.title, session)
      return
    }
    const source = isMain ? store.archive?.rows?.({ ...session, filePath: path }) : store.archive?.index?.(session)
    if (source === undefined) return
    const repair = await store.repair?.()
    if (isMain && (repair?.framing !== 'sqlite' || !repair.isRepairable)) throw readOnlyDatabase(agent.title, session)
    const wanted = parseCanonicalRows(readSmallFile(`${copy}.rows`, view.folder, MAX_CHANGED_BYTES)).rows
    const { file, root, tables } = source
    this.#changes.push(...(await planRows({ file, root, tables, wanted, reason: reasonOf(view), isIndex: !isMain })))
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

export function renamed(path: string, renewed: RenewedId | undefined): string {
  return (renewed?.replace ?? []).reduce((text, { from, to }) => text.replaceAll(from, to), path)
}

export function replaceAll(content: Buffer, from: Buffer, to: Buffer): Buffer {
  const changed = Buffer.from(content)
  for (let at = changed.indexOf(from); at !== -1; at = changed.indexOf(from, at + from.length)) to.copy(changed, at)
  return changed
}

export async function describeFile(path: string): Promise<{ size: number; sha256: string }> {
  const size = Number(statIfThere(path)?.size ?? 0)
  const sha256 = await withHandle(path, 'read', handle => hashUpTo(handle, size))
  return { size, sha256: sha256 ?? '' }
}

export async function isContent(path: string, size: number, sha256: string): Promise<boolean> {
  const stats = statIfThere(path)
  if (stats?.isFile() !== true || Number(stats.size) !== size) return false
  return (await describeFile(path)).sha256 === sha256
}

function reasonOf({ point }: ViewedSession): string {
  return `${RESTORED}, as of ${new Date(point.time).toISOString()}.`
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
