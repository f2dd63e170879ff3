// The last reading of a session that went well, kept for the time when its database is locked. One file a session: messages as lines, the end last.
import { createHash } from 'node:crypto'
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { splitLines } from '../bytes/lines.ts'
import { hasErrorCode } from '../model/errors.ts'
import { fromSystemError } from './errors.ts'
import { openFile } from './read.ts'
import { pruneFolder, stateFolder } from './state.ts'

const FOLDER = 'last-good'
/** All of them together; the ones that were used longest ago go first. */
const MAX_TOTAL_BYTES = 512 * 1024 * 1024
const BUFFER_BYTES = 256 * 1024

export interface LastGoodWriter {
  add(line: string): void
  /** Takes the place of the one before. */
  commit(): void
  abandon(): void
}

export function writeLastGood(state: string, key: string): LastGoodWriter {
  const folder = stateFolder(state, FOLDER)
  const path = fileOf(folder, key)
  const temporary = `${path}.${process.pid}`
  let buffered: string[] = []
  let bytes = 0
  try {
    const fd = openSync(temporary, 'w', 0o600)
    const flush = () => {
      if (buffered.length > 0) writeSync(fd, buffered.join(''))
      buffered = []
      bytes = 0
    }
    return {
      add(line) {
        buffered.push(`${line}\n`)
        bytes += line.length
        if (bytes > BUFFER_BYTES) flush()
      },
      commit() {
        flush()
        closeSync(fd)
        renameSync(temporary, path)
        pruneOnce(folder)
      },
      abandon() {
        closeSync(fd)
        rmSync(temporary, { force: true })
      },
    }
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

/** The lines that were kept; undefined where there are none. */
export function readLastGood(state: string, key: string): Generator<string, void, void> | undefined {
  const folder = join(state, FOLDER)
  try {
    const file = openFile(fileOf(folder, key), folder)
    return (function* () {
      try {
        for (const line of splitLines(file.chunks())) yield line.bytes.toString('utf8')
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

/** Once in the life of a process: looking at all files after each one would make a long list slow. */
function pruneOnce(folder: string): void {
  if (!isPruned) pruneFolder(folder, MAX_TOTAL_BYTES)
  isPruned = true
}

function fileOf(folder: string, key: string): string {
  return join(folder, createHash('sha256').update(key).digest('hex'))
}
