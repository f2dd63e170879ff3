// Joins small segments of a chain into one, and thins versions of documents with age. What a merge writes is
// verified before the segments that it replaces are removed;
// killed in between, both are there and one counts.
import { encodeDelta } from '../bytes/delta.ts'
import type { ArchiveStore, SegmentName } from '../disk/archive/store.ts'
import type { Archive } from './archive.ts'
import { MAX_DELTA_SHARE } from './capture-document.ts'
import { type ArchiveChain, type LoadedSegment, loadChain, namesOf } from './chain.ts'
import { compress, DICTIONARY_WINDOW_BYTES, MAX_PIECE_BYTES, sha256Of } from './compress.ts'
import { type ContentReader, makeContentReader } from './content.ts'
import {
  type ArchivedItem,
  type ArchivedLogChange,
  encodeSegment,
  type ItemChange,
  type Piece,
  type Point,
  type VersionChange,
} from './segment.ts'

/** A run of this many segments is joined. */
export const LEAST_RUN = 32
/** Larger ones stay as they are: joining them again would cost more than their number. */
const SMALL_BYTES = 1024 * 1024
const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
const YEAR_MS = 365 * DAY_MS
/** Larger ones are merged only where the archive is nearly full. */
const LARGE_BYTES = 8 * SMALL_BYTES
const LEAST_TIGHT_RUN = 3

/** Of versions younger than `upTo`, one is kept in each interval; 0 for all. Older ones: one a week. */
interface Slot {
  upTo: number
  every: number
}

const SLOTS: readonly Slot[] = [
  { upTo: DAY_MS, every: 0 },
  { upTo: WEEK_MS, every: HOUR_MS },
  { upTo: YEAR_MS, every: DAY_MS },
]
const TIGHT_SLOTS: readonly Slot[] = [
  { upTo: HOUR_MS, every: 0 },
  { upTo: DAY_MS, every: HOUR_MS },
  { upTo: 4 * WEEK_MS, every: DAY_MS },
]

export interface Merged {
  /** Segments before and after. */
  before: number
  after: number
  /** Versions of documents that were left out because of their age. */
  thinned: number
}

export interface MergeOptions {
  /**
   * The archive is nearly full: fewer versions are kept, and
   * every chain is merged that has some to leave out.
   */
  isTight?: boolean
}

/** The caller has the lock of the archive. Chains with damage are left alone. */
export async function mergeArchive(archive: Archive, now: number, options: MergeOptions = {}): Promise<Merged> {
  const result: Merged = { before: 0, after: 0, thinned: 0 }
  const least = options.isTight === true ? LEAST_TIGHT_RUN : LEAST_RUN
  for (const head of (await archive.heads()).values()) {
    if (head.segments < least || head.damage > 0) continue
    const merged = await mergeChain(archive.store, head.id, now, options)
    result.before += merged.before
    result.after += merged.after
    result.thinned += merged.thinned
  }
  return result
}

export async function mergeChain(
  store: ArchiveStore,
  id: string,
  now: number,
  { isTight = false }: MergeOptions = {},
): Promise<Merged> {
  const chain = await loadChain(store, id)
  const nothing = { before: 0, after: 0, thinned: 0 }
  if (chain === undefined || chain.damage.length > 0) return nothing
  // Left by a merge that was interrupted after its result was durable.
  await removeVerified(store, chain, chain.replaced)
  const run = await smallRun(store, chain, isTight ? LARGE_BYTES : SMALL_BYTES)
  const thinned = versionsToLeave(chain, run, now, isTight ? TIGHT_SLOTS : SLOTS)
  if (run.length < LEAST_RUN && (!isTight || thinned.size === 0))
    return { ...nothing, before: chain.segments.length, after: chain.segments.length }
  const reader = makeContentReader(store, chain)
  const written = await writeMerged(store, chain, run, reader, thinned)
  await store.sync()
  const fresh = await loadChain(store, id)
  if (fresh === undefined || fresh.damage.length > 0) throw new Error(`The merge of chain ${id} cannot be read.`)
  await verifySame(reader, makeContentReader(store, fresh))
  await removeVerified(
    store,
    fresh,
    run.map(({ name }) => name),
  )
  await store.sync()
  return {
    before: chain.segments.length,
    after: chain.segments.length - run.length + (written === undefined ? 0 : 1),
    thinned: thinned.size,
  }
}

