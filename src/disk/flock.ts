// Locks that other programs take with flock(2). Node has no such call, so a child process makes it: util-linux `flock` on a descriptor of ours. The lock belongs to the open file, which
// outlives the child.
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { RethreadError } from '../model/errors.ts'
import { fromSystemError, fromWriteError, quote, systemCode } from './errors.ts'
import { files } from './files.ts'
import { findCommand } from './find-command.ts'
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
const OPEN = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)
const CREATE = OPEN | constants.O_CREAT | constants.O_EXCL

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
 * The exclusive lock, on a file that is made where there is none; it is gone with `release`, or with this process. A file that was made for it goes
 * with it. Throws `locked` where somebody has it, `unsupported` where it cannot be taken here.
 */
export function holdFlock(path: string): HeldFlock {
  // Before a file is made: one that is not locked must not be removed again, as somebody else may lock it meanwhile.
  const hindrance = whyNoFlock()
  if (hindrance !== undefined) throw cannotLock(path, hindrance)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const file = openLockFile(path)
    // Gone already where its holder has just ended.
    if (file === undefined) continue
    const answer = callFlock(file.fd, '-x')
    if (answer === 'taken' && isStillNamed(file.fd, path)) return { release: () => letGo(file, path) }
    closeSync(file.fd)
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

function whyNoFlock(): string | undefined {
  if (process.platform === 'win32') return 'Windows has locks of another kind'
  return findCommand('flock', '', process.env) === undefined ? 'there is no program flock here' : undefined
}

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

interface LockFile {
  fd: number
  /** There was none before. */
  isOurs: boolean
}

/** Undefined where it was removed in the moment it was opened. */
function openLockFile(path: string): LockFile | undefined {
  try {
    files().makeFolder(dirname(path))
    return { fd: openSync(path, CREATE, 0o600), isOurs: true }
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fromWriteError(error, path)
  }
  try {
    return { fd: openSync(path, OPEN), isOurs: false }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw fromWriteError(error, path)
  }
}

/**
 * Removed while it is still held: whoever opens the name from now on makes a file of its own. An empty one was left by a process of ours that was killed: others write
 * into theirs who they are.
 */
function letGo({ fd, isOurs }: LockFile, path: string): void {
  try {
    if (isStillNamed(fd, path) && (isOurs || files().fstat(fd).size === 0n)) unlinkSync(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fromWriteError(error, path)
  } finally {
    closeSync(fd)
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
