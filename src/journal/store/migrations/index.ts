// THE LIST of migrations, in order. A published migration never changes: add a new one instead.
import type { Migration } from 'kysely'
import { Migrator, sql } from 'kysely'
import { RethreadError } from '../../../model/errors.ts'
import type { JournalKysely } from '../schema.ts'
import { firstTables } from './0001-first-tables.ts'
import { connections } from './0002-connections.ts'

export const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0002-connections': connections,
}

/**
 * Brings the tables up to date. Refuses tables of a newer rethread. Writes nothing where none is missing, so
 * that a read-only journal can be opened.
 */
export async function migrate(
  database: JournalKysely,
  path: string,
  known: Record<string, Migration> = migrations,
): Promise<void> {
  const done = await listDone(database)
  const unknown = done.filter(name => !Object.hasOwn(known, name))
  if (unknown.some(name => MIGRATION_NAME.test(name))) throw tooNew(path, unknown)
  // The tables count, not the record of their making: a damaged record must not close the whole journal.
  if (known === migrations && (await hasAllColumns(database))) return
  if (done.length === Object.keys(known).length) return
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => known } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}

const MIGRATION_NAME = /^\d{4}-[a-z-]+$/

/** The newest columns of each table. */
const NEWEST_COLUMNS: Record<string, readonly string[]> = {
  sessions: ['number', 'id', 'cwd', 'kind', 'open_turns', 'replay_state', 'replay_up_to'],
  events: ['session_id', 'seq', 'payload_json', 'checksum'],
  connections: ['id', 'owner_pid', 'agent_began'],
  opencode_session_metadata: ['session_id', 'metadata_json'],
  quarantine: ['number', 'row_json'],
}

async function hasAllColumns(database: JournalKysely): Promise<boolean> {
  const tables = await database.introspection.getTables()
  return Object.entries(NEWEST_COLUMNS).every(([table, columns]) => {
    const found = new Set(tables.find(({ name }) => name === table)?.columns.map(({ name }) => name))
    return columns.every(name => found.has(name))
  })
}

async function listDone(database: JournalKysely): Promise<string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: unknown }>`select name from kysely_migration`.execute(database)
  return rows.map(({ name }) => String(name))
}

function tooNew(path: string, names: string[]): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} was written by a newer rethread: it has ${names.join(', ')}, which this version does not know. Nothing was changed.`,
    hint: 'Install the newer version: npm install --global rethread@latest. Or choose another file for the journal.',
    path,
  })
}