/** The longest run of segments up to a size. */
async function smallRun(store: ArchiveStore, chain: ArchiveChain, limit: number): Promise<LoadedSegment[]> {
  let best: LoadedSegment[] = []
  let run: LoadedSegment[] = []
  let bytes = 0
  for (const segment of chain.segments) {
    const size = await store.size(segment.name)
    if (size > limit || bytes + size > 8 * limit) {
      run = []
      bytes = 0
    }
    if (size <= limit) {
      run.push(segment)
      bytes += size
    }
    if (run.length > best.length) best = [...run]
  }
  return best
}

/**
 * All versions of the last day stay, then one an hour for a week, one a day for a
 * year, one a week after that. The first and the last one of an item always stay, and
 * so does every one that another is stored against.
 */
function versionsToLeave(
  chain: ArchiveChain,
  run: readonly LoadedSegment[],
  now: number,
  slots: readonly Slot[],
): Set<string> {
  const leave = new Set<string>()
  const inRun = new Set(run.map(({ name }) => name.hash))
  for (const [path, { changes }] of chain.items) {
    const versions = changes.flatMap(change => (change.type === 'version' ? [change] : []))
    const needed = new Set(versions.filter(({ segment }) => !inRun.has(segment.name.hash)).map(({ base }) => base))
    const filled = new Set<string>()
    for (const [index, { version, point, segment }] of [...versions.entries()].toReversed()) {
      const slot = slotOf(point.time, now, slots)
      // The newest version of each slot stays, and what was there before a loss.
      const isWanted =
        index === 0 ||
        index === versions.length - 1 ||
        slot === undefined ||
        !filled.has(slot) ||
        isBeforeLoss(chain, point)
      if (slot !== undefined) filled.add(slot)
      if (!isWanted && !needed.has(version) && inRun.has(segment.name.hash)) leave.add(keyOf(path, version))
    }
  }
  return leave
}

function isBeforeLoss(chain: ArchiveChain, point: Point): boolean {
  const next = chain.points.find(({ number }) => number > point.number)
  return next !== undefined && ['shrank', 'rewritten', 'deleted'].includes(next.why)
}

/** Undefined where every version stays. */
function slotOf(time: number, now: number, slots: readonly Slot[]): string | undefined {
  const { every } = slots.find(({ upTo }) => now - time < upTo) ?? { every: WEEK_MS }
  return every === 0 ? undefined : `${every} ${Math.floor(time / every)}`
}

function keyOf(path: string, version: number): string {
  return `${version} ${path}`
}

async function writeMerged(
  store: ArchiveStore,
  chain: ArchiveChain,
  run: readonly LoadedSegment[],
  reader: ContentReader,
  thinned: ReadonlySet<string>,
): Promise<SegmentName | undefined> {
  const [first] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined) return undefined
  const items: ArchivedItem[] = []
  const stored: Buffer[] = []
  let at = 0
  const keep = (bytes: Buffer, known?: Buffer): Piece => {
    const { bytes: small, dictionary } = compress(bytes, known)
    const piece = { at, stored: small.length, raw: bytes.length, sha256: sha256Of(bytes) }
    stored.push(small)
    at += small.length
    return dictionary === undefined ? piece : { ...piece, dictionary }
  }
  const itemOf = (item: ArchivedItem): number => {
    const found = items.findIndex(({ path }) => path === item.path)
    return found >= 0 ? found : items.push(item) - 1
  }
  const points: Point[] = []
  for (const segment of run)
    for (const point of segment.header.points) {
      const changes: ItemChange[] = []
      for (const change of point.changes) {
        const item = segment.header.items[change.item]
        if (item === undefined) continue
        const index = itemOf(item)
        if (change.type === 'log')
          changes.push({ ...(await copyLog(segment, change, item, reader, keep)), item: index })
        else if (change.type !== 'version') changes.push({ ...change, item: index })
        else if (!thinned.has(keyOf(item.path, change.version))) {
          const content = await reader.version(item.path, change.version)
          const { base: _, ...rest } = change
          const base = keptBase(chain, item.path, change, thinned)
          const known = base === undefined ? undefined : await reader.version(item.path, base)
          const delta = known === undefined ? undefined : encodeDelta(known, content)
          const isBased = delta !== undefined && delta.length <= content.length * MAX_DELTA_SHARE
          const bytes = isBased ? delta : content
          const pieces: Piece[] = []
          for (let from = 0; from < bytes.length; from += MAX_PIECE_BYTES)
            pieces.push(keep(bytes.subarray(from, from + MAX_PIECE_BYTES), isBased ? known : undefined))
          changes.push({ ...rest, item: index, pieces, ...(isBased && base !== undefined ? { base } : {}) })
        }
      }
      // A point that only held versions that are left out is not a restore point any more.
      if (changes.length > 0 || point.changes.length === 0) points.push({ ...point, changes })
    }
  if (points.length === 0) return undefined
  const header = {
    ...last.header,
    sequence: first.header.sequence,
    previous: first.header.previous,
    replaces: run.flatMap(({ name, header: { replaces = [] } }) => [...replaces, name.hash]).slice(-4096),
    standsFor: namesOf(last),
    items,
    points,
  }
  return await store.put(chain.id, first.header.sequence, encodeSegment(header, stored))
}

