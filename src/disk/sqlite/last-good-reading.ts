// The last successful reading of a session, stored for use while its database is locked. One file a session:
// messages as lines, then the end. A comma may follow a message, as where it was printed.
import { hash } from 'node:crypto'
import { closeSync, openSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { splitLines } from '../../bytes/lines.ts'
import { hasErrorCode } from '../../model/errors.ts'
import { openFile } from '../files/read.ts'
import { fromSystemError } from '../files/system-errors.ts'
import { pruneFolder, stateFolder } from '../state/state.ts'

const FOLDER = 'last-good'
/** The limit for all files together. The least recently used are removed first. */
const MAX_TOTAL_BYTES = 512 * 1024 * 1024
const BUFFER_BYTES = 1024 * 1024
/** A longer last line is not looked for: the reading is stored again. */
const MAX_END_BYTES = 64 * 1024
/** The most bytes that one UTF-16 unit takes in UTF-8. */
const MAX_UNIT_BYTES = 3
const [COMMA, NEWLINE] = [',', '\n']
/** Of the last writer: with one for each, thousands of small sessions would leave gigabytes of garbage. */
let spareBuffer: Buffer | undefined

export interface LastGoodWriter {
  /** Adds a line. Returns its bytes, valid until the next one. */
  add(json: string): Buffer
  /** Adds lines that end with commas, except for the last one. */
  addLines(lines: Buffer): void
  /** Replaces the previous reading. */
  commit(): void
  abandon(): void
}

/** Every failure is a `RethreadError`, so that the caller can continue without storing the reading. */
export function writeLastGood(state: string, key: string): LastGoodWriter {
  const folder = stateFolder(state, FOLDER)
  const path = fileOf(folder, key)
  const temporary = `${path}.${process.pid}`
  const attempt = <T>(step: () => T): T => {
    try {
      return step()
    } catch (error) {
      throw fromSystemError(error, path)
    }
  }
  const fd = attempt(() => openSync(temporary, 'w', 0o600))
  let isOpen = true
  let buffer = spareBuffer ?? Buffer.allocUnsafe(BUFFER_BYTES)
  spareBuffer = undefined
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    if (buffer.length === BUFFER_BYTES) spareBuffer = buffer
    closeSync(fd)
  }
  let length = 0
  const flush = (room = 0): void => {
    const full = buffer.subarray(0, length)
    length = 0
    if (full.length > 0) attempt(() => writeFileSync(fd, full))
    if (room > buffer.length) buffer = Buffer.allocUnsafe(room)
  }
  return {
    add(json) {
      const most = json.length * MAX_UNIT_BYTES + NEWLINE.length
      if (length + most > buffer.length) flush(most)
      const start = length
      length += buffer.write(json, length)
      const bytes = buffer.subarray(start, length)
      length += buffer.write(NEWLINE, length)
      return bytes
    },
    addLines(lines) {
      flush()
      attempt(() => writeFileSync(fd, lines))
      length += buffer.write(NEWLINE, length)
    },
    commit() {
      flush()
      attempt(() => {
        close()
        renameSync(temporary, path)
        pruneOnce(folder)
      })
    },
    abandon() {
      close()
      rmSync(temporary, { force: true })
    },
  }
}

/** Whether the stored reading says in its last line that it is `of` this state. Then it counts as used just now. */
export function hasLastGood(state: string, key: string, of: string): boolean {
  const path = fileOf(join(state, FOLDER), key)
  const end = lastLineOf(path, join(state, FOLDER))
  if (end === undefined || parseObject(end)?.['of'] !== of) return false
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch (error) {
    throw fromSystemError(error, path)
  }
  return true
}

function lastLineOf(path: string, folder: string): Buffer | undefined {
  try {
    const file = openFile(path, folder)
    try {
      const { size } = file.identity
      const tail = file.range(Math.max(0, size - MAX_END_BYTES), size)
      const end = tail.lastIndexOf(NEWLINE)
      const start = end <= 0 ? -1 : tail.lastIndexOf(NEWLINE, end - 1)
      return end === -1 || (start === -1 && size > MAX_END_BYTES) ? undefined : tail.subarray(start + 1, end)
    } finally {
      file.close()
    }
  } catch (error) {
    if (hasErrorCode(error, 'not-found')) return undefined
    throw error
  }
}

/** The stored lines, each as JSON; undefined where there are none. */
export function readLastGoodLines(state: string, key: string): Generator<string, void, void> | undefined {
  const folder = join(state, FOLDER)
  try {
    const file = openFile(fileOf(folder, key), folder)
    return (function* () {
      try {
        for (const { bytes } of splitLines(file.chunks())) {
          const line = bytes.toString()
          yield line.endsWith(COMMA) ? line.slice(0, -COMMA.length) : line
        }
      } finally {
        file.close()
      }
    })()
  } catch (error) {
    if (hasErrorCode(error, 'not-found')) return undefined
    throw error
  }
}

let isPruned = false

/** Once in the life of a process: a scan of all files after each write would make a long list slow. */
function pruneOnce(folder: string): void {
  if (!isPruned) pruneFolder(folder, MAX_TOTAL_BYTES)
  isPruned = true
}

function fileOf(folder: string, key: string): string {
  return join(folder, hash('sha256', key))
}
