// The conversations of the editor, from one query over the composers' keys. Their messages are only counted,
// through the index.

import { exists, identityOf, statPath } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { failureOf, RethreadError } from '../../../model/errors.ts'
import { quoteSql } from '../../../model/paste.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DiscoverOptions, Found, Location } from '../../store.ts'
import type { KnownTables } from '../../stores/known-tables.ts'
import { listDatabase } from '../../stores/list-database.ts'
import { asTime, present } from '../../stores/values.ts'
import { AGENT } from '../places.ts'
import type { Composer } from './composers.ts'
import { allComposers, composerKey, hasConversation } from './composers.ts'
import { workspacePointers } from './workspaces.ts'

export const IDE = 'ide'

/** An editor in which the agent was never used has the second table alone. */
export const TABLES: KnownTables = { conversations: { cursorDiskKV: ['key', 'value'], ItemTable: ['key', 'value'] } }

export async function* discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  if (!exists(location.path)) return
  const file = identityOf(statPath(location.path))
  const { path, root: storeRoot } = location
  const listable = { agent: AGENT, path, storeRoot, list: allComposers, tables: TABLES }
  const { value, failures } = await listDatabase(listable, options)
  yield* failures
  const composers = value.filter(hasConversation)
  const needsPointers = composers.some(composer => composer.fields.project === undefined)
  const folderOf = needsPointers ? await workspacePointers(options) : new Map<string, string>()
  for (const composer of composers) {
    if (composer.state === 'unreadable' && composer.bubbles === 0)
      yield { type: 'failure', failure: failureOf(AGENT, lostComposer(composer, location.path)) }
    else yield { type: 'session', session: composerRef(location, composer, file, folderOf.get(composer.id)) }
  }
}

export function composerRef(
  location: Location,
  composer: Composer,
  file: ReturnType<typeof identityOf>,
  pointedTo: string | undefined,
): SessionRef {
  const { title, project, createdAt, updatedAt, subagentOf } = composer.fields
  const updated = asTime(updatedAt) ?? asTime(createdAt)
  return present<SessionRef>({
    agent: AGENT,
    sessionId: composer.id,
    filePath: location.path,
    generation: IDE,
    storeRoot: location.root,
    updatedAt: updated === undefined ? file.mtimeMs : Date.parse(updated),
    fileSize: file.size,
    // The editor rewrites the composer with every message. The messages themselves are not read: there can be
    // gigabytes of them.
    identity: `${file.device}:${file.inode}:${composer.id}:${updated}:${composer.bytes}:${composer.bubbles}`,
    title,
    project: project ?? pointedTo,
    // The number of rows is not the number of messages, so reading must count them.
    messageCount: undefined,
    subagentOf,
  })
}

function lostComposer(composer: Composer, path: string): RethreadError {
  const query = `SELECT typeof(value), length(value) FROM cursorDiskKV WHERE key = ${quoteSql(composerKey(composer.id))}`
  return new RethreadError({
    code: 'not-a-session',
    text: `The conversation ${composer.id} in ${path} is not JSON, and none of its messages is left.`,
    hint: `See how long the row is: sqlite3 -readonly ${quote(path)} ${quote(query)}`,
    path,
  })
}