/** The version that this one is stored against: where it is left out, the one that it was stored against. */
function keptBase(
  chain: ArchiveChain,
  path: string,
  { base }: VersionChange,
  thinned: ReadonlySet<string>,
): number | undefined {
  let found = base
  while (found !== undefined && thinned.has(keyOf(path, found))) {
    const wanted = found
    const version = chain.items
      .get(path)
      ?.changes.find(change => change.type === 'version' && change.version === wanted)
    found = version?.type === 'version' ? version.base : undefined
  }
  return found
}

async function copyLog(
  segment: LoadedSegment,
  change: ArchivedLogChange,
  { path }: ArchivedItem,
  reader: ContentReader,
  keep: (bytes: Buffer, known?: Buffer) => Piece,
): Promise<ArchivedLogChange> {
  const head = await headOf(reader, path, change)
  const copy = async (pieces: readonly Piece[]): Promise<Piece[]> => {
    const copied: Piece[] = []
    for (const piece of pieces)
      copied.push(
        keep(await reader.piece(segment, piece, head), head.subarray(0, Math.min(head.length, piece.dictionary ?? 0))),
      )
    return copied
  }
  const pieces = await copy(change.pieces)
  return change.tail === undefined ? { ...change, pieces } : { ...change, pieces, tail: await copy(change.tail) }
}

/** The start of the generation, which its pieces are compressed against. */
async function headOf(
  { read, chain }: ContentReader,
  path: string,
  { generation }: ArchivedLogChange,
): Promise<Buffer> {
  const last = chain.items
    .get(path)
    ?.changes.findLast(change => change.type === 'log' && change.generation === generation)
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of read(path, last?.point.number ?? 0)) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= DICTIONARY_WINDOW_BYTES) break
  }
  return Buffer.concat(pieces).subarray(0, DICTIONARY_WINDOW_BYTES)
}

/** Every version, and every generation of a log as a whole, has the same content as before. */
async function verifySame(old: ContentReader, fresh: ContentReader): Promise<void> {
  for (const [path, { changes }] of fresh.chain.items) {
    const ends = new Map<string, number>()
    for (const change of changes) {
      if (change.type === 'log') ends.set(`log ${change.generation}`, change.point.number)
      if (change.type === 'version') ends.set(`version ${change.version}`, change.point.number)
    }
    for (const number of ends.values())
      if ((await hashAt(old, path, number)) !== (await hashAt(fresh, path, number)))
        throw new Error(`The merge of chain ${fresh.chain.id} changed the content of restore point ${number}.`)
  }
}

async function hashAt(reader: ContentReader, path: string, number: number): Promise<string> {
  const hashes: string[] = []
  for await (const piece of reader.read(path, number)) hashes.push(sha256Of(piece))
  return hashes.join(' ')
}

/** Only segments that a whole one replaces. */
async function removeVerified(store: ArchiveStore, chain: ArchiveChain, names: readonly SegmentName[]): Promise<void> {
  if (names.length === 0) return
  const replaced = new Set(chain.segments.flatMap(({ header }) => header.replaces ?? []))
  for (const segment of chain.segments)
    if (segment.header.replaces !== undefined && (await store.verify(segment.name)).type !== 'good') return
  for (const name of names) if (replaced.has(name.hash)) await store.remove(name)
}
