// The databases beside the rollouts. Codex derives the first two from the rollouts. It loads no thread with
// ordinals if it cannot open one of the six.
import { basename, dirname, join } from 'node:path'
import { exists } from '../../../disk/files/read.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { databaseMark, readDatabase } from '../../../disk/sqlite/read-database.ts'
import type { ErrorCode } from '../../../model/errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import { asText } from '../../stores/values.ts'

export const INDEX = 'state_5.sqlite'
export const PROJECTION = 'thread_history_1.sqlite'

/** With the tables that a resume needs. */
export const DATABASES: readonly { name: string; tables: readonly string[] }[] = [
  { name: INDEX, tables: ['_sqlx_migrations', 'backfill_state', 'threads'] },
  { name: PROJECTION, tables: ['_sqlx_migrations', 'thread_items', 'thread_turns', 'thread_history_projection_state'] },
  { name: 'logs_2.sqlite', tables: [] },
  { name: 'goals_1.sqlite', tables: [] },
  { name: 'memories_1.sqlite', tables: [] },
  { name: 'queue_1.sqlite', tables: [] },
]

/**
 * The folder with the databases. Undefined for a rollout in another place, such as a copy: databases beside
 * it are not its own.
 */
export function codexHomeOf({ storeRoot }: SessionRef): string | undefined {
  return ['sessions', 'archived_sessions'].includes(basename(storeRoot)) ? dirname(storeRoot) : undefined
}

export interface ExaminedDatabase {
  /** Why Codex cannot use it. */
  damage?: string
  /** For the index database: the path of each thread. */
  paths: Map<string, string>
}

interface Known {
  identity: string
  examined: Promise<ExaminedDatabase>
}

/** All sessions share the databases. Each is examined once as long as it does not change. */
const known = new Map<string, Known>()
const MAX_KNOWN = 64

export async function inspectIndexDatabase(home: string, name: string): Promise<ExaminedDatabase> {
  const file = join(home, name)
  if (!exists(file)) return { paths: new Map() }
  const identity = databaseMark(file)
  const before = known.get(file)
  if (before?.identity === identity) return await before.examined
  if (known.size >= MAX_KNOWN) known.clear()
  const examined = examine(file, home, name)
  known.set(file, { identity, examined })
  // A temporary failure, such as a locked database, is tried again.
  examined.catch(() => known.delete(file))
  return await examined
}

async function examine(file: string, home: string, name: string): Promise<ExaminedDatabase> {
  const needed = DATABASES.find(database => database.name === name)?.tables ?? []
  const paths = new Map<string, string>()
  const damage = await damageOf(file, home, database => {
    const missing = needed.find(table => !database.hasTable(table))
    if (missing !== undefined) return `the table ${missing} is missing`
    if (database.hasTable('_sqlx_migrations')) database.all('SELECT version FROM _sqlx_migrations')
    if (name !== INDEX) return undefined
    for (const { id, rollout_path } of database.each('SELECT id, rollout_path FROM threads'))
      if (typeof id === 'string' && typeof rollout_path === 'string') paths.set(id, rollout_path)
    return undefined
  })
  return { paths, ...(damage === undefined ? {} : { damage }) }
}

type DatabaseCheck = (database: Database) => string | undefined

async function damageOf(file: string, home: string, use: DatabaseCheck): Promise<string | undefined> {
  try {
    return await readDatabase(file, home, use)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    if (error.code === 'database-corrupt') return causeOf(error)
    // Codex turns an empty file into a database again. A file that was deleted meanwhile is not needed.
    if (HARMLESS.has(error.code)) return undefined
    throw error
  }
}

const HARMLESS = new Set<ErrorCode>(['empty-file', 'not-found'])

function causeOf(error: RethreadError): string {
  return error.cause instanceof Error ? error.cause.message : error.message
}

/**
 * Rows of one table. None if the database does not exist or cannot be read: another check reports it and sets
 * it aside.
 */
async function rowsOf(home: string, name: string, table: string, column: string, value: string): Promise<Row[]> {
  const file = join(home, name)
  const rows: Row[] = []
  if (!exists(file)) return rows
  await damageOf(file, home, database => {
    if (!database.hasTable(table)) return undefined
    rows.push(...database.all(`SELECT * FROM ${table} WHERE ${column} = ?`, value))
    return undefined
  })
  return rows
}

/** The row of a thread in the index. */
export async function threadRow(home: string, thread: string): Promise<Row | undefined> {
  return (await rowsOf(home, INDEX, 'threads', 'id', thread))[0]
}

export interface Projected {
  /** Up to which byte of the rollout the projection has come. */
  offset: number
  turns: string[]
}

export async function projectionOf(home: string, thread: string): Promise<Projected | undefined> {
  const [cursor] = await rowsOf(home, PROJECTION, 'thread_history_projection_state', 'thread_id', thread)
  if (cursor === undefined) return undefined
  const turns = await rowsOf(home, PROJECTION, 'thread_turns', 'thread_id', thread)
  return {
    offset: Number(cursor['next_rollout_byte_offset']),
    turns: turns.flatMap(row => asText(row['turn_id']) ?? []),
  }
}
