// An open archive: its store, what is known of each chain without reading it, and the lock of its writer.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFolderStore } from '../disk/archive/folder-store.ts'
import { ARCHIVE_FOLDER, type ArchiveStore, type SegmentName } from '../disk/archive/store.ts'
import { exists } from '../disk/files/read.ts'
import { holderOfLock, lockFile } from '../disk/processes/session-lock.ts'
import { makeFolder } from '../disk/state/own-files.ts'
import { type CacheTable, openCacheTable } from '../disk/state/state.ts'
import { hasErrorCode, RethreadError } from '../model/errors.ts'
import { type ArchiveChain, deletedPoint, loadChain, restorePoints } from './chain.ts'
import type { ArchivedSession, Point } from './segment.ts'

const LOCK = 'write.lock'
/** The version of the derived index. Another one is made again. */
const INDEX = 'archive-1'
const LOCK_WAIT_MS = 30_000
const LOCK_POLL_MS = 100
/** Points with losses that are kept in the index, for notices. */
const MAX_LOSSES = 20

/** What is known of a chain. Derived from its segments. */
export interface ChainHead {
  id: string
  session: ArchivedSession
  /** How many restore points there are. */
  points: number
  firstTime: number
  lastTime: number
  lastNumber: number
  /** Set while the session is deleted. */
  deleted?: { time: number; isByAgent: boolean }
  /** Where content was lost: shortened or rewritten. */
  losses: Pick<Point, 'number' | 'time' | 'why' | 'messages'>[]
  /** Bytes of the session itself at its last point, and in the archive. */
  size: number
  storedBytes: number
  segments: number
  damage: number
}

export interface Archive {
  folder: string
  store: ArchiveStore
  /** Undefined where nothing of it is archived. */
  load(id: string): Promise<ArchiveChain | undefined>
  heads(): Promise<Map<string, ChainHead>>
  /** What only this machine knows, such as the identity of files when they were copied. May be lost. */
  notes: { get(id: string): string | undefined; set(id: string, text: string): void }
  /** Throws `locked` where another process writes for too long. */
  write<T>(work: () => Promise<T>, waitMs?: number): Promise<T>
  close(): void
}

/** Undefined where there is no archive yet. */
export function openArchiveIfThere(state: string, folder = join(state, ARCHIVE_FOLDER)): Archive | undefined {
  return exists(join(folder, 'segments')) ? openArchive(state, folder) : undefined
}

export function openArchive(state: string, folder = join(state, ARCHIVE_FOLDER)): Archive {
  const store = openFolderStore(folder)
  let table: CacheTable | undefined
  let hasNewNotes = false
  const index = (): CacheTable => {
    table ??= openIndex(state)
    return table
  }
  const keyOf = (kind: string, id: string): string => `${kind}\n${folder}\n${id}`
  return {
    folder,
    store,
    load: id => loadChain(store, id),
    heads: () => readHeads(store, index(), id => keyOf('head', id)),
    notes: {
      get: id => index().get(keyOf('note', id)),
      set(id, text) {
        hasNewNotes = true
        index().set(keyOf('note', id), text)
      },
    },
    async write(work, waitMs = LOCK_WAIT_MS) {
      const lock = await takeLock(join(makeFolder(folder), LOCK), waitMs)
      try {
        store.removeLeftovers()
        const result = await work()
        await store.sync()
        return result
      } catch (error) {
        // What was copied until then stays. The first failure is reported.
        await store.sync().catch(() => {})
        throw error
      } finally {
        lock.release()
      }
    },
    close() {
      const closed = table
      table = undefined
      if (hasNewNotes) closed?.close()
      else unlessFull(() => closed?.close())
    },
  }
}

/** On a full disk, what is derived is made again each time, so that the archive can be read. */
function openIndex(state: string): CacheTable {
  let table: CacheTable | undefined
  try {
    table = openCacheTable(state, INDEX)
    // The first access needs room as well.
    table.get('')
    return table
  } catch (error) {
    table?.close()
    if (!isFullDisk(error)) throw error
    const refuse = (): never => {
      throw error
    }
    return {
      get: () => undefined,
      set: refuse,
      delete: refuse,
      mark: () => undefined,
      changedSince: () => undefined,
      all: () => new Map(),
      close: () => {},
    }
  }
}

