// Locks that other programs take with flock(2). Node has no such call, so a child process makes it on a
// descriptor of this process: the program `flock`, or Perl where there is none (macOS). The lock belongs to
// the open file, which outlives the child.
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { type FoundProgram, program, type Words, words } from '../../model/program.ts'
import { removeIfEmpty, statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromSystemError, fromWriteError, quote, systemCode } from '../files/system-errors.ts'
import { findHolder } from './open-handles.ts'
import { locateProgram, runProgram } from './start-program.ts'

export type FlockState =
  | { type: 'free' }
  /** The pid is known only where this system shows it. */
  | { type: 'held'; pid: number | undefined }
  /** Unknown: no program here can test the lock, or the file cannot be opened. */
  | { type: 'unknown'; reason: string }

export interface HeldFlock {
  release(): void
}

const FLOCK_TIMEOUT_MS = 5000
/** The exit status of the child where another process has the lock. */
const IS_HELD = 1
/** A holder that ends removes its file. The lock may then be on a file without a name, and is taken again. */
const MAX_TRIES = 5
/** The descriptor number in the child. */
const CHILD_FD = 3
const SHARED = 1
const EXCLUSIVE = 2
const AT_ONCE = 4
type Kind = typeof SHARED | typeof EXCLUSIVE

/** In the order in which they are tried. */
const CALLERS: readonly { command: string; words(kind: Kind): Words }[] = [
  { command: 'flock', words: kind => words(kind === SHARED ? '-s' : '-x', '-n', `${CHILD_FD}`) },
  { command: 'perl', words: kind => words('-e', PERL[kind]) },
]
const PERL = { [SHARED]: perl(SHARED | AT_ONCE), [EXCLUSIVE]: perl(EXCLUSIVE | AT_ONCE) }

function perl<Operation extends number>(operation: Operation) {
  return `open(my $file, "<&=", ${CHILD_FD}) or exit 2; exit(flock($file, ${operation}) ? 0 : $!{EWOULDBLOCK} ? ${IS_HELD} : 2)` as const
}

const OPEN = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)
const CREATE = OPEN | constants.O_CREAT | constants.O_EXCL

/** Takes and releases a shared lock as the test. Creates and changes nothing. */
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
    const answer = callFlock(fd, SHARED)
    if (answer !== 'held') return answer === 'taken' ? { type: 'free' } : { type: 'unknown', reason: answer.reason }
    const holder = findHolder([{ device: String(stats.dev), inode: String(stats.ino) }], { anyHandle: true })
    return { type: 'held', pid: holder?.pid }
  } finally {
    closeSync(fd)
  }
}

/**
 * Takes the exclusive lock, and creates the file where it is missing. `release` or the end of this process
 * releases the lock and removes a file that was created for it. Throws `locked` where another process has it,
 * `unsupported` where it cannot be taken here.
 */
export function holdFlock(path: string): HeldFlock {
  // Checked before a file is created: an unlocked file must not be removed again, because another process may
  // lock it meanwhile.
  if (findCaller(EXCLUSIVE) === undefined) throw cannotLock(path, WITHOUT_CALLER)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const file = openLockFile(path)
    // The file is already gone if its holder has just ended.
    if (file === undefined) continue
    const answer = callFlock(file.fd, EXCLUSIVE)
    if (answer === 'taken' && isStillNamed(file.fd, path)) return { release: () => letGo(file, path) }
    closeSync(file.fd)
    if (answer === 'held') break
    if (answer !== 'taken') throw cannotLock(path, answer.reason)
  }
  const state = testFlock(path)
  throw new RethreadError({
    code: 'locked',
    text: `${path} is locked${state.type === 'held' && state.pid !== undefined ? ` by process ${state.pid}` : ''}.`,
    hint: 'Wait for the program that holds the lock, then try again.',
    path,
  })
}

type Answer = 'taken' | 'held' | { reason: string }

const WITHOUT_CALLER =
  process.platform === 'win32' ? 'Windows has locks of another kind' : 'there is neither a program flock nor Perl here'

function findCaller(kind: Kind): FoundProgram | undefined {
  if (process.platform === 'win32') return undefined
  for (const caller of CALLERS) {
    const found = locateProgram(program(caller.command, caller.words(kind)), '/', process.env)
    if (found !== undefined) return found
  }
  return undefined
}

function callFlock(fd: number, kind: Kind): Answer {
  const caller = findCaller(kind)
  if (caller === undefined) return { reason: WITHOUT_CALLER }
  const { status, error } = runProgram(caller, {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    timeout: FLOCK_TIMEOUT_MS,
  })
  if (status === 0) return 'taken'
  if (status === IS_HELD) return 'held'
  const end = error === undefined ? `ended with ${status}` : `could not be started (${systemCode(error)})`
  return { reason: `${caller.command} ${end}` }
}

interface LockFile {
  fd: number
  /** The folder did not exist before. */
  madeFolder: boolean
  /** The file did not exist before. */
  isOurs: boolean
}

/** Undefined where the file was removed while it was opened. */
function openLockFile(path: string): LockFile | undefined {
  const madeFolder = statIfThere(dirname(path)) === undefined
  try {
    files().makeFolder(dirname(path))
    return { fd: openSync(path, CREATE, 0o600), isOurs: true, madeFolder }
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fromWriteError(error, path)
  }
  try {
    return { fd: openSync(path, OPEN), isOurs: false, madeFolder }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw fromWriteError(error, path)
  }
}

/**
 * Removed while the lock is still held: a process that opens the name from now on creates its own file. An
 * empty file was left by a killed rethread, because other programs write their identity into theirs.
 */
function letGo({ fd, isOurs, madeFolder }: LockFile, path: string): void {
  try {
    if (isStillNamed(fd, path) && (isOurs || files().fstat(fd).size === 0n)) unlinkSync(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fromWriteError(error, path)
  } finally {
    closeSync(fd)
    if (madeFolder) removeIfEmpty(dirname(path))
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
    hint: `Make sure that no other program uses it, then use --force. See which do: fuser -v ${quote(path)}`,
    path,
  })
}
