// Lists the conversations of a journal without reading their messages.
import { createHash } from 'node:crypto'
import type { DiscoverOptions, Found, Location } from '../../agents/store.ts'
import { exists, identityOf, statPath } from '../../disk/files/read.ts'
import { fromSqliteError, isCorruption } from '../../disk/sqlite/errors.ts'
import { failureOf } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { openJournalReader } from '../store/read-only.ts'
import type { SqlConnection } from '../store/sql-connection.ts'
import {
  bytesOf,
  eachOrphan,
  eachSession,
  hasPrompt,
  hasTables,
  type JournalSessionRow,
  lastEvent,
  metadataText,
  readMetadataText,
} from './tables.ts'

export const JOURNAL_STORE = 'acp'

export async function* discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  const { path } = location
  if (!exists(path) || statPath(path).size === 0n) return
  const reader = openJournalReader(path, options)
  try {
    yield* await reader.use(connection => (hasTables(connection, path) ? list(connection, location) : []))
  } finally {
    reader.close()
  }
}

/** Where the table is damaged in between, reads from both ends. */
function list(connection: SqlConnection, location: Location): Found[] {
  const found = new Map<number, Found>()
  const damage = collect(connection, location, 'newest', found)
  if (damage !== undefined) collect(connection, location, 'oldest', found)
  collect(connection, location, 'lost', found)
  if (damage === undefined) return [...found.values()]
  const failure = failureOf('journal', fromSqliteError(damage, location.path), location.path)
  return [...found.values(), { type: 'failure', failure }]
}

/** Returns the damage that ended the scan, if any. */
function collect(
  connection: SqlConnection,
  location: Location,
  way: 'newest' | 'oldest' | 'lost',
  found: Map<number, Found>,
): unknown {
  try {
    for (const row of way === 'lost' ? eachOrphan(connection) : eachSession(connection, way)) {
      if (!row.isConversation || row.isDestroyed || found.has(row.number)) continue
      const session = describe(connection, location, row)
      if (session !== undefined) found.set(row.number, { type: 'session', session })
    }
    return undefined
  } catch (error) {
    if (!isCorruption(error)) throw error
    return error
  }
}

/** Undefined where the conversation has no prompt. */
function describe(connection: SqlConnection, location: Location, row: JournalSessionRow): SessionRef | undefined {
  const activity = readActivity(connection, row)
  if (activity === undefined) return undefined
  const { device, inode, size } = identityOf(statPath(location.path))
  const title = readMetadataText(activity.metadata)?.title
  return {
    agent: 'journal',
    sessionId: row.id,
    filePath: location.path,
    generation: JOURNAL_STORE,
    storeRoot: location.root,
    updatedAt: activity.at,
    fileSize: size,
    ownBytes: activity.bytes,
    identity: `${device}:${inode}:journal:${row.number}:${activity.seq}:${hashOf(activity.metadata)}`,
    ...(row.cwd === undefined ? {} : { project: row.cwd }),
    ...(title === undefined ? {} : { title }),
  }
}

interface Activity {
  seq: number
  at: number
  bytes: number
  metadata: string | undefined
}

function readActivity(connection: SqlConnection, { id, createdAt }: JournalSessionRow): Activity | undefined {
  try {
    const last = lastEvent(connection, id)
    if (last === undefined || !hasPrompt(connection, id)) return undefined
    const bytes = bytesOf(connection, id)
    return { ...last, bytes, at: last.at === 0 ? createdAt : last.at, metadata: metadataText(connection, id) }
  } catch (error) {
    // The reader of the conversation reports the damage. Here it is only listed.
    if (!isCorruption(error)) throw error
    return { seq: 0, at: createdAt, bytes: 0, metadata: undefined }
  }
}

function hashOf(text: string | undefined): string {
  return text === undefined ? '-' : createHash('sha256').update(text).digest('hex').slice(0, 16)
}
