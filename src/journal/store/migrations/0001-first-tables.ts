// Sessions, their events, metadata of clients, and the quarantine for damaged rows.
import type { Kysely, Migration } from 'kysely'

export const firstTables: Migration = {
  async up(database) {
    await makeSessions(database)
    await makeEvents(database)
    await makeMetadata(database)
    await makeQuarantine(database)
  },
}

async function makeSessions(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('sessions')
    .addColumn('number', 'integer', column => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', column => column.notNull().unique())
    .addColumn('agent', 'text', column => column.notNull())
    .addColumn('agent_session_id', 'text', column => column.notNull())
    .addColumn('last_connection_id', 'text', column => column.notNull())
    .addColumn('created_at', 'integer', column => column.notNull())
    .addColumn('destroyed_at', 'integer')
    .addColumn('session_init_json', 'text')
    .addColumn('cwd', 'text', column => column.notNull())
    .addColumn('restored_by', 'text')
    .execute()
}

async function makeEvents(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('events')
    .addColumn('session_id', 'text', column => column.notNull())
    .addColumn('seq', 'integer', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addColumn('created_at', 'integer', column => column.notNull())
    .addColumn('connection_id', 'text', column => column.notNull())
    .addColumn('sender', 'text', column => column.notNull())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('payload_json', 'text', column => column.notNull())
    .addColumn('checksum', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('events_order', ['session_id', 'seq'])
    .execute()
}

async function makeMetadata(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('opencode_session_metadata')
    .addColumn('session_id', 'text', column => column.primaryKey())
    .addColumn('metadata_json', 'text', column => column.notNull())
    .execute()
}

async function makeQuarantine(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('quarantine')
    .addColumn('number', 'integer', column => column.primaryKey().autoIncrement())
    .addColumn('table_name', 'text', column => column.notNull())
    .addColumn('row_key', 'text', column => column.notNull())
    .addColumn('reason', 'text', column => column.notNull())
    .addColumn('found_at', 'integer', column => column.notNull())
    .addColumn('row_json', 'text', column => column.notNull())
    .addUniqueConstraint('quarantine_once', ['table_name', 'row_key', 'reason'])
    .execute()
}
