// The processes of one terminal session, as far as this system shows them (Linux: /proc).
import { readdirSync } from 'node:fs'
import { files } from '../files/system-calls.ts'
import { systemCode } from '../files/system-errors.ts'

const PROC = '/proc'
const MAX_STAT_BYTES = 4096
/** States of a process that has ended and waits for its parent. */
const ENDED = new Set(['Z', 'X', 'x'])
const NOT_SHOWN = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])

/** All processes in the session of `leader`; undefined where this system does not show it. */
export function findFamily(leader: number): number[] | undefined {
  return listProcesses()
    ?.filter(pid => isOfSession(pid, leader))
    .map(Number)
}

/** Names only. With file types, some systems stat each entry and fail on a process that has just ended. */
export function listProcesses(): string[] | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readdirSync(PROC).filter(name => /^\d+$/.test(name))
  } catch (error) {
    if (NOT_SHOWN.has(systemCode(error))) return undefined
    throw error
  }
}

/** Parses `pid (name) state parent group session …`. The name may contain anything. */
function isOfSession(pid: string, leader: number): boolean {
  const text = readStat(`${PROC}/${pid}/stat`)
  const [state = '', , , session] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return Number(session) === leader && !ENDED.has(state)
}

/** Shared: a scan reads one small file for each process. */
const scratch = Buffer.alloc(MAX_STAT_BYTES)

/** Empty for a process that ended during the scan. */
function readStat(path: string): string {
  let fd: number | undefined
  try {
    fd = files().open(path)
    return scratch.toString('latin1', 0, files().read(fd, scratch, 0))
  } catch (error) {
    if (NOT_SHOWN.has(systemCode(error))) return ''
    throw error
  } finally {
    if (fd !== undefined) files().close(fd)
  }
}
