// The changes that put a session of another home into this one: its files and rows with mapped paths, the
// files beside it, its subagents, and the entries by which the agent lists it.
import { dirname, isAbsolute } from 'node:path'
import type { AdoptionPlaces, PathMap } from '../../agents/adoption.ts'
import { mapPath } from '../../agents/adoption.ts'
import type { Agent } from '../../agents/agent.ts'
import type { RenewedId, RowSource } from '../../agents/archive.ts'
import type { ListingChange } from '../../agents/listing.ts'
import { type Location, locationsOf, type Store } from '../../agents/store.ts'
import { itemsOf, type LiveItem } from '../../archive/items.ts'
import { statIfThere } from '../../disk/files/handles.ts'
import { exists, readSmallFile } from '../../disk/files/read.ts'
import { readDatabase } from '../../disk/sqlite/read-database.ts'
import { type CanonicalRow, parseCanonicalRows, readCanonicalRows } from '../../disk/sqlite/session-rows.ts'
import type { SessionRef } from '../../model/session.ts'
import type { CheckContext } from '../check/check.ts'
import { notRenewable, readOnlyDatabase } from '../restore-archived/errors.ts'
import { planRows } from '../restore-archived/plan-rows.ts'
import { hashFile, isBelow, MAX_CHANGED_BYTES, renamed, staysInside } from '../restore-archived/restore-plan.ts'
import { adoptedContent } from './adopted-file.ts'
import { idTaken, notAdoptable, otherTables, outsideStore } from './errors.ts'

/** A larger file that stays the same is copied as a stream, and gets the current time. */
const MAX_WRITTEN_BYTES = 64 * 1024 * 1024
const DAY_MS = 24 * 3_600_000
/** How the reason of every change of an adoption begins. */
export const ADOPTED = 'Adopted from'

export interface AdoptionSubject {
  agent: Agent
  store: Store
  /** In the other home. */
  session: SessionRef
  subagents: readonly SessionRef[]
  /** The other home. */
  foreign: CheckContext
  /** Sessions of this home with the same id. */
  known: readonly SessionRef[]
  maps: readonly PathMap[]
  asNew: boolean
}

export interface AdoptionPlan {
  sessionId: string
  /** Where the session is after it was adopted. */
  filePath: string
  project: AdoptionPlaces['project']
  /** Empty if this home has the same session already. */
  changes: ListingChange[]
  notes: string[]
}

/** Throws `busy` if the id is taken, `unsupported`, `outside-store`, and what reading throws. */
export async function planAdoption(context: CheckContext, subject: AdoptionSubject): Promise<AdoptionPlan> {
  const { agent, store, session, maps, asNew } = subject
  const adoption = await store.adoption?.()
  const location = targetOf(agent, store, context)
  if (adoption === undefined || location === undefined)
    throw notAdoptable(agent.title, store.title, subject.foreign.environment.home, session)
  const renewed = asNew ? store.archive?.renew?.(session) : undefined
  if (asNew && renewed === undefined) throw notRenewable(store.title, session)
  const { environment } = context
  const places = await adoption.plan({ session, environment, location, map: path => mapPath(path, maps) })
  const adopter = new Adopter(context, subject, places, { renewed, location })
  for (const each of [session, ...subject.subagents]) {
    const items = await itemsOf(agent, each, subject.foreign.environment)
    if (items === undefined) throw notAdoptable(agent.title, store.title, subject.foreign.environment.home, session)
    for (const item of items) await adopter.add(each, item)
  }
  return adopter.finish()
}

/** The place of this system's own layout: one that exists, if there is one. */
function targetOf(agent: Agent, store: Store, { environment }: CheckContext): Location | undefined {
  const own = store.locations(environment)
  const all = own.length > 0 ? own : agent.stores.flatMap(other => other.locations(environment))
  return all.find(({ path }) => exists(path)) ?? all[0]
}

class Adopter {
  readonly #context: CheckContext
  readonly #subject: AdoptionSubject
  readonly #places: AdoptionPlaces
  readonly #renewed: RenewedId | undefined
  readonly #location: Location
  readonly #changes: ListingChange[] = []
  readonly #notes: string[]
  /** Parts of the session itself: those that are here already as they are, and the others. */
  readonly #own = { same: 0, different: 0, missing: 0 }

