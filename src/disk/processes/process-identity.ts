// Distinguishes a process from a later one with the same pid, and finds processes that an ended rethread left
// behind.
import { program, textValue, words } from '../../model/program.ts'
import { files } from '../files/system-calls.ts'
import { systemCode } from '../files/system-errors.ts'
import { findFamily, listProcesses } from './process-family.ts'
import { locateProgram, runProgram } from './start-program.ts'

/** Identifies a process, even if a later one has the same number. */
export interface ProcessIdentity {
  pid: number
  /** The start time in the form of this system. Only compared, never parsed. */
  began: string
}

const PROC = '/proc'
const MAX_STAT_BYTES = 4096
/** The environment of a process can be large, and the mark may be anywhere in it, so all of it is read. */
const MAX_ENVIRONMENT_BYTES = 4 * 1024 * 1024
const NOT_SHOWN = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EIO'])
/** Field 22 of `stat`, counted after the name: the start time in ticks since boot. */
const START_TIME_FIELD = 19
const PS_TIMEOUT_MS = 2000

/** Undefined where the process does not exist. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? startTimeOnLinux(pid) : startTimeByPs(pid)
  return began === undefined ? undefined : { pid, began }
}

export function isSameProcess({ pid, began }: ProcessIdentity): boolean {
  return identifyProcess(pid)?.began === began
}

/**
 * Cheap enough to ask every second. Where `ps` would be needed, a later
 * process with the same pid counts as this one.
 */
export function isStillRunning(identity: ProcessIdentity): boolean {
  return process.platform === 'linux' ? isSameProcess(identity) : isRunning(identity.pid)
}

/**
 * What is left of a process that led its own session: processes still in that session, and all others with
 * `mark` in their environment. A session id is not reused while it has members, so a leader with another
 * start time means that all are gone.
 */
export function findLeftProcesses(leader: ProcessIdentity | undefined, mark: string): number[] {
  const family = leader === undefined || isAnother(leader) ? [] : (findFamily(leader.pid) ?? onlyLeader(leader))
  return [...new Set([...family, ...findMarked(mark)])].filter(pid => pid !== process.pid)
}

function isAnother({ pid, began }: ProcessIdentity): boolean {
  const now = identifyProcess(pid)
  return now !== undefined && now.began !== began
}

function onlyLeader({ pid }: ProcessIdentity): number[] {
  return isRunning(pid) ? [pid] : []
}

/** `mark` is one NAME=value. Empty where this system does not show the environment of processes. */
function findMarked(mark: string): number[] {
  const [first, later] = [Buffer.from(`${mark}\0`), Buffer.from(`\0${mark}\0`)]
  return (listProcesses() ?? [])
    .filter(pid => {
      const environment = readProc(`${PROC}/${pid}/environ`, MAX_ENVIRONMENT_BYTES)
      return environment?.subarray(0, first.length).equals(first) || environment?.includes(later)
    })
    .map(Number)
}

function startTimeOnLinux(pid: number): string | undefined {
  const text = readProc(`${PROC}/${pid}/stat`, MAX_STAT_BYTES)?.toString('latin1')
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  const boot = readProc(`${PROC}/sys/kernel/random/boot_id`, MAX_STAT_BYTES)?.toString('latin1').trim() ?? ''
  return `${boot}/${fields[START_TIME_FIELD] ?? ''}`
}

function startTimeByPs(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined
  const ps = locateProgram(program('ps', words('-o', 'lstart=', '-p', textValue(String(pid)))), '/', process.env)
  if (ps === undefined) return ''
  const { stdout, status } = runProgram(ps, { timeout: PS_TIMEOUT_MS })
  return status === 0 ? stdout.toString('latin1').trim() : ''
}

/** Shared: a scan reads one small file for each process. */
const scratch = Buffer.alloc(64 * 1024)

/** Undefined for a process that ended during the scan or belongs to another user. */
export function readProc(path: string, limit: number): Buffer | undefined {
  let fd: number | undefined
  try {
    fd = files().open(path)
    const parts: Buffer[] = []
    for (let at = 0; at < limit; ) {
      const read = files().read(fd, scratch.subarray(0, limit - at), at)
      if (read === 0) break
      parts.push(Buffer.from(scratch.subarray(0, read)))
      at += read
    }
    return Buffer.concat(parts)
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    if (NOT_SHOWN.has(systemCode(cause))) return undefined
    throw error
  } finally {
    if (fd !== undefined) files().close(fd)
  }
}

/** Whether a process exists, without affecting it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user cannot be signalled, but exists.
    return systemCode(error) === 'EPERM'
  }
}
