// Files of made-up sessions in made-up homes. Long ones are written in pieces, so that a session can be of
// any size.
import {
  appendFileSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const PIECE_CHARACTERS = 512 * 1024

export class PieceWriter {
  readonly #fd: number
  #pieces: string[] = []
  #characters = 0
  #written = 0

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true })
    this.#fd = openSync(path, 'w')
  }

  /** Exact only after `close`. Until then, buffered text counts in characters. */
  get bytes(): number {
    return this.#written + this.#characters
  }

  write(text: string): void {
    this.#pieces.push(text)
    this.#characters += text.length
    if (this.#characters > PIECE_CHARACTERS) this.#flush()
  }

  close(): number {
    this.#flush()
    closeSync(this.#fd)
    return this.#written
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pieces.join(''))
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
    this.#written += bytes.length
    this.#pieces = []
    this.#characters = 0
  }
}

/** Also creates the folders above it. Returns the size in bytes. */
export function writeSampleFile(path: string, content: string | Buffer, mode = 0o644): number {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
  return Buffer.byteLength(content)
}

export function readSampleFile(path: string): Buffer {
  return readFileSync(path)
}

export function sampleFileSize(path: string): number {
  return statSync(path).size
}

export function appendToSample(path: string, content: string | Buffer): void {
  appendFileSync(path, content)
}

export function cutSampleFile(path: string, bytes: number): void {
  truncateSync(path, bytes)
}

export function removeSampleFile(path: string): void {
  rmSync(path, { force: true })
}

/** Also creates the folders above the new place. */
export function moveSampleFile(path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  renameSync(path, to)
}

export function makeSampleFolder(path: string): void {
  mkdirSync(path, { recursive: true })
}

/** The target need not exist. */
export function writeSampleLink(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) symlinkSync(target, path)
}

/** Milliseconds since 1970. Ignores a missing file. */
export function setSampleTime(path: string, time: number): void {
  if (existsSync(path)) utimesSync(path, new Date(time), new Date(time))
}

/** Every file below a folder. */
export function listSampleFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

const HOME_NAME = 'rethread-demo-'

/** A private folder in the system's temporary folder. */
export function makeSampleHome(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), HOME_NAME))
}

/** Accepts only folders of `makeSampleHome`: nothing else is ever removed as a whole. */
export function removeSampleHome(home: string): void {
  if (!basename(home).startsWith(HOME_NAME)) throw new Error(`${home} was not made for a demo.`)
  rmSync(home, { recursive: true, force: true, maxRetries: 3 })
}
