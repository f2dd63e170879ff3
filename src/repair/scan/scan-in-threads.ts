// A large log in two threads: it is cut at line borders, and both threads scan one part after the other. The parts are
// added to the index in their order, so those of the other thread, and a part that follows one of them, wait in memory.
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { compileFields, type Field } from '../../bytes/scanner/fields.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { CopyThread } from '../../disk/vault/copy-ahead.ts'
import { RethreadError } from '../../model/errors.ts'
import { IDLE_MS, ThreadPool, workerFile } from '../../threads/pool.ts'
import type { ShapeFacts } from '../records/record-shape.ts'
import { chooseScanner } from './choose-scanner.ts'
import { claimPart, countClaims, endClaims, freePlace, makeClaims } from './part-claims.ts'
import type { Describing, PartScanner, RecordScanner, VisitLine } from './record-scanner.ts'
import type { KnownStart, ScannedLog } from './scan-log.ts'
import { LogPass } from './scan-log.ts'
import type { PartFromThread, ScanCalls, ScanOrder } from './scan-worker.ts'
import type { Cuts, PartData, PartMemory } from './scanned-part.ts'
import { batchesOf, boundsOf, makePartMemory } from './scanned-part.ts'
import { checksumOf, joinParts, makeSummedParts, sumParts } from './summed-parts.ts'

export interface PartSizes {
  /** Below this, starting a thread takes longer than it saves. */
  worth: number
  part: number
  /** At most so many parts are scanned by this thread, for tests. */
  own?: number
  /** What is visited before the other thread begins. */
  first?: number
}

const MEGABYTE = 1024 * 1024
const SIZES: PartSizes = { worth: 32 * MEGABYTE, part: 4 * MEGABYTE, first: MEGABYTE }
/** The index of such a log takes more memory than most checks. The other thread is ended before it is used. */
const ENDS_THREAD_FROM = 512 * MEGABYTE
/** The number of records is estimated from the first part: a little more is less work than a table that has to grow. */
const SPARE = 1.1
/** The other thread can be so many parts ahead. */
const PLACES = 3

let threads: ThreadPool<ScanCalls> | undefined

/** One thread, for large logs and for many short ones. */
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

export function isWorthThreads(bytes: number, { worth } = SIZES): boolean {
  return bytes >= worth && availableParallelism() > 1
}

