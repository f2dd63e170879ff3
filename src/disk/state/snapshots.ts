// Copies of agents' files, made before an agent is asked to load them. Each snapshot is a folder laid out
// like the store, so that an agent's reader can read it. Few are kept, and only for a while; the vault holds
// what must last.
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { statIfThere } from '../files/handles.ts'
import { listFolder } from '../files/read.ts'
import { assertSpace } from '../vault/free-space.ts'
import { makeFolder, removeTree, replaceOwnFile } from './own-files.ts'
import { copySource, type SnapshotFile, type SnapshotSource, sizeOfSource } from './snapshot-copy.ts'

const FOLDER = 'snapshots'
const LIST = 'snapshot.json'
/** For each session, however often it is loaded. */
export const SNAPSHOTS_PER_SESSION = 3
export const SNAPSHOT_DAYS = 30
/** The limit for all snapshots together. The oldest are removed first. */
export const MAX_TOTAL_BYTES = 4 * 1024 * 1024 * 1024
/** A snapshot without a list by then was left by a dead process. */
const UNFINISHED_DAYS = 1
const DAY_MS = 24 * 60 * 60 * 1000

export interface SnapshotSubject {
  agent: string
  sessionId: string
}

export interface StoredSnapshot {
  id: string
  time: string
  bytes: number
  /** For each source, in order: the folder that stands for its store, and the files in it. */
  parts: { folder: string; files: SnapshotFile[] }[]
}

/** The number of bytes to copy. */
export function sizeOfSources(sources: readonly SnapshotSource[]): number {
  return sources.reduce((sum, source) => sum + sizeOfSource(source), 0)
}

/**
 * Throws `no-space` before anything is copied, and `busy` where another process keeps writing. A failure
 * leaves nothing behind.
 */
export async function storeSnapshot(
  state: string,
  subject: SnapshotSubject,
  sources: readonly SnapshotSource[],
): Promise<StoredSnapshot> {
  const needed = sizeOfSources(sources)
  assertSpace([{ folder: state, bytes: needed }])
  const time = new Date().toISOString()
  const id = [stampOf(time), keyOf(subject), needed, randomBytes(3).toString('hex')].join('-')
  const folder = makeFolder(join(state, FOLDER, id))
  try {
    const parts: StoredSnapshot['parts'] = []
    for (const [index, source] of sources.entries()) {
      const part = makeFolder(join(folder, String(index)))
      parts.push({ folder: part, files: await copySource(source, part) })
    }
    const files = parts.flatMap(part => part.files)
    replaceOwnFile(join(folder, LIST), `${JSON.stringify({ version: 1, id, time, ...subject, files }, null, 1)}\n`)
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    pruneSnapshots(state)
    return { id, time, bytes, parts }
  } catch (error) {
    removeTree(folder)
    throw error
  }
}

/** Uses only the names, which state time, session and size. Several processes may do this at once. */
export function pruneSnapshots(state: string, now = Date.now()): void {
  const folders = listFolder(join(state, FOLDER)).filter(entry => entry.isFolder)
  const tooOld = stampOf(new Date(now - SNAPSHOT_DAYS * DAY_MS).toISOString())
  const surelyDone = stampOf(new Date(now - UNFINISHED_DAYS * DAY_MS).toISOString())
  const perSession = new Map<string, number>()
  let total = 0
  for (const { name, path } of folders.toReversed()) {
    const isComplete = statIfThere(join(path, LIST)) !== undefined
    if (!isComplete && name > surelyDone) continue
    const [, session = '', size] = name.split('-')
    const count = (perSession.get(session) ?? 0) + 1
    const bytes = total + Number(size)
    // The newest snapshot always stays, whatever its size: the caller is about to rely on it.
    const isTooMuch = count > SNAPSHOTS_PER_SESSION || (total > 0 && bytes > MAX_TOTAL_BYTES)
    if (!isComplete || name < tooOld || isTooMuch) {
      removeTree(path)
      continue
    }
    perSession.set(session, count)
    total = bytes
  }
}

function stampOf(time: string): string {
  return time.replaceAll(/[-:.Z]/g, '')
}

function keyOf({ agent, sessionId }: SnapshotSubject): string {
  return createHash('sha256').update(`${agent}\n${sessionId}`).digest('hex').slice(0, 16)
}
