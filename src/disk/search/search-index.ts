// The search index as a file in the state folder. All statements on it are here.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { RethreadError } from '../../model/errors.ts'
import { fromSystemError } from '../files/system-errors.ts'
import { fromSqliteWriteError, isBusy, isCorruption, sqliteCode } from '../sqlite/errors.ts'
import { makePrivate } from '../state/own-files.ts'
import { stateFolder } from '../state/state.ts'
import { SCHEMA, SEARCH_INDEX_VERSION } from './schema.ts'

export interface IndexedSession {
  id: number
  key: string
  ref: string
  /** Empty while the session is being indexed. */
  identity: string
  title: string | null
  project: string | null
  /** How many messages are indexed. */
  messages: number
  /** The id of its last part. */
  last: number
  checkpoint: string | null
}

export type IndexRow = Omit<IndexedSession, 'checkpoint'>

export interface IndexedPart {
  id: number
  session: number
  hash: number
  message: number
  part: number
  kind: number
  /** Characters of the whole part, also of what is not indexed. */
  size: number
  /** Seconds since 1970. */
  time: number | null
  /** In the session's own file. */
  start: number | null
  length: number | null
  /** Any other place, as JSON. */
  place: string | null
}

/** Its columns in their order. */
type PartRow = [
  ...[id: number, session: number, hash: number, message: number, part: number, kind: number, size: number],
  ...[time: number | null, start: number | null, length: number | null, place: string | null],
]

export type NewPart = Omit<IndexedPart, 'id' | 'session'>

/** What ranks a part. */
export type FoundPart = Pick<IndexedPart, 'id' | 'session' | 'message' | 'kind' | 'size'>

/** The words in UTF-8, as the table divides it. */
export interface PartWords {
  text: Uint8Array
  pieces: Uint8Array
  facets: string
}

const BUSY_MS = 5000
const MEMORY = ':memory:'
/** Ids of one second. A second with more parts continues in the next. */
const SLOTS = 64
const EPOCH_SECONDS = Date.UTC(2010) / 1000
const CACHE_KB = 16 * 1024
const MAX_CACHED_SESSIONS = 5000

/** The first id of a second. */
export function idAt(seconds: number): number {
  return Math.max(0, Math.floor(seconds) - EPOCH_SECONDS) * SLOTS
}

export function searchIndexPath(state: string): string {
  return join(state, `search-${SEARCH_INDEX_VERSION}.sqlite`)
}

/** A damaged file is removed; the index is then empty and is built again. */
export function openSearchIndex(state: string): SearchIndex {
  stateFolder(state)
  const path = searchIndexPath(state)
  try {
    return new SearchIndex(path)
  } catch (error) {
    if (!isDamaged(error)) throw explained(error, path)
    removeSearchIndex(state)
    return new SearchIndex(path)
  }
}

/** For a disk that cannot be written. It is gone when it is closed. */
export function openMemoryIndex(): SearchIndex {
  return new SearchIndex(MEMORY)
}

