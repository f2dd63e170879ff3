// Appends to one session inside a transaction: numbers, rows, and the changes that go with them.
import { type CompiledQuery, sql } from 'kysely'
import type { RethreadError } from '../../model/errors.ts'
import { damagedRow, isDuplicateRow, sessionNotFound } from '../errors.ts'
import { MAX_SEQ, makeEventRow } from './event-rows.ts'
import type { JournalKysely } from './schema.ts'
import { makeSessionUpdate } from './session-rows.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { Appended, Envelope, Metadata, SessionChange, StateChange } from './store.ts'

/**
 * The two statements for every envelope. Compiled once, because kysely takes longer to build one than SQLite
 * to run it.
 */
export interface EventStatements {
  findLast: CompiledQuery
  insert: CompiledQuery
}

export function compileStatements(database: JournalKysely): EventStatements {
  const nothing = new Uint8Array()
  return {
    findLast: database
      .selectFrom('sessions')
      .select(({ selectFrom }) =>
        selectFrom('events')
          .select(({ fn }) => fn.max('seq').as('last'))
          .whereRef('session_id', '=', 'sessions.id')
          .where('seq', '<=', MAX_SEQ)
          .as('last'),
      )
      .where('id', '=', '')
      .compile(),
    insert: database
      .insertInto('events')
      .values({
        session_id: '',
        seq: 0,
        id: '',
        created_at: 0,
        connection_id: '',
        sender: '',
        kind: '',
        // The bytes are stored as text without decoding.
        payload_json: sql<Uint8Array>`cast(${nothing} as text)`,
        checksum: 0,
      })
      .compile(),
  }
}

/** Runs a statement in the open transaction. */
export type RunStatement = (
  transaction: JournalKysely,
  query: CompiledQuery,
) => readonly StoredRecord[] | Promise<readonly StoredRecord[]>

export interface AppendRequest {
  path: string
  sessionId: string
  envelopes: readonly Envelope[]
  change: StateChange
}

/**
 * Returns a refusal instead of throwing it. Nothing was written then, so the rest of the transaction
 * continues.
 */
export async function appendEvents(
  transaction: JournalKysely,
  statements: EventStatements,
  run: RunStatement,
  { path, sessionId, envelopes, change }: AppendRequest,
): Promise<Appended | RethreadError> {
  const [found] = await run(transaction, withValues(statements.findLast, [MAX_SEQ, sessionId]))
  if (found === undefined) return sessionNotFound(path, sessionId)
  // Read under the lock of this transaction, so that no other writer takes the same number.
  const firstSeq = Number(found['last'] ?? 0) + 1
  const damage = `The order of the events of session ${sessionId}`
  if (!Number.isSafeInteger(firstSeq)) throw damagedRow(path, damage)
  try {
    let seq = firstSeq
    for (const envelope of envelopes)
      await run(transaction, withValues(statements.insert, Object.values(makeEventRow(sessionId, seq++, envelope))))
  } catch (error) {
    throw isDuplicateRow(error) ? damagedRow(path, damage, error) : error
  }
  if (change.session !== undefined) await writeSession(transaction, sessionId, change.session)
  if (change.metadata !== undefined) await writeMetadata(transaction, sessionId, change.metadata)
  return { firstSeq, lastSeq: firstSeq + envelopes.length - 1 }
}

function withValues(query: CompiledQuery, parameters: readonly unknown[]): CompiledQuery {
  return { ...query, parameters }
}

async function writeSession(transaction: JournalKysely, id: string, change: SessionChange): Promise<void> {
  const update = makeSessionUpdate(change)
  if (Object.keys(update).length === 0) return
  await transaction.updateTable('sessions').set(update).where('id', '=', id).execute()
}

export async function writeMetadata(transaction: JournalKysely, id: string, metadata: Metadata): Promise<void> {
  const row = { session_id: id, metadata_json: JSON.stringify(metadata) }
  await transaction
    .insertInto('opencode_session_metadata')
    .values(row)
    .onConflict(conflict => conflict.column('session_id').doUpdateSet({ metadata_json: row.metadata_json }))
    .execute()
}
