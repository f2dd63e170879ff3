// Connections in the journal: which rethread talks to which agent, and which connection owns a session.

import type { ProcessIdentity } from '../../disk/processes/process-identity.ts'
import { sessionNotFound } from '../errors.ts'
import type { ConnectionsTable, JournalKysely } from './schema.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { JournalConnection } from './store.ts'

export async function insertConnection(
  database: JournalKysely,
  connection: Omit<JournalConnection, 'endedAt' | 'process'>,
): Promise<void> {
  const { id, agent, beganAt, owner } = connection
  const row = { id, agent, began_at: beganAt, ended_at: null, owner_pid: owner.pid, owner_began: owner.began }
  await database
    .insertInto('connections')
    .values({ ...row, agent_pid: null, agent_began: null })
    .execute()
}

export async function updateConnection(
  database: JournalKysely,
  id: string,
  change: Partial<ConnectionsTable>,
): Promise<void> {
  await database.updateTable('connections').set(change).where('id', '=', id).execute()
}

export function processColumns({ pid, began }: ProcessIdentity): Partial<ConnectionsTable> {
  return { agent_pid: pid, agent_began: began }
}

export async function readConnection(database: JournalKysely, id: string): Promise<JournalConnection | undefined> {
  const query = database.selectFrom('connections').selectAll().where('id', '=', id).$castTo<StoredRecord>()
  const row = await query.executeTakeFirst()
  return row === undefined ? undefined : fromRow(row)
}

/** A row with invalid values owns no session. */
export async function readOpenConnections(database: JournalKysely): Promise<JournalConnection[]> {
  const query = database.selectFrom('connections').selectAll().where('ended_at', 'is', null)
  const rows = await query.orderBy('began_at').$castTo<StoredRecord>().execute()
  return rows.map(fromRow).filter(connection => connection !== undefined)
}

/** Runs inside a transaction. Returns the owner where there is one, and then changes nothing. */
export async function claimSession(
  transaction: JournalKysely,
  path: string,
  { sessionId, connectionId }: { sessionId: string; connectionId: string },
  isHeld: (connection: JournalConnection) => boolean,
) {
  const query = transaction.selectFrom('sessions').select('last_connection_id').where('id', '=', sessionId)
  const session = await query.executeTakeFirst()
  if (session === undefined) return sessionNotFound(path, sessionId)
  const holder = await readConnection(transaction, session.last_connection_id)
  if (holder !== undefined && holder.id !== connectionId && holder.endedAt === undefined && isHeld(holder))
    return { holder }
  await transaction
    .updateTable('sessions')
    .set({ last_connection_id: connectionId })
    .where('id', '=', sessionId)
    .execute()
  return { holder: undefined }
}

function fromRow(row: StoredRecord): JournalConnection | undefined {
  const { id, agent, began_at, ended_at, owner_pid, owner_began, agent_pid, agent_began } = row
  // Only the id and the owner decide who may write. The rest is for people.
  if (typeof id !== 'string') return undefined
  if (typeof owner_pid !== 'number' || typeof owner_began !== 'string') return undefined
  return {
    id,
    agent: typeof agent === 'string' ? agent : 'unknown',
    beganAt: typeof began_at === 'number' ? began_at : 0,
    endedAt: typeof ended_at === 'number' ? ended_at : undefined,
    owner: { pid: owner_pid, began: owner_began },
    process:
      typeof agent_pid === 'number' && typeof agent_began === 'string'
        ? { pid: agent_pid, began: agent_began }
        : undefined,
  }
}
