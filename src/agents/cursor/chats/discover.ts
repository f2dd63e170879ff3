// Finds the conversations in the databases of the editor's windows, and in the older rows of the shared one.
import { join } from 'node:path'
import { exists, identityOf, statPath } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { type Database, databaseMark } from '../../../disk/sqlite/read-database.ts'
import { failureOf, RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DiscoverOptions, Found, Location } from '../../store.ts'
import { listDatabase } from '../../stores/list-database.ts'
import { listStore } from '../../stores/list-folders.ts'
import { present } from '../../stores/values.ts'
import { type Composer, composersWithMessages, listComposers } from '../ide/composers.ts'
import { composerRef, TABLES } from '../ide/discover.ts'
import { folderOfWindow } from '../ide/workspaces.ts'
import { AGENT } from '../places.ts'
import { type StoredChat, type StoredChats, storedChats } from './rows.ts'

export const CHATS = 'chats'

export async function* discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  if (location.path.endsWith('state.vscdb')) {
    if (exists(location.path)) yield* discoverIn({ ...location, isShared: true }, undefined, options)
    return
  }
  const listing = listStore(AGENT, location)
  yield* listing.failures
  for (const { path } of listing.folders) {
    const state = { path: join(path, 'state.vscdb'), root: location.root, isShared: false }
    if (!exists(state.path)) continue
    let project: string | undefined
    try {
      project = folderOfWindow(path, location.root)
    } catch (error) {
      yield { type: 'failure', failure: failureOf(AGENT, error, path) }
    }
    yield* discoverIn(state, project, options)
  }
}

interface State extends Location {
  /** The database of all windows. Its composers are a store of their own. */
  isShared: boolean
}

async function* discoverIn(
  state: State,
  project: string | undefined,
  options: DiscoverOptions,
): AsyncGenerator<Found, void, void> {
  const { path, root: storeRoot, isShared } = state
  const list = (database: Database): Listed[] => listIn(database, isShared)
  let listed: Listed[]
  let failures: Found[]
  let moved: Set<string>
  try {
    ;({ value: listed, failures } = await listDatabase(
      { agent: AGENT, path, storeRoot, list, tables: TABLES },
      options,
    ))
    const ids = listed.flatMap(({ chats }) => chats.map(({ id }) => id))
    // A composer that was moved to the shared database is listed there.
    moved = new Set(ids.length === 0 ? [] : await composersWithMessages(ids, options))
  } catch (error) {
    failures = [{ type: 'failure', failure: failureOf(AGENT, error, path) }]
    listed = []
    moved = new Set()
  }
  // The store of the composers reports what is wrong with the shared database.
  if (!isShared) yield* failures
  for (const rows of listed) yield* found(rows)

  function* found({ chats, composers, malformed, unknown }: Listed): Generator<Found, void, void> {
    for (const error of [
      ...malformed.map(key => malformedRow(path, key)),
      ...unknown.map(key => unknownRow(path, key)),
    ])
      yield { type: 'failure', failure: failureOf(AGENT, error, path) }
    const file = identityOf(statPath(path))
    // Damage of a page does not change the row that is listed.
    const isDamaged = failures.some(one => one.type === 'failure' && one.failure.code === 'database-corrupt')
    const mark = { ...file, database: isDamaged ? databaseMark(path) : '' }
    for (const chat of chats)
      if (!moved.has(chat.id)) yield { type: 'session', session: refOf(state, chat, mark, project) }
    for (const composer of composers) yield { type: 'session', session: composerRef(state, composer, file, project) }
  }
}

interface Listed extends StoredChats {
  composers: Composer[]
}

/** Empty if there is nothing to list, which a damaged database must not be taken for. */
function listIn(database: Database, isShared: boolean): Listed[] {
  const stored = { ...storedChats(database), composers: isShared ? [] : listComposers(database) }
  return Object.values(stored).some(list => list.length > 0) ? [stored] : []
}

function refOf(
  { path, root }: State,
  chat: StoredChat,
  file: ReturnType<typeof identityOf> & { database: string },
  project: string | undefined,
): SessionRef {
  const updated = chat.updatedAt ?? chat.startedAt
  return present<SessionRef>({
    agent: AGENT,
    sessionId: chat.id,
    filePath: path,
    generation: CHATS,
    storeRoot: root,
    updatedAt: updated === undefined ? file.mtimeMs : Date.parse(updated),
    fileSize: file.size,
    identity: `${file.device}:${file.inode}:${chat.id}:${updated}:${chat.bytes}:${file.database}`,
    title: chat.title,
    project,
    messageCount: undefined,
    subagentOf: undefined,
  })
}

function malformedRow(path: string, key: string): RethreadError {
  const query = `SELECT length(value) FROM ItemTable WHERE key = '${key}'`
  return new RethreadError({
    code: 'not-a-session',
    text: `The row ${key} in ${path} is not JSON: conversations in it are not listed.`,
    hint: `See how long it is: sqlite3 -readonly ${quote(path)} ${quote(query)}`,
    path,
  })
}

function unknownRow(path: string, key: string): RethreadError {
  const query = `SELECT length(value) FROM ItemTable WHERE key = '${key}'`
  return new RethreadError({
    code: 'unsupported',
    text: `The row ${key} in ${path} holds conversations of another kind than Cursor's own: they are not listed.`,
    hint: `See how long it is: sqlite3 -readonly ${quote(path)} ${quote(query)}`,
    path,
  })
}
