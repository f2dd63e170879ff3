// Many short logs in two threads: the other one opens, reads and scans them, this one does the rest. Each claims the next
// batch of logs when it has nothing else to do, so that neither waits for the other.
import { availableParallelism } from 'node:os'
import type { Field } from '../../bytes/scanner/fields.ts'
import { compileFields } from '../../bytes/scanner/fields.ts'
import type { Seeds } from '../../model/columns.ts'
import { makeSeeds } from '../../model/columns.ts'
import type { AheadMemory, Kept } from './ahead-memory.ts'
import { makeAheadMemory } from './ahead-memory.ts'
import { claimPart, endClaims, freePlace, makeClaims } from './claims.ts'
import type { AheadOrder, NamedLog, ScannedBatchOfFiles } from './scan-files.ts'
import { scanThreads } from './scan-threads.ts'

/** A session in a file of its own, with the size that it had when it was found. */
export interface SessionLog extends NamedLog {
  fileSize: number
}

/** Logs of one store, at most so many that they are read in a moment. */
export interface LogBatch {
  logs: readonly SessionLog[]
}

/** What asks for these fields. Shapes are numbered anew for each. */
export interface Asking {
  fields?: Field
}

export interface AheadOptions {
  /** Below this size, starting a thread takes longer than it saves. */
  worthBytes: number
  /** At most so many batches are left to this thread, for tests. */
  own?: number
  seeds?: Seeds
}

export const AHEAD_OPTIONS: AheadOptions = { worthBytes: 8 * 1024 * 1024 }
/** The other thread can be so many batches ahead. */
const PLACES = 4
/** Single logs beyond this size are scanned by the thread that wants them. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024

export function isWorthAhead(bytes: number, { worthBytes } = AHEAD_OPTIONS): boolean {
  return bytes >= worthBytes && availableParallelism() > 1
}

export interface TakenBatch<Batch> {
  batch: Batch
  /** What the other thread has scanned of it, valid until the next batch is taken. Undefined if nothing. */
  scanned: ScannedAhead | undefined
}

export interface ScannedAhead extends Pick<ScannedBatchOfFiles, 'files' | 'shapes' | 'isNewProgram'> {
  memory: AheadMemory
}

export class ScanAhead<Batch extends LogBatch> {
  readonly seeds: Seeds
  readonly #batches: readonly Batch[]
  readonly #order: AheadOrder
  readonly #finished: ScannedBatchOfFiles[] = []
  /** Those that were not taken yet. */
  readonly #left: Set<Batch>
  /** Of the batch that was taken last. */
  #place: number | undefined
  #isOver = false
  /** How many more batches may be left to this thread. */
  #own: number
  #onMore = (): void => {}

  /** `module` is the compiled kernel. */
  constructor(
    batches: readonly Batch[],
    askingOf: (batch: Batch) => Asking,
    kept: Kept,
    module: object,
    { own, seeds = makeSeeds() }: AheadOptions,
  ) {
    this.seeds = seeds
    this.#own = own ?? Number.POSITIVE_INFINITY
    this.#batches = batches
    this.#left = new Set(batches)
    this.#order = makeOrder(batches, batches.map(askingOf), kept, module, seeds)
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

  /** Every batch once, in any order. Undefined after the last one. */
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

  /** Nothing more is scanned. */
  close(): void {
    endClaims(this.#order.claims)
  }

  #leave(batch: Batch): TakenBatch<Batch> {
    this.#left.delete(batch)
    return { batch, scanned: undefined }
  }

  #take({ number, place, files, shapes, isNewProgram }: ScannedBatchOfFiles): TakenBatch<Batch> | undefined {
    const batch = this.#batches[number]
    const memory = this.#order.memory[place]
    if (batch === undefined || memory === undefined) return undefined
    this.#left.delete(batch)
    this.#place = place
    return { batch, scanned: { files, shapes, isNewProgram, memory } }
  }
}

function makeOrder(
  batches: readonly LogBatch[],
  asking: readonly Asking[],
  kept: Kept,
  module: object,
  seeds: Seeds,
): AheadOrder {
  const [mostFiles, mostBytes] = largestOf(batches)
  const programs = [...new Set(asking)]
  return {
    module,
    seeds,
    programs: programs.map(({ fields }) => compileFields(fields ?? {})),
    batches: batches.map(({ logs }, number) => ({
      program: programs.indexOf(asking[number] ?? {}),
      logs: logs.map(({ filePath, storeRoot }) => ({ filePath, storeRoot })),
    })),
    kept,
    claims: makeClaims(batches.length, PLACES),
    memory: Array.from({ length: PLACES }, () => makeAheadMemory(kept, mostFiles, Math.min(mostBytes, MAX_KEPT_BYTES))),
  }
}

function largestOf(batches: readonly LogBatch[]): [files: number, bytes: number] {
  let [files, bytes] = [0, 0]
  for (const { logs } of batches) {
    files = Math.max(files, logs.length)
    bytes = Math.max(
      bytes,
      logs.reduce((sum, { fileSize }) => sum + fileSize, 0),
    )
  }
  return [files, bytes]
}
