// Follows the journal across processes: finds what others have changed since the last time.
import { CompiledQuery } from 'kysely'
import { isCorrupt } from '../errors.ts'
import { readEventRow } from './event-rows.ts'
import type { JournalKysely } from './schema.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { FollowedChanges, JournalFollower } from './store.ts'

/** One reading. What is beyond comes with the next one. */
const MAX_EVENTS = 500
const COLUMNS =
  'rowid AS row_number, session_id, seq, id, created_at, connection_id, sender, kind, checksum, cast(payload_json as blob) AS payload_json'

export class SqlFollower implements JournalFollower {
  readonly #reader: JournalKysely
  #version: unknown
  #lastRow = 0

  private constructor(reader: JournalKysely) {
    this.#reader = reader
  }

  /** Follows from the last event on. */
  static async start(reader: JournalKysely): Promise<SqlFollower> {
    const follower = new SqlFollower(reader)
    follower.#version = await follower.#readVersion()
    follower.#lastRow = await follower.#readLastRow()
    return follower
  }

  /**
   * The new events in the order of their commits. Damaged ones are
   * left out: a page of the session reports them.
   */
  async next(): Promise<FollowedChanges> {
    const version = await this.#readVersion()
    if (version === this.#version) return { events: [], isChanged: false }
    // Rows of a discarded session may be gone, and their numbers are used again.
    this.#lastRow = Math.min(this.#lastRow, await this.#readLastRow())
    const rows = await this.#query(`SELECT ${COLUMNS} FROM events WHERE rowid > ? ORDER BY rowid LIMIT ${MAX_EVENTS}`, [
      this.#lastRow,
    ])
    if (rows.length < MAX_EVENTS) this.#version = version
    this.#lastRow = Number(rows.at(-1)?.['row_number'] ?? this.#lastRow)
    const events = rows.flatMap(row => {
      const read = readEventRow(row)
      return 'event' in read ? [read.event] : []
    })
    return { events, isChanged: true }
  }

  async liveSessions(): Promise<ReadonlySet<string> | undefined> {
    const rows = await this.#read("SELECT id FROM sessions WHERE kind = 'conversation' AND destroyed_at IS NULL", [])
    return rows === undefined ? undefined : new Set(rows.map(({ id }) => id).filter(id => typeof id === 'string'))
  }

  /** Changes with every commit of another connection. Costs no access to the disk. */
  async #readVersion(): Promise<unknown> {
    return (await this.#query('PRAGMA data_version', []))[0]?.['data_version']
  }

  async #readLastRow(): Promise<number> {
    return Number((await this.#query('SELECT max(rowid) AS last FROM events', []))[0]?.['last'] ?? 0)
  }

  async #query(sql: string, values: unknown[]): Promise<StoredRecord[]> {
    return (await this.#read(sql, values)) ?? []
  }

  /** Undefined where the table is damaged. */
  async #read(sql: string, values: unknown[]): Promise<StoredRecord[] | undefined> {
    try {
      return (await this.#reader.executeQuery<StoredRecord>(CompiledQuery.raw(sql, values))).rows
    } catch (error) {
      if (isCorrupt(error)) return undefined
      throw error
    }
  }
}
