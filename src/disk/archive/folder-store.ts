// An archive in a folder: one immutable file for each segment,
// named by its content. Files 0600, folders 0700.
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { closeHandle, openHandle, readAt, readRange, statHandle, statIfThere, writeAll } from '../files/handles.ts'
import { listFolder } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, quote } from '../files/system-errors.ts'
import { makeFolder, makeFolderUnsynced, removeIfThere } from '../state/own-files.ts'
import { type ArchiveStore, compareNames, isSegmentName, type SegmentName, type SegmentState } from './store.ts'

const SEGMENTS = 'segments'
const DAMAGED = 'damaged'
const FILE = /^([0-9a-f]{32})\.(\d{8,16})\.([0-9a-f]{64})\.seg$/
/** Left by a writer that was killed. */
const TEMPORARY = /^\.[0-9a-f]{32}\.[0-9a-f]{12}\.new$/
const SEQUENCE_DIGITS = 8

export function openFolderStore(folder: string): ArchiveStore & { removeLeftovers(): void } {
  /** Written, and not durable yet: the temporary file of each segment, by the path that it will have. */
  const pending = new Map<string, { name: SegmentName; temporary: string }>()
  /** Folders with new entries that are not durable yet. */
  const unsynced = new Set<string>()
  /** Folders that exist since the last sync. */
  const made = new Set<string>()
  const makeOnce = (path: string): string => {
    if (made.has(path)) return path
    for (const parent of makeFolderUnsynced(path)) unsynced.add(parent)
    made.add(path)
    return path
  }
  const placeOf = (name: SegmentName): string => join(folderOf(folder, name.chain), fileName(name))
  const pathOf = (name: SegmentName): string => pending.get(placeOf(name))?.temporary ?? placeOf(name)
  const dropPending = (): void => {
    for (const { temporary } of pending.values()) removeUnlessFailing(temporary)
    pending.clear()
  }
  /** All files are durable before the first gets its name: a file with the name of a segment is whole. */
  const publish = async (): Promise<void> => {
    try {
      await syncAll(
        [...pending.values()].map(({ temporary }) => temporary),
        'files',
      )
      for (const [path, { name, temporary }] of pending) {
        rename(temporary, path)
        pending.delete(path)
        unsynced.add(folderOf(folder, name.chain))
      }
    } catch (error) {
      // After a failed sync, the next one may succeed without the content.
      dropPending()
      throw error
    }
    await syncAll([...unsynced], 'folders')
    unsynced.clear()
    made.clear()
  }
  return {
    place: folder,
    async list(chain) {
      const folders =
        chain === undefined
          ? listFolder(join(folder, SEGMENTS)).flatMap(entry => (entry.isFolder ? [entry.path] : []))
          : [folderOf(folder, chain)]
      const stored = folders.flatMap(path => listFolder(path).flatMap(({ name }) => parseName(name) ?? []))
      const names = stored.filter(name => chain === undefined || name.chain === chain)
      for (const { name } of pending.values()) if (chain === undefined || name.chain === chain) names.push(name)
      return names.sort(compareNames)
    },
    async put(chain, sequence, bytes) {
      const name = { chain, sequence, hash: hashOf(bytes) }
      if (!isSegmentName(name)) throw new TypeError(`not the name of a segment: ${chain} ${sequence}`)
      if (statIfThere(pathOf(name)) !== undefined) return name
      const temporary = writeTemporary(makeOnce(folderOf(folder, chain)), chain, bytes)
      pending.set(placeOf(name), { name, temporary })
      return name
    },
    sync: publish,
    async read(name) {
      const path = pathOf(name)
      const bytes = readWhole(path)
      if (hashOf(bytes) !== name.hash) throw damaged(path, 'its content is not what its name says')
      return bytes
    },
    async readHead(name, bytes) {
      const handle = openHandle(pathOf(name), 'read')
      try {
        return readAt(handle, 0, Buffer.allocUnsafe(bytes))
      } finally {
        closeHandle(handle)
      }
    },
    async size(name) {
      return Number(statIfThere(pathOf(name))?.size ?? 0)
    },
    async verify(name): Promise<SegmentState> {
      const path = pathOf(name)
      if (statIfThere(path) === undefined) return { type: 'missing' }
      return hashOf(readWhole(path)) === name.hash
        ? { type: 'good' }
        : { type: 'damaged', text: damaged(path, 'its content is not what its name says').message }
    },
    async remove(name) {
      removeIfThere(pathOf(name))
      pending.delete(placeOf(name))
      unsynced.add(folderOf(folder, name.chain))
    },
    async setAside(name) {
      await publish()
      const to = join(makeFolder(join(folder, DAMAGED)), fileName(name))
      rename(pathOf(name), to)
      for (const path of [join(folder, DAMAGED), folderOf(folder, name.chain)]) syncFolder(path)
      return to
    },
    /** Call it only while no other process writes. */
    removeLeftovers() {
      for (const inner of listFolder(join(folder, SEGMENTS)))
        if (inner.isFolder)
          for (const { name, path } of listFolder(inner.path)) if (TEMPORARY.test(name)) removeIfThere(path)
    },
  }
}

/**
 * By the first digits of the chain, so that no folder grows too large and a new session needs no new folder.
 */
function folderOf(folder: string, chain: string): string {
  return join(folder, SEGMENTS, chain.slice(0, 2))
}

function fileName({ chain, sequence, hash }: SegmentName): string {
  return `${chain}.${String(sequence).padStart(SEQUENCE_DIGITS, '0')}.${hash}.seg`
}

function parseName(file: string): SegmentName | undefined {
  const [, chain, sequence, hash] = FILE.exec(file) ?? []
  if (chain === undefined || sequence === undefined || hash === undefined) return undefined
  const name = { chain, sequence: Number(sequence), hash }
  return isSegmentName(name) ? name : undefined
}

/** Beside its place. Returns its path. */
function writeTemporary(folder: string, chain: string, bytes: Buffer): string {
  const temporary = join(folder, `.${chain}.${randomBytes(6).toString('hex')}.new`)
  const handle = openHandle(temporary, 'create')
  let isWritten = false
  try {
    writeAll(handle, bytes, 0)
    isWritten = true
  } finally {
    closeHandle(handle)
    if (!isWritten) removeUnlessFailing(temporary)
  }
  return temporary
}

function rename(from: string, to: string): void {
  try {
    files().rename(from, to)
  } catch (error) {
    throw fromWriteError(error, to)
  }
}

async function syncAll(paths: readonly string[], kind: 'files' | 'folders'): Promise<void> {
  if (paths.length === 0) return
  try {
    await files().syncTogether(paths, kind)
  } catch (error) {
    throw fromWriteError(error, paths[0] ?? '')
  }
}

/** The first failure is reported. What stays is removed by the next writer. */
function removeUnlessFailing(temporary: string): void {
  try {
    removeIfThere(temporary)
  } catch {
    // See above.
  }
}

function readWhole(path: string): Buffer {
  const handle = openHandle(path, 'read')
  try {
    return readRange(handle, 0, Number(statHandle(handle).size))
  } finally {
    closeHandle(handle)
  }
}

function syncFolder(path: string): void {
  try {
    files().syncFolder(path)
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function damaged(path: string, why: string, offset?: number): RethreadError {
  return new RethreadError({
    code: 'archive-damaged',
    text: `${path} is damaged: ${why}.`,
    hint: `See which sessions are affected: rethread archive check (the file: ls -l ${quote(path)})`,
    path,
    ...(offset === undefined ? {} : { offset }),
  })
}
