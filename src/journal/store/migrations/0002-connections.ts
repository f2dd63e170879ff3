// Connections with their processes, so that an orphaned agent is found; open turns; pending replays.
import type { Kysely, Migration } from 'kysely'

export const connections: Migration = {
  async up(database) {
    await addSessionColumns(database)
    await makeConnections(database)
  },
}

async function addSessionColumns(database: Kysely<unknown>): Promise<void> {
  const sessions = database.schema.alterTable('sessions')
  await sessions.addColumn('kind', 'text', column => column.notNull().defaultTo('conversation')).execute()
  await sessions.addColumn('open_turns', 'integer', column => column.notNull().defaultTo(0)).execute()
  await sessions.addColumn('replay_state', 'text').execute()
  await sessions.addColumn('replay_up_to', 'integer').execute()
}

async function makeConnections(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('connections')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('agent', 'text', column => column.notNull())
    .addColumn('began_at', 'integer', column => column.notNull())
    .addColumn('ended_at', 'integer')
    .addColumn('owner_pid', 'integer', column => column.notNull())
    .addColumn('owner_began', 'text', column => column.notNull())
    .addColumn('agent_pid', 'integer')
    .addColumn('agent_began', 'text')
    .execute()
}
