// chats/<md5 of the project>/<chat>/store.db: the existing chats, and whether a database can be read at all.
import { join } from 'node:path'
import { exists, openFile, statPath } from '../../../disk/files/read.ts'
import type { Found, Location } from '../../store.ts'
import { listInside, listStore } from '../../stores/list-folders.ts'
import { AGENT } from '../places.ts'

export interface ChatFolder {
  id: string
  path: string
  store: string
}

/** The chats of one project, or why they could not be listed. */
export interface ChatProject {
  chats: ChatFolder[]
  failures: Found[]
}

export function* listChats(location: Location): Generator<ChatProject, void, void> {
  const projects = listStore(AGENT, location)
  yield { chats: [], failures: projects.failures }
  for (const project of projects.folders) {
    const { folders, failures } = listInside(AGENT, location, project.path)
    yield {
      chats: folders.map(({ name, path }) => ({ id: name, path, store: join(path, 'store.db') })),
      failures,
    }
  }
}

export type StoreState = 'readable' | 'damaged' | 'missing'

const MAGIC = Buffer.from('SQLite format 3\0')
const HEADER_BYTES = 100

/**
 * Checks only the header, so that discovery stays cheap: a file that is not a database, or is shorter than
 * its header says, is damaged. Reading finds damage further in.
 */
export function storeState(chat: ChatFolder, storeRoot: string): StoreState {
  if (!exists(chat.store)) return 'missing'
  // Pages that are still in the WAL make the file shorter than its header says.
  const hasLog = exists(`${chat.store}-wal`) && statPath(`${chat.store}-wal`).size > 0n
  const file = openFile(chat.store, storeRoot)
  try {
    const header = file.range(0, HEADER_BYTES)
    if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return 'damaged'
    return !hasLog && file.identity.size < declaredBytes(header) ? 'damaged' : 'readable'
  } finally {
    file.close()
  }
}

function declaredBytes(header: Buffer): number {
  // The page count is valid only if it was written together with the change counter.
  if (header.readUInt32BE(24) !== header.readUInt32BE(92)) return 0
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  return pageBytes * header.readUInt32BE(28)
}
