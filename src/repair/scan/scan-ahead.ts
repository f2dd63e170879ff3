// Many short logs in two threads: the other one opens, reads and scans them, this one makes their indexes and checks
// them. Each claims the next batch of logs when it has nothing else to do, so that neither waits for the other.
import { availableParallelism } from 'node:os'
import { compileFields } from '../../bytes/scanner/fields.ts'
import type { FileIdentity, OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import type { Seeds } from '../../model/columns.ts'
import { makeSeeds } from '../../model/columns.ts'
import { RethreadError } from '../../model/errors.ts'
import { RecordIndex } from '../records/record-index.ts'
import { RecordRows } from '../records/record-rows.ts'
import type { ShapeFacts } from '../records/record-shape.ts'
import { describeShape, SlotNumbers } from '../records/record-shape.ts'
import type { AheadMemory } from './ahead-memory.ts'
import { HEAD_BYTES, makeAheadMemory } from './ahead-memory.ts'
import { chooseScanner } from './choose-scanner.ts'
import { parsedBy, visitBatches } from './line-visit.ts'
import { claimPart, endClaims, freePlace, makeClaims } from './part-claims.ts'
import type { Describing, RecordScanner, VisitLine } from './record-scanner.ts'
import type { AheadOrder, ScannedBatchOfFiles, ScannedFile } from './scan-files.ts'
import { scanThreads, visitFile } from './scan-in-threads.ts'
import type { IndexedLog } from './scan-log.ts'
import { indexLog } from './scan-log.ts'
import { batchesOf } from './scanned-part.ts'

export interface AheadOptions {
  /** Below this size, starting a thread takes longer than it saves. */
  worthBytes: number
  /** At most so many batches are left to this thread, for tests. */
  own?: number
  seeds?: Seeds
}

const OPTIONS: AheadOptions = { worthBytes: 160 * 1024 * 1024 }
/** The other thread can be so many batches ahead. */
const PLACES = 4

/** Starts the thread ahead of the logs that it will be given, while this thread still loads modules. */
export function warmUpAhead(bytes: number): void {
  if (bytes >= OPTIONS.worthBytes && availableParallelism() > 1 && chooseScanner().module !== undefined)
    scanThreads().warmUp()
}

export interface SessionLog {
  filePath: string
  storeRoot: string
  fileSize: number
}

/** Logs of one store, at most so many that they are checked in a moment. */
export interface LogBatch<Log extends SessionLog> {
  repair: Describing
  logs: readonly Log[]
}

/** A log that was read and scanned by the other thread. Valid until the next batch is taken. */
export interface LogAhead {
  /** Gives its lines. False if one is not proved, or `visit` returns false. */
  visitLines(visit: VisitLine): boolean
  /** As it was before it was read. Its bytes are read again where something asks for them. */
  file: OpenFile
  /** Its first bytes. Valid until another log is read. Those of a log here: after its lines or its index. */
  head(): Buffer
  index(): IndexedLog
}

type Open = (path: string, storeRoot: string) => OpenFile

/** The same of a log that is opened and scanned in this thread. Undefined where it cannot be opened. */
export function openLogHere(
  { filePath, storeRoot }: Omit<SessionLog, 'fileSize'>,
  repair: Describing,
  open: Open = openFile,
): LogAhead | undefined {
  let file: OpenFile
  try {
    file = open(filePath, storeRoot)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return undefined
  }
  const { size } = file.identity
  const scanner = chooseScanner()
  let head: Buffer = NOTHING
  file.onFirstChunk(chunk => {
    head = chunk.subarray(0, HEAD_BYTES)
  })
  return {
    file,
    head: () => head,
    visitLines(visit) {
      const buffer = scanner.chunkBuffer()
      if (size > buffer.length) return visitFile(file, repair, visit, scanner)
      const bytes = file.range(0, size, buffer)
      head = bytes.subarray(0, HEAD_BYTES)
      return size > 0 && scanner.startVisit?.(repair, visit)?.visitChunks([bytes], 0) === size
    },
    index: () => indexLog(file.chunks(0, size, scanner.chunkBuffer()), repair, scanner),
  }
}

const NOTHING = Buffer.alloc(0)

export interface TakenBatch<Batch> {
  batch: Batch
  /** By the place of the log. Undefined for what the other thread has not scanned. */
  ahead: readonly (LogAhead | undefined)[]
}

export interface Scanning<Batch> extends AsyncIterable<TakenBatch<Batch>> {
  /** Nothing more is scanned. */
  close(): void
}

/** Every batch once, in any order. Where it is not worth a thread, or the kernel cannot run, nothing is scanned ahead. */
export function scanAhead<Batch extends LogBatch<SessionLog>>(
  batches: readonly Batch[],
  options = OPTIONS,
): Scanning<Batch> {
  const scanned = batches.filter(({ repair }) => repair.fields !== undefined)
  const bytes = scanned.reduce((sum, { logs }) => sum + logs.reduce((own, { fileSize }) => own + fileSize, 0), 0)
  const scanner = chooseScanner()
  const isWorth = bytes >= options.worthBytes && scanned.length > 0 && availableParallelism() > 1
  const other =
    isWorth && scanner.module !== undefined ? new OtherThread(scanned, scanner, scanner.module, options) : undefined
  const rest = other === undefined ? batches : batches.filter(({ repair }) => repair.fields === undefined)
  return {
    async *[Symbol.asyncIterator]() {
      for (const batch of rest) yield { batch, ahead: [] }
      for (let next = await other?.next(); next !== undefined; next = await other?.next()) yield next
    },
    close: () => other?.close(),
  }
}

class OtherThread<Batch extends LogBatch<SessionLog>> {
  readonly #batches: readonly Batch[]
  readonly #scanner: RecordScanner
  readonly #order: AheadOrder
  readonly #finished: ScannedBatchOfFiles[] = []
  /** Those that were not taken yet. */
  readonly #left: Set<Batch>
  /** By the number that its kernel gave them. */
  #shapes: (ShapeFacts | undefined)[] = []
  /** Of the batch that was taken last. */
  #place: number | undefined
  #isOver = false
  /** How many more batches may be left to this thread. */
  #own: number
  #onMore = (): void => {}

  constructor(batches: readonly Batch[], scanner: RecordScanner, module: object, { own, seeds }: AheadOptions) {
    this.#own = own ?? Number.POSITIVE_INFINITY
    this.#batches = batches
    this.#scanner = scanner
    this.#left = new Set(batches)
    this.#order = makeOrder(batches, module, seeds)
    const end = (): void => {
      this.#isOver = true
      this.#onMore()
    }
    const onProgress = (scanned: ScannedBatchOfFiles): void => {
      this.#finished.push(scanned)
      this.#onMore()
    }
    // What it could not scan is scanned here, which reports what is wrong.
    scanThreads().call('scanFiles', this.#order, { onProgress }).then(end, end)
  }

  /** Undefined after the last one. */
  async next(): Promise<TakenBatch<Batch> | undefined> {
    if (this.#place !== undefined) freePlace(this.#order.claims, this.#place)
    this.#place = undefined
    for (;;) {
      const scanned = this.#finished.shift()
      if (scanned !== undefined) return this.#take(scanned)
      const number = this.#own-- > 0 ? claimPart(this.#order.claims) : undefined
      const claimed = number === undefined ? undefined : this.#batches[number]
      if (claimed !== undefined) return this.#leave(claimed)
      if (this.#isOver) break
      await new Promise<void>(resolve => (this.#onMore = resolve))
    }
    // Nothing is left, unless the thread died.
    const [lost] = this.#left
    return lost === undefined ? undefined : this.#leave(lost)
  }

  close(): void {
    endClaims(this.#order.claims)
  }

  #leave(batch: Batch): TakenBatch<Batch> {
    this.#left.delete(batch)
    return { batch, ahead: [] }
  }

  #take({ number, place, files, shapes, isNewProgram }: ScannedBatchOfFiles): TakenBatch<Batch> | undefined {
    const batch = this.#batches[number]
    const memory = this.#order.memory[place]
    if (batch === undefined || memory === undefined) return undefined
    this.#left.delete(batch)
    this.#place = place
    if (isNewProgram) this.#shapes = []
    for (const shape of shapes) this.#shapes.push(describeShape(shape, batch.repair.describe))
    const slots = new SlotNumbers(memory.slots)
    const ahead = files.map((scanned, at) => {
      const log = batch.logs[at]
      return scanned && log && this.#makeAhead(log, scanned, batch.repair, memory, slots, at)
    })
    return { batch, ahead }
  }

  #makeAhead(
    log: SessionLog,
    scanned: ScannedFile,
    repair: Describing,
    memory: AheadMemory,
    slots: SlotNumbers,
    at: number,
  ): LogAhead {
    const { seeds } = this.#order
    const { identity } = scanned
    const file = openedLater(log, identity)
    const { buffer } = memory.heads
    return {
      file,
      head: () => Buffer.from(buffer, at * HEAD_BYTES, Math.min(HEAD_BYTES, identity.size)),
      visitLines: visit =>
        visitBatches(scanned.batches, memory.rows, slots, this.#shapes, parsedBy(repair, seeds, visit), visit, scanned),
      index: () => {
        const index = new RecordIndex(new RecordRows(seeds))
        const indexed: IndexedLog = { index, junk: [], moreJunk: 0, readUpTo: identity.size }
        const pass = this.#scanner.startPass?.(indexed, repair, () => {})
        for (const batch of batchesOf(memory, scanned, file, seeds, scanned)) pass?.addBatch(batch, this.#shapes)
        pass?.finish()
        return indexed
      },
    }
  }
}

function makeOrder(batches: readonly LogBatch<SessionLog>[], module: object, seeds = makeSeeds()): AheadOrder {
  const most = batches.reduce((count, { logs }) => Math.max(count, logs.length), 0)
  const described = [...new Set(batches.map(({ repair }) => repair))]
  return {
    module,
    seeds,
    programs: described.map(({ fields }) => compileFields(fields ?? {})),
    batches: batches.map(({ repair, logs }) => ({
      program: described.indexOf(repair),
      files: logs.map(({ filePath, storeRoot }) => ({ path: filePath, storeRoot })),
    })),
    claims: makeClaims(batches.length, PLACES),
    memory: Array.from({ length: PLACES }, () => makeAheadMemory(most)),
  }
}

/** Opened when something asks for its bytes, which few checks do. It must still be the same file. */
function openedLater({ filePath, storeRoot }: SessionLog, identity: FileIdentity): OpenFile {
  let opened: OpenFile | undefined
  const open = (): OpenFile => {
    opened ??= openSame(filePath, storeRoot, identity)
    return opened
  }
  return {
    path: filePath,
    identity,
    range: (start, end, into) => open().range(start, end, into),
    chunks: (start = 0, end = identity.size, into?: Buffer) => open().chunks(start, end, into),
    onFirstChunk: use => open().onFirstChunk(use),
    close: () => opened?.close(),
  }
}

function openSame(path: string, storeRoot: string, { device, inode }: FileIdentity): OpenFile {
  const file = openFile(path, storeRoot)
  if (file.identity.device === device && file.identity.inode === inode) return file
  file.close()
  throw new RethreadError({
    code: 'busy',
    text: `${path} was replaced while it was checked.`,
    hint: 'Another program rewrites it. Try again in a moment.',
    path,
  })
}
