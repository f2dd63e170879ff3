// What the mock agent stores on disk: one file of JSON lines for each session, its log, and the mark that a
// fault has happened. Lines are appended without a sync: they survive a killed process, which is all that
// tests need.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fromSystemError, fromWriteError, systemCode } from '../files/system-errors.ts'

const ENDING = '.jsonl'
/** Also prevents a session id that a client made up from leading out of the folder. */
const SESSION_ID = /^mock-[0-9a-f-]{8,64}$/

export interface MockStore {
  readonly folder: string
  /** Appends one record as one line. */
  append(id: string, record: object): void
  /** Undefined where no such session is stored. */
  read(id: string): Buffer | undefined
  remove(id: string): void
  /** Newest first. */
  list(): { id: string; modified: Date }[]
}

export function openMockStore(folder: string): MockStore {
  makeFolder(folder)
  const pathOf = (id: string): string => join(folder, id + ENDING)
  return {
    folder,
    append: (id, record) => appendTo(pathOf(id), `${JSON.stringify(record)}\n`),
    read: id => (SESSION_ID.test(id) ? readIfThere(pathOf(id)) : undefined),
    remove(id) {
      if (SESSION_ID.test(id)) rmSync(pathOf(id), { force: true })
    },
    list: () =>
      readdirSync(folder)
        .filter(name => name.endsWith(ENDING) && SESSION_ID.test(name.slice(0, -ENDING.length)))
        .map(name => ({ id: name.slice(0, -ENDING.length), modified: statSync(join(folder, name)).mtime }))
        .sort((a, b) => b.modified.getTime() - a.modified.getTime() || (a.id < b.id ? -1 : 1)),
  }
}

/** Also creates the folders above it. */
export function appendToMockFile(path: string, content: string | Buffer): void {
  makeFolder(dirname(path))
  appendTo(path, content)
}

export function isMockFileThere(path: string): boolean {
  return existsSync(path)
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function appendTo(path: string, content: string | Buffer): void {
  try {
    appendFileSync(path, content, { mode: 0o600 })
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw fromSystemError(error, path)
  }
}
