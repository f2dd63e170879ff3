// Opens and reads many short files, each once: with less work for each than `openFile`.
import { sep } from 'node:path'
import type { FileIdentity, OpenFile } from './read.ts'
import { assertInside, assertSmall, fill, identityOf, makeOpenFile, openFile, statPath } from './read.ts'
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
  return makeQuickOpener<ReadOnceFile>((fd, path) => {
    const stats = files().fstatNumbers(fd)
    return stats.isFile() ? new PlainFile(fd, path, stats.size) : undefined
  })
}

/** The same for files whose identity matters. */
export function makeFileOpener(): (path: string, storeRoot: string) => OpenFile {
  return makeQuickOpener<OpenFile>((fd, path) => {
    const stats = files().fstat(fd)
    return stats.isFile() ? makeOpenFile(fd, path, identityOf(stats)) : undefined
  })
}

export interface SmallFileReader {
  /** Reads a whole file like `readSmallFile`. */
  read(path: string, storeRoot: string, limitBytes: number): Buffer
  /** When the latest of the files that it has read was changed: also in a way that restored its time. */
  readonly changedAt: number
}

export function makeSmallFileReader(): SmallFileReader {
  let changedAt = 0
  const open = makeQuickOpener<PlainFile>((fd, path) => {
    const stats = files().fstatNumbers(fd)
    changedAt = Math.max(changedAt, stats.ctimeMs)
    return stats.isFile() ? new PlainFile(fd, path, stats.size) : undefined
  })
  return {
    read(path, storeRoot, limitBytes) {
      const file = open(path, storeRoot)
      try {
        if (!(file instanceof PlainFile)) changedAt = Math.max(changedAt, Number(statPath(path).ctimeMs))
        const { size } = file.identity
        assertSmall(path, size, limitBytes)
        for (const whole of file.chunks(0, size, Buffer.allocUnsafe(size))) return whole
        return Buffer.alloc(0)
      } finally {
        file.close()
      }
    },
    get changedAt() {
      return changedAt
    },
  }
}

/** `wrap` returns undefined for what is not a regular file. */
function makeQuickOpener<File extends ReadOnceFile>(wrap: (fd: number, path: string) => File | undefined) {
  const assertFolderInside = makeFolderCheck()
  return (path: string, storeRoot: string): File | OpenFile => {
    if (!CAN_REFUSE_LINKS) return openFile(path, storeRoot)
    const folder = path.slice(0, path.lastIndexOf(sep))
    let fd: number
    try {
      assertFolderInside(folder, storeRoot)
      fd = files().openPlain(path)
    } catch {
      return openFile(path, storeRoot)
    }
    return wrapOrClose(fd, path, wrap) ?? openFile(path, storeRoot)
  }
}

/**
 * Throws for a folder outside of the store. Of folders beside one another, one is followed to its real path. The others
 * must only be no links: that takes a fraction of the time.
 */
function makeFolderCheck(): (folder: string, storeRoot: string) => void {
  let known: { folder: string; above: string | undefined; storeRoot: string } | undefined
  return (folder, storeRoot) => {
    if (known?.folder === folder && known.storeRoot === storeRoot) return
    const above = folder.slice(0, folder.lastIndexOf(sep))
    if (known?.above === above && known.storeRoot === storeRoot && isPlainFolder(folder)) known.folder = folder
    else {
      assertInside(folder, storeRoot)
      known = { folder, above: isInside(above, storeRoot) ? above : undefined, storeRoot }
    }
  }
}

function isPlainFolder(path: string): boolean {
  return files().lstatNumbers(path)?.isDirectory() === true
}

/** Whatever cannot be known is not inside. */
function isInside(path: string, storeRoot: string): boolean {
  if (!path.startsWith(storeRoot + sep)) return false
  try {
    assertInside(path, storeRoot)
    return true
  } catch {
    return false
  }
}

function wrapOrClose<File>(
  fd: number,
  path: string,
  wrap: (fd: number, path: string) => File | undefined,
): File | undefined {
  let file: File | undefined
  try {
    file = wrap(fd, path)
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