function unlessFull(step: () => void): void {
  try {
    step()
  } catch (error) {
    if (!isFullDisk(error)) throw error
  }
}

/** SQLite reports a full disk as a failing one where it is the shared memory that does not fit. */
function isFullDisk(error: unknown): boolean {
  return hasErrorCode(error, 'no-space') || hasErrorCode(error, 'io-error')
}

async function takeLock(path: string, waitMs: number) {
  for (let waited = 0; ; waited += LOCK_POLL_MS) {
    const lock = lockFile(path)
    if (lock !== undefined) return lock
    if (waited >= waitMs) throw lockedArchive(path)
    await sleep(LOCK_POLL_MS)
  }
}

function lockedArchive(path: string): RethreadError {
  const pid = holderOfLock(path)
  return new RethreadError({
    code: 'locked',
    text: `Another rethread${pid === undefined ? '' : ` (process ${pid})`} is writing to the archive.`,
    hint: pid === undefined ? 'Wait for it, then try again.' : `Wait for it, or see what it does: ps -fp ${pid}`,
    path,
  })
}

async function readHeads(
  store: ArchiveStore,
  table: CacheTable,
  keyOf: (id: string) => string,
): Promise<Map<string, ChainHead>> {
  const byChain = new Map<string, SegmentName[]>()
  for (const name of await store.list()) {
    const names = byChain.get(name.chain)
    if (names === undefined) byChain.set(name.chain, [name])
    else names.push(name)
  }
  const heads = new Map<string, ChainHead>()
  for (const [id, names] of byChain) {
    const mark = markOf(names)
    const stored = storedHead(table.get(keyOf(id)), mark)
    const head = stored ?? (await learnHead(store, id, names))
    if (head === undefined) continue
    heads.set(id, head)
    if (stored === undefined) unlessFull(() => table.set(keyOf(id), JSON.stringify({ mark, head })))
  }
  return heads
}

function storedHead(text: string | undefined, mark: string): ChainHead | undefined {
  if (text === undefined) return undefined
  const stored = JSON.parse(text) as { mark: string; head: ChainHead }
  return stored.mark === mark ? stored.head : undefined
}

function markOf(names: readonly SegmentName[]): string {
  const hash = createHash('sha256')
  for (const { sequence, hash: own } of names) hash.update(`${sequence} ${own}\n`)
  return hash.digest('hex').slice(0, 32)
}

async function learnHead(
  store: ArchiveStore,
  id: string,
  names: readonly SegmentName[],
): Promise<ChainHead | undefined> {
  const chain = await loadChain(store, id, names)
  if (chain === undefined) return undefined
  let storedBytes = 0
  for (const name of names) storedBytes += await store.size(name)
  return headOf(chain, storedBytes, names.length)
}

export function headOf(chain: ArchiveChain, storedBytes: number, segments: number): ChainHead {
  const points = restorePoints(chain)
  const gone = deletedPoint(chain)
  return {
    id: chain.id,
    session: chain.session,
    points: points.length,
    firstTime: chain.points[0]?.time ?? 0,
    lastTime: chain.points.at(-1)?.time ?? 0,
    lastNumber: chain.points.at(-1)?.number ?? 0,
    ...(gone === undefined ? {} : { deleted: { time: gone.time, isByAgent: gone.isByAgent === true } }),
    losses: points
      .filter(({ why }) => why === 'shrank' || why === 'rewritten')
      .slice(-MAX_LOSSES)
      .map(({ number, time, why, messages }) => ({
        number,
        time,
        why,
        ...(messages === undefined ? {} : { messages }),
      })),
    size: sizeAt(chain, chain.points.at(-1)?.number ?? 0),
    storedBytes,
    segments,
    damage: chain.damage.length,
  }
}

/** The bytes of the session's own content at a point. Before a deletion, for a deleted session. */
export function sizeAt(chain: ArchiveChain, number: number): number {
  let size = 0
  for (const { item, changes } of chain.items.values()) {
    if (item.role !== 'main') continue
    const last = changes.findLast(({ type, point }) => point.number <= number && (type === 'log' || type === 'version'))
    if (last?.type === 'version') size += last.size
    if (last?.type === 'log') size += last.end + (last.tail ?? []).reduce((sum, { raw }) => sum + raw, 0)
  }
  return size
}
