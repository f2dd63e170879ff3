// An archive in a folder: one immutable file for each segment, named by its content. Files 0600, folders 0700.
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import {
  closeHandle,
  openHandle,
  readAt,
  readRange,
  statHandle,
  statIfThere,
  syncHandle,
  writeAll,
} from '../files/handles.ts'
import { listFolder } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, quote } from '../files/system-errors.ts'
import { makeFolder, removeIfThere } from '../state/own-files.ts'
import { type ArchiveStore, compareNames, isSegmentName, type SegmentName, type SegmentState } from './store.ts'

const SEGMENTS = 'segments'
const DAMAGED = 'damaged'
const FILE = /^([0-9a-f]{32})\.(\d{8,16})\.([0-9a-f]{64})\.seg$/
/** Left by a writer that was killed. */
const TEMPORARY = /^\.[0-9a-f]{32}\.[0-9a-f]{12}\.new$/
const SEQUENCE_DIGITS = 8

export function openFolderStore(folder: string): ArchiveStore & { removeLeftovers(): void } {
  /** Folders with new entries that are not durable yet. */
  const unsynced = new Set<string>()
  const pathOf = (name: SegmentName): string => join(folderOf(folder, name.chain), fileName(name))
  return {
    place: folder,
    async list(chain) {
      const folders =
        chain === undefined
          ? listFolder(join(folder, SEGMENTS)).flatMap(entry => (entry.isFolder ? [entry.path] : []))
          : [folderOf(folder, chain)]
      const names = folders.flatMap(path => listFolder(path).flatMap(({ name }) => parseName(name) ?? []))
      return (chain === undefined ? names : names.filter(name => name.chain === chain)).sort(compareNames)
    },
    async put(chain, sequence, bytes) {
      const name = { chain, sequence, hash: hashOf(bytes) }
      if (!isSegmentName(name)) throw new TypeError(`not the name of a segment: ${chain} ${sequence}`)
      const path = pathOf(name)
      if (statIfThere(path) !== undefined) return name
      writeFile(makeFolder(folderOf(folder, chain)), path, chain, bytes)
      unsynced.add(folderOf(folder, chain))
      return name
    },
    async sync() {
      for (const path of [...unsynced]) {
        syncFolder(path)
        unsynced.delete(path)
      }
    },
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
      unsynced.add(folderOf(folder, name.chain))
    },
    async setAside(name) {
      const to = join(makeFolder(join(folder, DAMAGED)), fileName(name))
      try {
        files().rename(pathOf(name), to)
      } catch (error) {
        throw fromWriteError(error, to)
      }
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

/** By the first digits of the chain, so that no folder grows too large and a new session needs no new folder. */
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

/** Written beside its place, synced, then renamed: a file with the name of a segment is whole. */
function writeFile(folder: string, path: string, chain: string, bytes: Buffer): void {
  const temporary = join(folder, `.${chain}.${randomBytes(6).toString('hex')}.new`)
  const handle = openHandle(temporary, 'create')
  let isWritten = false
  try {
    writeAll(handle, bytes, 0)
    syncHandle(handle)
    isWritten = true
  } finally {
    closeHandle(handle)
    if (!isWritten) removeUnlessFailing(temporary)
  }
  try {
    files().rename(temporary, path)
  } catch (error) {
    removeUnlessFailing(temporary)
    throw fromWriteError(error, path)
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
