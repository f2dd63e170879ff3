// Which processes have a file open, as far as this system shows it (Linux: /proc, for processes that this
// user may inspect).
import { setTimeout as sleep } from 'node:timers/promises'
import { readRange } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { systemCode } from '../files/system-errors.ts'

export interface Inode {
  device: string
  inode: string
}

export interface Holder {
  pid: number
  /** The name of the process. */
  name: string
  /** The file that it has open. */
  inode: Inode
  isWriting: boolean
}

export interface HolderOptions {
  /** Count handles that only read as well. Needed for databases. */
  anyHandle: boolean
}

const PROC = '/proc'
const MAX_PROC_BYTES = 4096
/** `O_ACCMODE`: the two lowest bits mean reading (0), writing (1) or both (2). */
const ACCESS_MODE = 0o3
/**
 * A process that opens the file for each line is seen only sometimes. One that keeps it open is seen in every
 * check.
 */
const CHECKS = 4
const BETWEEN_CHECKS_MS = 25
const MAX_LIST_TRIES = 5

/**
 * The first other process that has one of the files open. Undefined also where this system does not show it.
 */
export function findHolder(inodes: readonly Inode[], options: HolderOptions): Holder | undefined {
  const wanted = new Map(inodes.map(inode => [`${inode.device}:${inode.inode}`, inode]))
  for (const pid of listProcesses()) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    for (const fd of listIfAllowed(`${PROC}/${pid}/fd`)) {
      const stats = ifAllowed(() => files().stat(`${PROC}/${pid}/fd/${fd}`))
      const inode = stats === undefined ? undefined : wanted.get(`${stats.dev}:${stats.ino}`)
      if (inode === undefined) continue
      const isWriting = opensForWriting(pid, fd)
      if (isWriting || options.anyHandle) return { pid: Number(pid), name: nameOf(pid), inode, isWriting }
    }
  }
  return undefined
}

/**
 * The processes that have each of the files open for writing. Empty also where this system does not show it.
 */
export function findWriters<I extends Inode>(inodes: readonly I[]): Map<I, number[]> {
  const wanted = new Map(inodes.map(inode => [`${inode.device}:${inode.inode}`, inode]))
  const found = new Map<I, number[]>()
  for (const pid of wanted.size === 0 ? [] : listProcesses()) {
    if (!/^\d+$/.test(pid)) continue
    for (const fd of listIfAllowed(`${PROC}/${pid}/fd`)) {
      const stats = ifAllowed(() => files().stat(`${PROC}/${pid}/fd/${fd}`))
      const inode = stats === undefined ? undefined : wanted.get(`${stats.dev}:${stats.ino}`)
      if (inode === undefined || !opensForWriting(pid, fd)) continue
      found.set(inode, [...new Set([...(found.get(inode) ?? []), Number(pid)])])
    }
  }
  return found
}

/** A process that keeps one of the files open, and did not just open it for a moment. */
export async function findLastingHolder(inodes: readonly Inode[], options: HolderOptions): Promise<Holder | undefined> {
  for (let check = 1; ; check++) {
    const holder = findHolder(inodes, options)
    if (holder === undefined || check === CHECKS) return holder
    await sleep(BETWEEN_CHECKS_MS)
  }
}

export function describeHolder(holder: Holder): string {
  return `Process ${holder.pid}${holder.name === '' ? '' : ` (${holder.name})`}`
}

function opensForWriting(pid: string, fd: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(readText(`${PROC}/${pid}/fdinfo/${fd}`) ?? '')?.[1]
  // If the flags cannot be read, the handle counts as open for writing.
  return flags === undefined || (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0
}

function nameOf(pid: string): string {
  return (readText(`${PROC}/${pid}/comm`) ?? '').trim()
}

function readText(path: string): string | undefined {
  return ifAllowed(() => {
    const fd = files().open(path)
    try {
      return readRange({ fd, path }, 0, MAX_PROC_BYTES).toString('utf8')
    } finally {
      files().close(fd)
    }
  })
}

/** A process that ends at the wrong moment makes the listing fail. That must not look like an empty list. */
function listProcesses(): string[] {
  for (let tries = 1; tries < MAX_LIST_TRIES; tries++) {
    const found = listIfAllowed(PROC)
    if (found.length > 0) return found
  }
  return listIfAllowed(PROC)
}

function listIfAllowed(path: string): string[] {
  return ifAllowed(() => files().list(path))?.map(entry => entry.name) ?? []
}

/** Processes end during the scan, and those of other users are not visible. */
const NOT_SHOWN = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'])

function ifAllowed<T>(check: () => T): T | undefined {
  try {
    return check()
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    if (NOT_SHOWN.has(systemCode(cause))) return undefined
    throw error
  }
}
