// The chats of the command line agent. If a chat database is visibly broken, the transcript of the same chat
// is listed as its backup.

import { exists, identityOf, statPath } from '../../../disk/files/read.ts'
import { databaseMark } from '../../../disk/sqlite/read-database.ts'
import { failureOf, RethreadError } from '../../../model/errors.ts'
import { paste } from '../../../model/paste.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DiscoverOptions, Found, Location } from '../../store.ts'
import { present } from '../../stores/values.ts'
import { AGENT } from '../places.ts'
import { transcriptIds } from '../transcripts/list.ts'
import type { ChatFolder } from './chats.ts'
import { listChats, storeState } from './chats.ts'
import type { Sidecar } from './sidecar.ts'
import { readSidecar, realTitle } from './sidecar.ts'

export const CLI = 'cli'

export async function* discover(
  location: Location,
  { environment }: DiscoverOptions,
): AsyncGenerator<Found, void, void> {
  let transcripts: Set<string> | undefined
  const hasTranscript = (id: string) => {
    transcripts ??= transcriptIds(environment)
    return transcripts.has(id)
  }
  for (const { chats, failures } of listChats(location)) {
    yield* failures
    for (const chat of chats) {
      const found = examine(location, chat, hasTranscript)
      if (found !== undefined) yield found
    }
  }
}

function examine(location: Location, chat: ChatFolder, hasTranscript: (id: string) => boolean): Found | undefined {
  try {
    const state = storeState(chat, location.root)
    const sidecar = readSidecar(chat.path, location.root)
    if (state === 'missing') return isLost(sidecar) ? failure(chat, lostStore(chat)) : undefined
    if (state === 'damaged' && hasTranscript(chat.id)) return failure(chat, damagedStore(chat))
    return { type: 'session', session: refOf(location, chat, sidecar) }
  } catch (error) {
    return failure(chat, error)
  }
}

/** A folder without a database was a chat only if its meta.json says so. */
function isLost(sidecar: Sidecar): boolean {
  return exists(sidecar.path) && sidecar.fields.hasConversation !== false
}

function refOf(location: Location, chat: ChatFolder, sidecar: Sidecar): SessionRef {
  const main = identityOf(statPath(chat.store))
  // A commit into the WAL does not change the main file.
  const log = exists(`${chat.store}-wal`) ? identityOf(statPath(`${chat.store}-wal`)).mtimeMs : 0
  const beside = exists(sidecar.path) ? identityOf(statPath(sidecar.path)).mark : 'none'
  return present<SessionRef>({
    agent: AGENT,
    sessionId: chat.id,
    filePath: chat.store,
    generation: CLI,
    storeRoot: location.root,
    updatedAt: Math.max(main.mtimeMs, log),
    fileSize: main.size,
    identity: `${databaseMark(chat.store)}:${beside}`,
    title: realTitle(sidecar.fields.title),
    project: sidecar.fields.project,
    messageCount: undefined,
    subagentOf: undefined,
  })
}

function failure(chat: ChatFolder, error: unknown): Found {
  return { type: 'failure', failure: failureOf(AGENT, error, chat.store) }
}

function lostStore(chat: ChatFolder): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `${chat.store} is gone; only the files beside it are left of the chat.`,
    hint: `If there is a transcript, it is listed: ${paste('rethread show', chat.id)}`,
    path: chat.store,
  })
}

function damagedStore(chat: ChatFolder): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: `${chat.store} is damaged. The transcript of the chat is listed instead.`,
    hint: `See the transcript: ${paste('rethread show', chat.id)}`,
    path: chat.store,
  })
}