/** Whether a log of this size is scanned in parts. Between two of them, this thread can do something else. */
export function canScanInParts(bytes: number, { fields }: Describing): boolean {
  return fields !== undefined && isWorthThreads(bytes) && chooseScanner().startPass !== undefined
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
async function endThread(): Promise<void> {
  const ended = threads
  threads = undefined
  await ended?.close()
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
  const { size } = file.identity
  if (repair.fields === undefined || !isWorthThreads(size - (known?.offset ?? 0), sizes)) return undefined
  const logPass = new LogPass(known)
  const { log } = logPass
  const pass = scanner.startPass?.(log, repair, logPass.onWhole)
  if (pass === undefined) return undefined
  const cuts: Cuts = { from: log.readUpTo, bytes: sizes.part }
  const order = makeOrder(file, storeRoot, repair.fields, pass, cuts)
  await eachPart(order, pass, file, sizes.own, (number, part) => {
    const isAdded = part?.data === undefined ? scanHere(boundsOf(file, cuts, number)?.end) : add(part, part.data)
    if (isAdded && number === 0) log.index.rows.reserve((size / log.readUpTo) * SPARE)
    return isAdded
  })
  scanHere(size)
  pass.finish()
  if (size >= ENDS_THREAD_FROM) await endThread()
  return logPass.result()

  /** False if the end is not known, or the file was cut before it. */
  function scanHere(end: number | undefined): boolean {
    if (end === undefined) return false
    pass?.addChunks(logPass.read(file.chunks(log.readUpTo, end, scanner.chunkBuffer())))
    return log.readUpTo === end
  }

  function add({ memory, shapes }: WaitingPart, data: PartData): boolean {
    logPass.addPart(data.end, data.checksum, () => {
      for (const batch of batchesOf(memory, data, file, order.seeds)) pass?.addBatch(batch, shapes)
    })
    return true
  }
}

/** Gives the lines of a log to `visit`, without an index. False if one is not proved, or `visit` returns false. */
export function visitFile(
  file: OpenFile,
  repair: Describing,
  visit: VisitLine,
  scanner: RecordScanner = chooseScanner(),
): boolean {
  const { size } = file.identity
  const chunks = file.chunks(0, size, scanner.chunkBuffer())
  return size > 0 && scanner.startVisit?.(repair, visit)?.visitChunks(chunks, 0) === size
}

/** The same of a large log, by two threads. Undefined where it cannot be scanned in parts. */
export async function visitInThreads(
  file: OpenFile,
  storeRoot: string,
  repair: Describing,
  visit: VisitLine,
  scanner: RecordScanner,
  sizes = SIZES,
): Promise<boolean | undefined> {
  const { size } = file.identity
  const lines = scanner.startVisit?.(repair, visit)
  if (repair.fields === undefined || !isWorthThreads(size, sizes) || lines === undefined) return undefined
  let at = 0
  const visitHere = (end: number | undefined): boolean => {
    at = (end && lines.visitChunks(file.chunks(at, end, scanner.chunkBuffer()), at)) ?? at
    return at === end
  }
  // Most logs that are not as wanted show it soon: then the other thread need not begin.
  if (!visitHere(boundsOf(file, { from: 0, bytes: sizes.first ?? 0 }, 0)?.end)) return false
  const cuts: Cuts = { from: at, bytes: sizes.part }
  const order = makeOrder(file, storeRoot, repair.fields, lines, cuts)
  let isVisited = true
  await eachPart(order, lines, file, sizes.own, (number, part) => {
    if (part?.data === undefined) isVisited = visitHere(boundsOf(file, cuts, number)?.end)
    else {
      isVisited = lines.visitPart({ data: part.data, shapes: part.shapes }, part.memory)
      at = part.data.end
    }
    return isVisited
  })
  return isVisited && visitHere(size)
}

function makeOrder(file: OpenFile, storeRoot: string, fields: Field, scanner: PartScanner, cuts: Cuts): ScanOrder {
  const { size, device, inode } = file.identity
  const { module, seeds, isSummed } = scanner
  // The rest, with the last line, is scanned when it is its turn.
  const count = Math.max(0, Math.ceil((size - cuts.from) / cuts.bytes) - 1)
  return {
    module,
    path: file.path,
    storeRoot,
    device,
    inode,
    cuts,
    program: compileFields(fields),
    seeds,
    claims: makeClaims(count, PLACES),
    memory: Array.from({ length: PLACES }, () => makePartMemory()),
    isSummed,
  }
}

/**
 * Gives the parts in their order, until `use` returns false. One that is undefined or has no data has to be scanned
 * now. `own`: at most so many are scanned by this thread before their turn.
 */
async function eachPart(
  order: ScanOrder,
  scanner: PartScanner,
  file: OpenFile,
  own: number | undefined,
  use: (number: number, part: WaitingPart | undefined) => boolean,
): Promise<void> {
  const count = countClaims(order.claims)
  const other = new OtherThread(order, scanner)
  const ownParts = new OwnParts(order, scanner, file, own)
  try {
    for (let next = 0; next < count; ) {
      // Lets arrive what the other thread sent: its parts, and that it has finished the log before this one.
      await setImmediate()
      const part = other.take(next) ?? ownParts.take(next)
      const claimed = part === undefined ? ownParts.claim() : undefined
      if (part === undefined && claimed === undefined && !other.isOver) await other.more()
      else if (claimed !== undefined && claimed !== next) ownParts.scan(claimed)
      else if (!use(next, part)) break
      else next++
      if (part?.place !== undefined) freePlace(order.claims, part.place)
    }
  } finally {
    endClaims(order.claims)
  }
}
/** What is known of the bytes of a whole file. */
export interface WholeSum {
  size: number
  checksum: number
}

/** Whether the file has these bytes and no others. All of them are read. */
export async function hasSum(file: OpenFile, storeRoot: string, { size, checksum }: WholeSum): Promise<boolean> {
  return file.identity.size === size && (await sumInThreads(file, storeRoot, size)) === checksum
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

interface WaitingPart {
  memory: PartMemory
  /** Undefined if it has to be scanned when it is its turn. */
  data: PartData | undefined
  shapes: readonly (ShapeFacts | undefined)[]
  /** The place of its memory, if the other thread waits for it. */
  place?: number
}

/** The parts that the other thread has scanned. */
class OtherThread {
  /** It will send nothing more: it has finished or failed. */
  isOver = false
  readonly #order: ScanOrder
  readonly #scanner: PartScanner
  readonly #waiting = new Map<number, WaitingPart>()
  readonly #shapes: (ShapeFacts | undefined)[] = []
  #onMore = (): void => {}

  constructor(order: ScanOrder, scanner: PartScanner) {
    this.#order = order
    this.#scanner = scanner
    const end = (): void => {
      this.isOver = true
      this.#onMore()
    }
    // What it could not scan is scanned here, which reports what is wrong.
    scanThreads()
      .call('scan', order, { onProgress: part => this.#add(part) })
      .then(end, end)
  }

  take(number: number): WaitingPart | undefined {
    const part = this.#waiting.get(number)
    this.#waiting.delete(number)
    return part
  }

  /** Waits until it has finished a part, or all. */
  async more(): Promise<void> {
    await new Promise<void>(resolve => (this.#onMore = resolve))
  }

  #add({ number, place, data, shapes }: PartFromThread): void {
    const memory = this.#order.memory[place]
    for (const shape of shapes) this.#shapes.push(this.#scanner.describe(shape))
    if (memory !== undefined) this.#waiting.set(number, { memory, data, shapes: this.#shapes, place })
    this.#onMore()
  }
}

/** The part that this thread has scanned while the other one scanned an earlier one. */
class OwnParts {
  readonly #order: ScanOrder
  readonly #scanner: PartScanner
  readonly #file: OpenFile
  readonly #memory = makePartMemory()
  #left: number
  #waiting: { number: number; part: WaitingPart } | undefined

  constructor(order: ScanOrder, scanner: PartScanner, file: OpenFile, most = Number.POSITIVE_INFINITY) {
    this.#order = order
    this.#scanner = scanner
    this.#file = file
    this.#left = most
  }

  /** Undefined if all are claimed, or one waits already. */
  claim(): number | undefined {
    return this.#waiting !== undefined || this.#left-- <= 0 ? undefined : claimPart(this.#order.claims)
  }

  scan(number: number): void {
    const bounds = boundsOf(this.#file, this.#order.cuts, number)
    const scanned = bounds && this.#scanner.scanPart(this.#file, bounds, this.#memory)
    this.#waiting = { number, part: { memory: this.#memory, data: scanned?.data, shapes: scanned?.shapes ?? [] } }
  }

  take(number: number): WaitingPart | undefined {
    if (this.#waiting?.number !== number) return undefined
    const { part } = this.#waiting
    this.#waiting = undefined
    return part
  }
}

function scanDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `A thread that scanned a log failed: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Run the command again with --log-level debug and report what the log says.',
    cause,
  })
}
