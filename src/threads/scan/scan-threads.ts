// The thread that scans, sums and copies for the others of its process: large logs in parts, and many short logs ahead.
import { availableParallelism } from 'node:os'
import type { OpenFile } from '../../disk/files/read.ts'
import type { CopyThread } from '../../disk/vault/copy-ahead.ts'
import { RethreadError } from '../../model/errors.ts'
import { IDLE_MS, ThreadPool, workerFile } from '../pool.ts'
import type { ScanCalls } from './scan-worker.ts'
import { checksumOf, joinParts, makeSummedParts, sumParts } from './summed-parts.ts'

/** Below this size of a log, starting the thread takes longer than it saves. */
export const WORTH_THREADS_BYTES = 32 * 1024 * 1024

let threads: ThreadPool<ScanCalls> | undefined

export function scanThreads(): ThreadPool<ScanCalls> {
  threads ??= new ThreadPool<ScanCalls>({
    file: workerFile(import.meta.url, 'scan-worker'),
    size: 1,
    // The next call does not wait until this thread has heard that the last one has ended.
    callsPerThread: 2,
    idleMs: IDLE_MS,
    died: (_, cause) => scanDied(cause),
  })
  return threads
}

export function isWorthThreads(bytes: number, worth = WORTH_THREADS_BYTES): boolean {
  return bytes >= worth && availableParallelism() > 1
}

/** Starts the thread ahead of a check that will need it. */
export function warmUpScan(bytes: number): void {
  if (isWorthThreads(bytes)) scanThreads().warmUp()
}

/** The same ahead of a repair, which may also need a copy of the log. */
export function warmUpCopy(bytes: number): void {
  if (!isWorthThreads(bytes)) return
  warmUpScan(bytes)
  scanThreads().notify('expectCopy', undefined)
}

/** Other logs that are scanned meanwhile go on without it. */
export async function endScanThreads(): Promise<void> {
  const ended = threads
  threads = undefined
  await ended?.close()
}

/** The checksum of the first bytes of a file, of a large one by two threads. Undefined where not all could be read. */
export async function sumInThreads(file: OpenFile, storeRoot: string, end: number): Promise<number | undefined> {
  if (!isWorthThreads(end)) return checksumOf(file, 0, end)
  const { device, inode } = file.identity
  const parts = makeSummedParts(end)
  const other = scanThreads()
    .call('sum', { path: file.path, storeRoot, device, inode, ...parts })
    .catch(() => 0)
  const own = sumParts(file, parts)
  // The thread may not even have begun: another log keeps it busy.
  const isWhole = own === parts.sums.length || own + (await other) === parts.sums.length
  return isWhole ? joinParts(parts) : undefined
}

/** Copies and hashes a file while this thread does something else. */
export const copyThread: CopyThread = {
  copy: async order => await scanThreads().call('copy', order),
  hash: async (path, size) => await scanThreads().call('hash', { path, size }),
}

function scanDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `A thread that scanned a log failed: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Run the command again with --log-level debug and report what the log says.',
    cause,
  })
}
