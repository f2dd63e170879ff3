// A large log in two threads: it is cut at line borders, and every second part is scanned by another thread while
// this one scans the part before it. Only the rows of one part are held at a time.
import { availableParallelism } from 'node:os'
import { compileFields } from '../../bytes/scanner/fields.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import { IDLE_MS, ThreadPool, workerFile } from '../../threads/pool.ts'
import type { Describing, RecordScanner } from './record-scanner.ts'
import type { KnownStart, ScannedLog } from './scan-log.ts'
import { LogPass } from './scan-log.ts'
import type { ScanCalls } from './scan-worker.ts'
import type { PartData } from './scanned-part.ts'
import { ScannedPart } from './scanned-part.ts'

export interface PartSizes {
  /** Below this, starting a thread takes longer than it saves. */
  worth: number
  /** This thread also makes the index of both parts, so it gets the smaller one. */
  own: number
  part: number
}

const MEGABYTE = 1024 * 1024
const SIZES: PartSizes = { worth: 32 * MEGABYTE, own: 10 * MEGABYTE, part: 16 * MEGABYTE }
/** A line border is searched for in this many bytes. */
const MAX_SEARCH_BYTES = 8 * MEGABYTE
const NEWLINE = 0x0a

let threads: ThreadPool<ScanCalls> | undefined

function scanThreads(): ThreadPool<ScanCalls> {
  threads ??= new ThreadPool<ScanCalls>({
    file: workerFile(import.meta.url, 'scan-worker'),
    size: 1,
    idleMs: IDLE_MS,
    died: (_, cause) => scanDied(cause),
  })
  return threads
}

function isWorthThreads(bytes: number, { worth } = SIZES): boolean {
  return bytes >= worth && availableParallelism() > 1
}

/** Starts the thread ahead of a check that will need it. */
export function warmUpScan(bytes: number): void {
  if (isWorthThreads(bytes)) scanThreads().warmUp()
}

/** Undefined where the log cannot be scanned in parts. Then `known` is unchanged. */
export async function indexInThreads(
  file: OpenFile,
  storeRoot: string,
  repair: Describing,
  known: KnownStart | undefined,
  scanner: RecordScanner,
  sizes = SIZES,
): Promise<ScannedLog | undefined> {
  const { size, device, inode } = file.identity
  if (repair.fields === undefined || !isWorthThreads(size - (known?.offset ?? 0), sizes)) return undefined
  const logPass = new LogPass(known)
  const { log } = logPass
  const pass = scanner.startPass?.(log, repair, logPass.onWhole)
  if (pass === undefined) return undefined
  const { seeds } = log.index.rows
  const program = compileFields(repair.fields)
  const scanHere = (end: number): void =>
    pass.addChunks(logPass.read(file.chunks(log.readUpTo, end, scanner.chunkBuffer())))
  while (size - log.readUpTo > sizes.own + sizes.part) {
    const start = findBorder(file, log.readUpTo + sizes.own)
    const end = start === undefined ? undefined : findBorder(file, start + sizes.part)
    if (start === undefined || end === undefined) break
    const order = { module: pass.module, path: file.path, storeRoot, device, inode, start, end, program, seeds }
    const scanned = scanThreads().call('scan', order).catch(asUndefined)
    scanHere(start)
    if (log.readUpTo < start) break
    const data = await scanned
    if (data === undefined) scanHere(end)
    else addPart(data, end)
  }
  scanHere(size)
  pass.finish()
  return logPass.result()

  function addPart(data: PartData, end: number): void {
    logPass.addPart(end, data.checksum, () => pass?.addPart(new ScannedPart(data, file, seeds)))
  }
}

/** A part that the thread could not scan is scanned here, which reports what is wrong. */
function asUndefined(): undefined {
  return undefined
}

/** The place after the first newline at or after `from`. */
function findBorder(file: OpenFile, from: number): number | undefined {
  let at = from
  for (const chunk of file.chunks(from, Math.min(file.identity.size, from + MAX_SEARCH_BYTES))) {
    const newline = chunk.indexOf(NEWLINE)
    if (newline !== -1) return at + newline + 1
    at += chunk.length
  }
  return undefined
}

function scanDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `A thread that scanned a log failed: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Run the command again with --log-level debug and report what the log says.',
    cause,
  })
}