  constructor(
    context: CheckContext,
    subject: AdoptionSubject,
    places: AdoptionPlaces,
    { renewed, location }: { renewed: RenewedId | undefined; location: Location },
  ) {
    this.#context = context
    this.#subject = subject
    this.#places = places
    this.#renewed = renewed
    this.#location = location
    this.#notes = [...places.notes]
  }

  async add(session: SessionRef, item: LiveItem): Promise<void> {
    const path = this.#pathOf(item.path)
    if (path === undefined) return
    if (item.source !== undefined) await this.#addRows(session, item, item.source, path)
    else if (item.mark !== undefined) await this.#addFile(item, path)
  }

  finish(): AdoptionPlan {
    const { session, known } = this.#subject
    const { same, different, missing } = this.#own
    const sessionId = this.#renewed?.sessionId ?? session.sessionId
    const filePath = this.#pathOf(session.filePath) ?? session.filePath
    const result = { sessionId, filePath, project: this.#places.project, notes: this.#notes }
    const [present] = this.#renewed === undefined ? known : []
    if (same > 0 && different + missing === 0) return { ...result, changes: [] }
    // The same session can be in another folder of this home.
    if (different > 0 || present !== undefined) {
      if (present !== undefined && this.#isCopy(present)) return { ...result, filePath: present.filePath, changes: [] }
      throw idTaken(present?.filePath ?? filePath, this.#subject.foreign.environment.home, session)
    }
    const planned = new Set(this.#changes.map(({ file }) => file))
    const entries = this.#places.changes.filter(({ file }) => !planned.has(file))
    return { ...result, changes: [...this.#changes, ...entries] }
  }

  #isCopy(present: SessionRef): boolean {
    const { session } = this.#subject
    if (session.generation !== present.generation || present.fileSize !== sizeOf(session.filePath)) return false
    const read = ({ filePath, storeRoot }: SessionRef) => readSmallFile(filePath, storeRoot, MAX_CHANGED_BYTES)
    return statIfThere(session.filePath)?.isFile() === true && read(session).equals(read(present))
  }

  #pathOf(path: string): string | undefined {
    const { agent, store, session } = this.#subject
    const { environment } = this.#context
    const place = this.#places.pathOf(path)
    if (place === undefined) return undefined
    const real = renamed(place, this.#renewed)
    const folders = [
      ...locationsOf(agent, environment).map(({ location }) => location.root),
      ...(store.archive?.folders?.(environment) ?? []),
    ]
    const isInside = (folder: string) => (folder === real || isBelow(folder, real)) && staysInside(folder, real)
    if (isAbsolute(real) && folders.some(isInside)) return real
    throw outsideStore(agent.title, real, session)
  }

  async #addFile(live: LiveItem, path: string): Promise<void> {
    const { role, mode = 0o600 } = live.item
    const present = statIfThere(path)
    if (present !== undefined && role === 'shared') return
    const fields = this.#places.fieldsOf(live.path)
    const size = sizeOf(live.path)
    const isStreamed = size > MAX_WRITTEN_BYTES && (size > MAX_CHANGED_BYTES || fields.length === 0)
    const bytes = isStreamed ? undefined : adoptedContent(live, fields, this.#renewed)
    if (present !== undefined) {
      const isSame = bytes === undefined ? await isSameFile(live.path, path) : this.#isSame(live, path, bytes)
      if (role === 'main') this.#own[isSame ? 'same' : 'different']++
      return
    }
    if (role === 'main') this.#own.missing++
    const why = { damage: 'lost-content', reason: `${ADOPTED} ${live.path}` }
    if (bytes === undefined) {
      if (fields.length > 0) this.#notes.push(`${live.path} is so large that its records still name the old folder.`)
      const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode }
      const content = await hashFile(live.path)
      this.#changes.push({ type: 'copy-in', file: path, from: live.path, ...content, owner, ...why })
    } else {
      const modifiedNs = this.#timeOf(live)
      const time = modifiedNs === undefined ? {} : { modifiedNs }
      this.#changes.push({ type: 'write', file: path, bytes: this.#refreshed(live, bytes), mode, ...time, ...why })
    }
  }

  /** A log that has grown here since it was adopted is still the same session. */
  #isSame({ item }: LiveItem, path: string, bytes: Buffer): boolean {
    const present = readSmallFile(path, dirname(path), MAX_CHANGED_BYTES)
    if (item.kind === 'log') return present.subarray(0, bytes.length).equals(bytes)
    const refresh = (content: Buffer) => this.#subject.store.archive?.refresh?.(content, '') ?? content
    return refresh(present).equals(refresh(bytes))
  }

  /** Its own time, so that lists keep their order; the current one if the agent would delete it soon. */
  #timeOf({ path }: LiveItem): bigint | undefined {
    const { retention } = this.#subject.agent
    const modified = statIfThere(path, 'stat')?.mtimeNs
    const rule = retention?.(this.#context.environment)
    const isKept = rule === undefined || modified === undefined || Number(modified / 1_000_000n) > soon(rule.days)
    return isKept ? modified : undefined
  }

  /** For an agent that deletes by a time inside the file. */
  #refreshed({ item }: LiveItem, content: Buffer): Buffer {
    const { agent, store, session } = this.#subject
    const rule = agent.retention?.(this.#context.environment)
    const isAged = rule?.countsFrom === 'conversation' && session.updatedAt <= soon(rule.days)
    if (item.role !== 'main' || !isAged) return content
    return store.archive?.refresh?.(content, new Date().toISOString()) ?? content
  }

  async #addRows(session: SessionRef, live: LiveItem, from: RowSource, file: string): Promise<void> {
    const { agent, store } = this.#subject
    const isIndex = live.item.role !== 'main'
    if (this.#renewed !== undefined) {
      if (!isIndex) throw notRenewable(store.title, session)
      return
    }
    const repair = await store.repair?.()
    if (!isIndex && (repair?.framing !== 'sqlite' || !repair.isRepairable)) throw readOnlyDatabase(agent.title, session)
    const target = this.#rowsIn(session, file, isIndex)
    if (target === undefined) return
    const stored = parseCanonicalRows(await readCanonicalRows(from.file, from.root, from.tables)).rows
    const mapped = stored.flatMap(row => this.#places.rowOf?.(row) ?? [])
    const wanted = exists(target.file) ? await fitting(target, mapped, isIndex) : mapped
    const changes = await planRows({ ...target, wanted, reason: `${ADOPTED} ${from.file}`, isIndex })
    this.#changes.push(...changes)
    if (isIndex) return
    const isNew = changes.every(({ change }) => change.type === 'insert')
    this.#own[changes.length === 0 ? 'same' : isNew ? 'missing' : 'different']++
  }

  #rowsIn(session: SessionRef, file: string, isIndex: boolean): RowSource | undefined {
    const { archive } = this.#subject.store
    if (!isIndex) return archive?.rows?.({ ...session, filePath: file, storeRoot: dirname(file) })
    const filePath = this.#pathOf(session.filePath) ?? session.filePath
    const { path } = this.#location
    return archive?.index?.({ ...session, filePath, storeRoot: path })
  }
}

function soon(days: number): number {
  return Date.now() - (days - 1) * DAY_MS
}

function sizeOf(path: string): number {
  return Number(statIfThere(path, 'stat')?.size ?? 0)
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  if (sizeOf(one) !== sizeOf(other)) return false
  return (await hashFile(one)).sha256 === (await hashFile(other)).sha256
}

/** The rows with the columns that this home's tables have. */
async function fitting(target: RowSource, rows: readonly CanonicalRow[], isIndex: boolean): Promise<CanonicalRow[]> {
  const columns = await readDatabase(
    target.file,
    target.root,
    database =>
      new Map(
        rows.map(({ table }) => [table, database.hasTable(table) ? database.columns(table) : undefined] as const),
      ),
  )
  return rows.flatMap(row => {
    const known = columns.get(row.table)
    if (known !== undefined) {
      const values = Object.fromEntries(Object.entries(row.values).filter(([name]) => known.has(name)))
      return [{ ...row, values }]
    }
    if (isIndex) return []
    throw otherTables(target.file, row.table)
  })
}
