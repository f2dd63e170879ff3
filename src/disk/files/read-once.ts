// Opens and reads many short files, each once: with less work for each than `openFile`.
import { sep } from 'node:path'
import type { FileIdentity } from './read.ts'
import { assertInside, fill, openFile } from './read.ts'
import { CAN_REFUSE_LINKS, files } from './system-calls.ts'

/** What is needed to read a file once, from its start. */
export interface ReadOnceFile {
  path: string
  identity: Pick<FileIdentity, 'size'>
  chunks(start: number, end: number, into: Buffer): Iterable<Buffer>
  close(): void
}

/**
 * Opens many files for a moment, those of one folder one after the other: whether the folder is inside of the store is
 * found out once. A file that is a link is opened in the usual way.
 */
export function makeOpener(): (path: string, storeRoot: string) => ReadOnceFile {
  let known: { folder: string; storeRoot: string } | undefined
  return (path, storeRoot) => {
    if (!CAN_REFUSE_LINKS) return openFile(path, storeRoot)
    const folder = path.slice(0, path.lastIndexOf(sep))
    let fd: number
    try {
      if (known?.folder !== folder || known.storeRoot !== storeRoot) assertInside(folder, storeRoot)
      known = { folder, storeRoot }
      fd = files().openPlain(path)
    } catch {
      return openFile(path, storeRoot)
    }
    return fromDescriptor(fd, path) ?? openFile(path, storeRoot)
  }
}

/** Undefined for what is not a regular file. */
function fromDescriptor(fd: number, path: string): ReadOnceFile | undefined {
  let file: ReadOnceFile | undefined
  try {
    const stats = files().fstatNumbers(fd)
    if (stats.isFile()) file = new PlainFile(fd, path, stats.size)
    return file
  } finally {
    if (file === undefined) files().close(fd)
  }
}

class PlainFile implements ReadOnceFile {
  readonly path: string
  readonly identity: { size: number }
  readonly #fd: number
  #isOpen = true

  constructor(fd: number, path: string, size: number) {
    this.#fd = fd
    this.path = path
    this.identity = { size }
  }

  *chunks(start: number, end: number, into: Buffer): Generator<Buffer, void, void> {
    for (let at = start; at < end; ) {
      const chunk = fill(this.#fd, this.path, at, into.subarray(0, end - at))
      if (chunk.length === 0) return
      yield chunk
      at += chunk.length
    }
  }

  close(): void {
    if (this.#isOpen) files().close(this.#fd)
    this.#isOpen = false
  }
}