export function removeSearchIndex(state: string): void {
  const path = searchIndexPath(state)
  try {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

/** The file is not an index, or not the one that its own tables describe. */
export function isDamaged(error: unknown): boolean {
  const cause = error instanceof RethreadError ? error.cause : error
  if (isCorruption(cause)) return true
  const isSql = sqliteCode(cause) === 1
  return isSql && cause instanceof Error && /^no such (?:table|column)|malformed|vtable constructor/.test(cause.message)
}

function explained(error: unknown, path: string): unknown {
  return sqliteCode(error) === undefined ? error : fromSqliteWriteError(error, path, BUSY_MS)
}

export class SearchIndex {
  readonly path: string
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #inode: number
  /** Rows that a search needs again and again, as of `#version`. */
  readonly #sessions = new Map<number, IndexRow>()
  #count: number | undefined
  #version: unknown

  constructor(path: string) {
    this.path = path
    if (path !== MEMORY) makePrivate(path)
    this.#database = new DatabaseSync(path, { timeout: BUSY_MS })
    try {
      this.#database.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KB}; PRAGMA wal_autocheckpoint = 4000`,
      )
      if (!this.#hasTables()) this.#database.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`)
      this.#inode = path === MEMORY ? 0 : statSync(path).ino
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  #hasTables(): boolean {
    return this.#database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'words'").get() !== undefined
  }

  /** False once another process has removed the file or put another in its place. */
  isCurrent(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode
  }

  close(): void {
    this.#database.close()
  }

  /** All or nothing. A full disk or a lock that stays is an error with its code. */
  write<T>(change: () => T): T {
    this.#forget()
    return this.#attempt(() => {
      this.#database.exec('BEGIN IMMEDIATE')
      try {
        const result = change()
        this.#database.exec('COMMIT')
        this.#forget()
        return result
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
        throw error
      }
    })
  }

  /** What filters need of every session. */
  sessions(): Pick<IndexedSession, 'id' | 'key' | 'project'>[] {
    return this.#all('SELECT id, key, project FROM sessions') as unknown as IndexedSession[]
  }

  /** What decides whether a session is read again, by its key. */
  identities(): Map<string, Pick<IndexedSession, 'id' | 'identity'>> {
    return this.#attempt(() => {
      const statement = this.#prepare('SELECT id, key, identity FROM sessions')
      statement.setReturnArrays(true)
      const rows = statement.all() as unknown as [id: number, key: string, identity: string][]
      return new Map(rows.map(([id, key, identity]) => [key, { id, identity }]))
    })
  }

  sessionByKey(key: string): IndexedSession | undefined {
    return this.#get('SELECT * FROM sessions WHERE key = ?', key) as IndexedSession | undefined
  }

  /** Without its checkpoint, which is most of the row. */
  sessionById(id: number): IndexRow | undefined {
    const known = this.#sessions.get(id)
    if (known !== undefined) return known
    const columns = 'id, key, ref, identity, title, project, messages, last'
    const found = this.#get(`SELECT ${columns} FROM sessions WHERE id = ?`, id) as IndexRow | undefined
    if (found !== undefined && this.#sessions.size < MAX_CACHED_SESSIONS) this.#sessions.set(id, found)
    return found
  }

  /** Drops the cached rows if this or another process has written since. Called before a search. */
  renew(): void {
    const version = this.#get('PRAGMA data_version')?.['data_version']
    if (version !== this.#version) this.#forget()
    this.#version = version
  }

  #forget(): void {
    this.#sessions.clear()
    this.#count = undefined
  }

  addSession(key: string, ref: string): IndexedSession {
    this.#run("INSERT INTO sessions (key, ref, identity, messages, last) VALUES (?, ?, '', 0, 0)", key, ref)
    const added = this.sessionByKey(key)
    if (added === undefined) throw new Error('A session that was added is not there.')
    return added
  }

  updateSession(session: IndexedSession): void {
    const { id, ref, identity, title, project, messages, last, checkpoint } = session
    this.#run(
      'UPDATE sessions SET ref = ?, identity = ?, title = ?, project = ?, messages = ?, last = ?, checkpoint = ? WHERE id = ?',
      ...[ref, identity, title, project, messages, last, checkpoint, id],
    )
  }

  removeSession(id: number): void {
    this.removeParts(id)
    this.#run('DELETE FROM sessions WHERE id = ?', id)
  }

  /** The parts of a session, or of one of its messages. */
  removeParts(session: number, hash?: number): void {
    const [where, values] =
      hash === undefined ? ['session = ?', [session]] : ['session = ? AND hash = ?', [session, hash]]
    this.#run(`DELETE FROM words WHERE rowid IN (SELECT id FROM parts WHERE ${where})`, ...values)
    this.#run(`DELETE FROM parts WHERE ${where}`, ...values)
  }

  /** The number of a message that is indexed already. */
  messageNumber(session: number, hash: number): number | undefined {
    const found = this.#get('SELECT message FROM parts WHERE session = ? AND hash = ? LIMIT 1', session, hash)
    return found === undefined ? undefined : Number(found['message'])
  }

  /** The first free id from `wanted` on, and the next one that is taken. */
  freeIds(wanted: number): { first: number; end: number } {
    for (let first = wanted; ; ) {
      const next = this.#get('SELECT min(id) AS id FROM parts WHERE id >= ?', first)?.['id']
      if (typeof next !== 'number') return { first, end: Number.POSITIVE_INFINITY }
      if (next > first) return { first, end: next }
      const taken = this.#get('SELECT max(id) AS id FROM parts WHERE id >= ? AND id < ?', first, first + SLOTS)?.['id']
      first = Number(taken) + 1
    }
  }

  addPart(id: number, session: number, part: NewPart): void {
    const { hash, message, part: number, kind, size, time, start, length, place } = part
    this.#run(
      'INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[id, session, hash, message, number, kind, size, time, start, length, place],
    )
  }

  addWords(id: number, { text, pieces, facets }: PartWords): void {
    this.#run('INSERT INTO words (rowid, text, pieces, facets) VALUES (?, ?, ?, ?)', id, text, pieces, facets)
  }

  part(id: number): IndexedPart | undefined {
    return this.#attempt(() => {
      const statement = this.#prepare('SELECT * FROM parts WHERE id = ?')
      statement.setReturnArrays(true)
      const row = statement.get(id) as unknown as PartRow | undefined
      if (row === undefined) return undefined
      const [own, session, hash, message, part, kind, size, time, start, length, place] = row
      return { id: own, session, hash, message, part, kind, size, time, start, length, place }
    })
  }

  /** The matching parts, newest first. The caller may stop at any time. */
  *match(expression: string, from = 0, to: number = Number.MAX_SAFE_INTEGER): Generator<FoundPart, void, void> {
    const statement = this.#prepare(
      `SELECT parts.id, parts.session, parts.message, parts.kind, parts.size FROM words CROSS JOIN parts ON parts.id = words.rowid
       WHERE words MATCH ? AND words.rowid >= ? AND words.rowid <= ? ORDER BY words.rowid DESC`,
    )
    // Rows as arrays: creating an object for each by its names would take most of the time.
    statement.setReturnArrays(true)
    for (const row of statement.iterate(expression, from, to)) {
      const [id = 0, session = 0, message = 0, kind = 0, size = 0] = row as unknown as number[]
      yield { id, session, message, kind, size }
    }
  }

  fact(name: string): string | undefined {
    const found = this.#get('SELECT value FROM facts WHERE name = ?', name)
    return found === undefined ? undefined : String(found['value'])
  }

  setFact(name: string, value: string): void {
    this.#run('INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value', name, value)
  }

  countSessions(): number {
    this.#count ??= Number(this.#get("SELECT count(*) AS count FROM sessions WHERE identity <> ''")?.['count'] ?? 0)
    return this.#count
  }

  /** Joins some of the pieces in which the words were written. True while there is more to join. */
  join(pages: number): boolean {
    return this.write(() => {
      const before = this.#changes()
      this.#run("INSERT INTO words (words, rank) VALUES ('merge', ?)", pages)
      return this.#changes() - before >= 2
    })
  }

  #changes(): number {
    return Number(this.#get('SELECT total_changes() AS changes')?.['changes'] ?? 0)
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]): void {
    this.#attempt(() => this.#prepare(sql).run(...values))
  }

  #get(sql: string, ...values: (string | number | null)[]): Record<string, unknown> | undefined {
    return this.#attempt(() => this.#prepare(sql).get(...values))
  }

  #all(sql: string): Record<string, unknown>[] {
    return this.#attempt(() => this.#prepare(sql).all())
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const made = this.#database.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }

  #attempt<T>(step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw explained(error, this.path)
    }
  }
}

/** Only one process indexes at a time. The lock ends with the process that has it. */
export function holdSearchLock(state: string): { release(): void } | undefined {
  const path = join(stateFolder(state), 'search-lock.sqlite')
  let database: DatabaseSync | undefined
  try {
    makePrivate(path)
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
    const held = database
    return { release: () => held.close() }
  } catch (error) {
    database?.close()
    if (isBusy(error)) return undefined
    throw explained(error, path)
  }
}
