// An archived session as files that its agent's reader can read:
// laid out like the store, in the state folder.
import { randomBytes } from 'node:crypto'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { closeHandle, openHandle, statIfThere, writeAll } from '../disk/files/handles.ts'
import { listFolder } from '../disk/files/read.ts'
import { files } from '../disk/files/system-calls.ts'
import { fromWriteError } from '../disk/files/system-errors.ts'
import { parseCanonicalRows, writeCanonicalDatabase } from '../disk/sqlite/session-rows.ts'
import { makeFolder, removeTree } from '../disk/state/own-files.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Archive } from './archive.ts'
import type { ArchiveChain } from './chain.ts'
import { makeContentReader } from './content.ts'
import { unfoldHome } from './home-paths.ts'
import type { ArchivedItem, ArchivedSession } from './segment.ts'

const FOLDER = 'archive-views'
/** Views are made again where they are missing. */
const MAX_VIEWS = 50

export interface ViewRequest {
  archive: Archive
  state: string
  home: string
  agent: Agent
  chain: ArchiveChain
  /** The restore point. */
  number: number
}

export interface ViewedFile {
  item: ArchivedItem
  /** Where it is now. */
  copy: string
}

export interface ArchivedFiles {
  folder: string
  files: ViewedFile[]
  session: SessionRef
  isIncomplete: boolean
}

/** Where the store's folder is in a view, and where everything else is. */
const INSIDE = 'store'
const OUTSIDE = 'beside'

/** The session as of a point, for a reader. */
export async function openView(request: ViewRequest): Promise<ArchivedFiles> {
  const { archive, state, chain, number } = request
  const last = chain.segments.at(-1)
  const name = `${chain.id}-${number}-${last?.name.hash.slice(0, 16)}`
  const folder = join(state, FOLDER, name)
  const reader = makeContentReader(archive.store, chain)
  const items = reader.itemsAt(number)
  const places = placesOf(items, chain.session, request.home)
  if (statIfThere(folder) === undefined) {
    const temporary = `${makeFolder(join(state, FOLDER))}/.${randomBytes(6).toString('hex')}`
    try {
      for (const [item, place] of places)
        await writeItem(request, item, join(temporary, place), reader.read(item.path, number))
      publish(temporary, folder)
    } catch (error) {
      removeTree(temporary)
      throw error
    }
    prune(join(state, FOLDER), name)
  }
  const own =
    items.find(({ role, path }) => role === 'main' && path === chain.session.filePath) ??
    items.find(({ role }) => role === 'main')
  const main = own === undefined ? undefined : places.get(own)
  if (main === undefined) throw nothingThere(chain.session, number)
  return {
    folder,
    files: [...places].map(([item, place]) => ({ item, copy: join(folder, place) })),
    session: sessionIn(request, folder, join(folder, main), name),
    isIncomplete: items.some(({ path }) => reader.isIncomplete(path, number)),
  }
}

/** Relative paths only: names from the archive never lead out of the view. */
function placesOf(
  items: readonly ArchivedItem[],
  { storeRoot }: ArchivedSession,
  home: string,
): Map<ArchivedItem, string> {
  const root = unfoldHome(storeRoot, home) ?? storeRoot
  const places = new Map<ArchivedItem, string>()
  for (const item of items) {
    const path = unfoldHome(item.path, home)
    const inside = path === undefined ? '..' : relative(root, path)
    const isBelow = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
    places.set(item, isBelow ? join(INSIDE, inside) : join(OUTSIDE, `${places.size}-${basename(item.path)}`))
  }
  return places
}

function sessionIn({ agent, chain, number }: ViewRequest, folder: string, filePath: string, name: string): SessionRef {
  const { sessionId, generation, subagentOf, title, project, updatedAt } = chain.session
  return {
    agent: agent.id,
    sessionId,
    generation,
    filePath,
    storeRoot: join(folder, INSIDE),
    updatedAt: Math.min(updatedAt, chain.points.find(point => point.number === number)?.time ?? updatedAt),
    fileSize: Number(statIfThere(filePath)?.size ?? 0),
    identity: `archive:${name}`,
    ...(subagentOf === undefined ? {} : { subagentOf }),
    ...(title === undefined ? {} : { title }),
    ...(project === undefined ? {} : { project }),
  }
}

async function writeItem(
  request: ViewRequest,
  item: ArchivedItem,
  path: string,
  content: AsyncGenerator<Buffer, void, void>,
): Promise<void> {
  makeFolder(dirname(path))
  if (item.kind === 'rows') {
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(piece)
    return writeCanonicalDatabase(path, parseCanonicalRows(Buffer.concat(pieces)))
  }
  const handle = openHandle(path, 'create')
  try {
    let at = 0
    for await (const piece of content) {
      writeAll(handle, piece, at)
      at += piece.length
    }
  } finally {
    closeHandle(handle)
  }
  setTime(path, request)
}

/** The time of the point: a file with a new time would count as being written. */
function setTime(path: string, { chain, number }: ViewRequest): void {
  const time = BigInt(Math.round(chain.points.find(point => point.number === number)?.time ?? 0)) * 1_000_000n
  try {
    files().setTimesOf(path, time, time)
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

/** Another process may have made the same view at the same time. */
function publish(temporary: string, folder: string): void {
  try {
    files().rename(temporary, folder)
  } catch (error) {
    if (statIfThere(folder) === undefined) throw fromWriteError(error, folder)
    removeTree(temporary)
  }
}

function prune(folder: string, current: string): void {
  const views = listFolder(folder).flatMap(({ name, path }) => {
    const stats = statIfThere(path)
    return name === current || stats === undefined ? [] : [{ path, time: stats.mtimeNs }]
  })
  views.sort((a, b) => Number(b.time - a.time))
  for (const { path } of views.slice(MAX_VIEWS)) removeTree(path)
}

export function nothingThere({ sessionId }: ArchivedSession, number: number): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `Session ${sessionId} did not exist at restore point ${number}.`,
    hint: 'See its restore points: rethread versions SESSION',
  })
}
