// Adds restore points to a chain. A point is written as a whole, or over several segments where it is large.
import type { ArchiveStore, SegmentName } from '../disk/archive/store.ts'
import { type ArchiveChain, namesOf } from './chain.ts'
import { compress, MAX_PIECE_BYTES, sha256Of } from './compress.ts'
import {
  type ArchivedItem,
  type ArchivedSession,
  encodeSegment,
  type ItemChange,
  type Piece,
  type Point,
  type SegmentHeader,
} from './segment.ts'

/** The compressed content of one segment. A larger point is continued in the next one. */
export const MAX_SEGMENT_BYTES = 16 * 1024 * 1024
/** A clock that goes back by more than this is recorded. */
const CLOCK_TOLERANCE_MS = 60_000

export type PointFacts = Pick<Point, 'why' | 'messages' | 'isByAgent'>

export class SegmentWriter {
  readonly #store: ArchiveStore
  readonly #chain: string
  readonly #session: ArchivedSession
  readonly #now: () => number
  #previous: string | null
  #number: number
  #time: number
  #items: ArchivedItem[] = []
  #changes: ItemChange[] = []
  #pieces: Buffer[] = []
  #bytes = 0
  readonly written: SegmentName[] = []
  /** The compressed bytes of everything that was added. */
  storedBytes = 0

  constructor(
    store: ArchiveStore,
    id: string,
    session: ArchivedSession,
    chain: ArchiveChain | undefined,
    now: () => number = Date.now,
  ) {
    this.#store = store
    this.#chain = id
    this.#session = session
    this.#now = now
    const last = chain?.segments.at(-1)
    this.#previous = last === undefined ? null : (namesOf(last)[0] ?? null)
    this.#number = (chain?.points.at(-1)?.number ?? -1) + 1
    this.#time = chain?.points.at(-1)?.time ?? 0
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0
  }

  /** Whether what was added should be written before more is. */
  get isFull(): boolean {
    return this.#bytes >= MAX_SEGMENT_BYTES
  }

  /** `known` is content that the reader will have. */
  piece(bytes: Buffer, known?: Buffer): Piece {
    const { bytes: stored, dictionary } = compress(bytes, known)
    const piece = { at: this.#bytes, stored: stored.length, raw: bytes.length, sha256: sha256Of(bytes) }
    this.#pieces.push(stored)
    this.#bytes += stored.length
    return dictionary === undefined ? piece : { ...piece, dictionary }
  }

  *split(bytes: Buffer): Generator<Buffer, void, void> {
    for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) yield bytes.subarray(at, at + MAX_PIECE_BYTES)
  }

  item(item: ArchivedItem): number {
    const found = this.#items.findIndex(({ path }) => path === item.path)
    return found >= 0 ? found : this.#items.push(item) - 1
  }

  add(change: ItemChange): void {
    this.#changes.push(change)
  }

  /** Ends the segment in the middle of a point. */
  async continue(facts: PointFacts): Promise<void> {
    await this.#write({ ...facts, isUnfinished: true })
  }

  async commit(facts: PointFacts): Promise<void> {
    await this.#write(facts)
  }

  async #write(facts: PointFacts & Pick<Point, 'isUnfinished'>): Promise<void> {
    const clock = this.#now()
    const time = Math.max(clock, this.#time)
    const point: Point = {
      number: this.#number,
      time,
      ...(time - clock > CLOCK_TOLERANCE_MS ? { clock } : {}),
      ...facts,
      changes: this.#changes,
    }
    const header: SegmentHeader = {
      format: 'rethread-segment',
      version: 1,
      chain: this.#chain,
      sequence: this.#number,
      previous: this.#previous,
      session: this.#session,
      items: this.#items,
      points: [point],
    }
    const bytes = encodeSegment(header, this.#pieces)
    const name = await this.#store.put(this.#chain, this.#number, bytes)
    this.written.push(name)
    this.storedBytes += bytes.length
    this.#previous = name.hash
    this.#number++
    this.#time = time
    this.#items = []
    this.#changes = []
    this.#pieces = []
    this.#bytes = 0
  }
}
