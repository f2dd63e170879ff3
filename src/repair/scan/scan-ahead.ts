// Many short logs in two threads: the other one opens, reads and scans them, this one makes their indexes and checks
// them.
import type { FileIdentity, OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { AheadOptions, ScannedAhead, SessionLog } from '../../threads/scan/ahead.ts'
import { AHEAD_OPTIONS, isWorthAhead, ScanAhead } from '../../threads/scan/ahead.ts'
import type { AheadMemory } from '../../threads/scan/ahead-memory.ts'
import { HEAD_BYTES } from '../../threads/scan/ahead-memory.ts'
import type { ScannedFile } from '../../threads/scan/scan-files.ts'
import { scanThreads } from '../../threads/scan/scan-threads.ts'
import { RecordIndex } from '../records/record-index.ts'
import { RecordRows } from '../records/record-rows.ts'
import type { ShapeFacts } from '../records/record-shape.ts'
import { describeShape, SlotNumbers } from '../records/record-shape.ts'
import { chooseScanner } from './choose-scanner.ts'
import { parsedBy, visitBatches } from './line-visit.ts'
import type { Describing, RecordScanner, VisitLine } from './record-scanner.ts'
import { visitFile } from './scan-in-threads.ts'
import type { IndexedLog } from './scan-log.ts'
import { indexLog } from './scan-log.ts'
import { batchesOf } from './scanned-part.ts'

/** Starts the thread ahead of the logs that it will be given, while this thread still loads modules. */
export function warmUpAhead(bytes: number): void {
  if (isWorthAhead(bytes) && chooseScanner().module !== undefined) scanThreads().warmUp()
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

export interface TakenLogs<Batch> {
  batch: Batch
  /** By the place of the log. Undefined for what the other thread has not scanned. */
  ahead: readonly (LogAhead | undefined)[]
}

export interface Scanning<Batch> extends AsyncIterable<TakenLogs<Batch>> {
  /** Nothing more is scanned. */
  close(): void
}

/** Every batch once, in any order. Where it is not worth a thread, or the kernel cannot run, nothing is scanned ahead. */
export function scanAhead<Batch extends LogBatch<SessionLog>>(
  batches: readonly Batch[],
  options = AHEAD_OPTIONS,
): Scanning<Batch> {
  const scanned = batches.filter(({ repair }) => repair.fields !== undefined)
  const bytes = scanned.reduce((sum, { logs }) => sum + logs.reduce((own, { fileSize }) => own + fileSize, 0), 0)
  const scanner = chooseScanner()
  const isWorth = scanned.length > 0 && isWorthAhead(bytes, options)
  const other =
    isWorth && scanner.module !== undefined ? new LogsAhead(scanned, scanner, scanner.module, options) : undefined
  const rest = other === undefined ? batches : batches.filter(({ repair }) => repair.fields === undefined)
  return {
    async *[Symbol.asyncIterator]() {
      for (const batch of rest) yield { batch, ahead: [] }
      for (let next = await other?.next(); next !== undefined; next = await other?.next()) yield next
    },
    close: () => other?.close(),
  }
}

class LogsAhead<Batch extends LogBatch<SessionLog>> {
  readonly #ahead: ScanAhead<Batch>
  readonly #scanner: RecordScanner
  /** By the number that the other kernel gave them. */
  #shapes: (ShapeFacts | undefined)[] = []

  constructor(batches: readonly Batch[], scanner: RecordScanner, module: object, options: AheadOptions) {
    this.#ahead = new ScanAhead(batches, ({ repair }) => repair, 'head', module, options)
    this.#scanner = scanner
  }

  /** Undefined after the last one. */
  async next(): Promise<TakenLogs<Batch> | undefined> {
    const taken = await this.#ahead.next()
    if (taken === undefined) return undefined
    const { batch, scanned } = taken
    return { batch, ahead: scanned === undefined ? [] : this.#logsOf(batch, scanned) }
  }

  close(): void {
    this.#ahead.close()
  }

  #logsOf({ repair, logs }: Batch, { files, shapes, isNewProgram, memory }: ScannedAhead): (LogAhead | undefined)[] {
    if (isNewProgram) this.#shapes = []
    for (const shape of shapes) this.#shapes.push(describeShape(shape, repair.describe))
    const slots = new SlotNumbers(memory.slots)
    return files.map((scanned, at) => {
      const log = logs[at]
      return scanned && log && this.#makeAhead(log, scanned, repair, memory, slots)
    })
  }

  #makeAhead(
    log: SessionLog,
    scanned: ScannedFile,
    repair: Describing,
    memory: AheadMemory,
    slots: SlotNumbers,
  ): LogAhead {
    const { seeds } = this.#ahead
    const { identity, byte } = scanned
    const file = openedLater(log, identity)
    return {
      file,
      head: () => Buffer.from(memory.bytes.buffer, byte, Math.min(HEAD_BYTES, identity.size)),
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
