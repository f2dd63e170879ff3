// Locks that other programs take with flock(2). Node has no such call, so a child process makes it: util-linux `flock` on a descriptor of ours. The lock belongs to the open file, which
// outlives the child.
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { RethreadError } from '../model/errors.ts'
import { fromSystemError, fromWriteError, quote, systemCode } from './errors.ts'
import { files } from './files.ts'
import { statIfThere } from './handles.ts'
import { findHolder } from './holders.ts'

export type FlockState =
  | { type: 'free' }
  /** The process is known only where this system shows it. */
  | { type: 'held'; pid: number | undefined }
  /** Nobody can say: there is no `flock` program here, or the file cannot be opened. */
  | { type: 'unknown'; reason: string }

export interface HeldFlock {
  release(): void
}

const FLOCK_TIMEOUT_MS = 5000
/** What `flock -n` says where somebody else has the lock. */
const IS_HELD = 1
/** A holder that ends removes its file: then the lock was taken on a file without a name. */
const MAX_TRIES = 5
/** The descriptor that the child gets. */
const CHILD_FD = 3
const CREATE = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)

/** A shared lock is taken and let go for the test; nothing is made or changed. */
export function testFlock(path: string): FlockState {
  const stats = statIfThere(path)
  if (stats === undefined) return { type: 'free' }
  if (!stats.isFile()) return { type: 'unknown', reason: `${path} is not a regular file` }
  let fd: number
  try {
    fd = files().openPlain(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { type: 'free' }
    return { type: 'unknown', reason: fromSystemError(error, path).message }
  }
  try {
    const answer = callFlock(fd, '-s')
    if (answer !== 'held') return answer === 'taken' ? { type: 'free' } : { type: 'unknown', reason: answer.reason }
    const holder = findHolder([{ device: String(stats.dev), inode: String(stats.ino) }], { anyHandle: true })
    return { type: 'held', pid: holder?.pid }
  } finally {
    closeSync(fd)
  }
}

/**
 * The exclusive lock, on a file that is made where there is none; it is gone with `release`, or with this process. The file stays, as removing it would
 * let two others lock two files of one name. Throws `locked` where somebody has it, `unsupported` where it cannot be taken here.
 */
export function holdFlock(path: string): HeldFlock {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const fd = createLockFile(path)
    const answer = callFlock(fd, '-x')
    if (answer === 'taken' && isStillNamed(fd, path)) return { release: () => closeSync(fd) }
    closeSync(fd)
    if (answer === 'held') break
    if (answer !== 'taken') throw cannotLock(path, answer.reason)
  }
  const state = testFlock(path)
  throw new RethreadError({
    code: 'locked',
    text: `${path} is locked${state.type === 'held' && state.pid !== undefined ? ` by process ${state.pid}` : ''}.`,
    hint: 'Wait for the program that has it, then try again.',
    path,
  })
}

type Answer = 'taken' | 'held' | { reason: string }

function callFlock(fd: number, kind: '-s' | '-x'): Answer {
  if (process.platform === 'win32') return { reason: 'Windows has locks of another kind' }
  const { status, error } = spawnSync('flock', [kind, '-n', String(CHILD_FD)], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    timeout: FLOCK_TIMEOUT_MS,
  })
  if (status === 0) return 'taken'
  if (status === IS_HELD) return 'held'
  return {
    reason: error === undefined ? `flock ended with ${status}` : `there is no program flock (${systemCode(error)})`,
  }
}

function createLockFile(path: string): number {
  try {
    files().makeFolder(dirname(path))
    return openSync(path, CREATE, 0o600)
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function isStillNamed(fd: number, path: string): boolean {
  const mine = files().fstat(fd)
  const named = statIfThere(path)
  return named?.dev === mine.dev && named.ino === mine.ino
}

function cannotLock(path: string, reason: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} could not be locked: ${reason}.`,
    hint: `Make sure that nobody else works there, then say so with --force. See who does: fuser -v ${quote(path)}`,
    path,
  })
}
