// Takes damaged parts out of an archive and keeps everything that is good. Damaged segments are set aside,
// not deleted. Where the agent still has the session, the next pass copies what was lost again.
import type { ArchiveStore, SegmentName } from '../disk/archive/store.ts'
import { hasErrorCode, RethreadError } from '../model/errors.ts'
import type { Archive } from './archive.ts'
import { type ArchiveChain, type LoadedSegment, loadChain, namesOf } from './chain.ts'
import { checkChain } from './check.ts'
import { addToHead, DICTIONARY_WINDOW_BYTES } from './compress.ts'
import { type ContentReader, makeContentReader } from './content.ts'
import { type ArchivedSession, encodeSegment, type ItemChange, type Piece, type Point } from './segment.ts'

export interface ArchiveRepair {
  /** Segments that were set aside, and where they are now. */
  setAside: string[]
  /** Sessions of which something is lost. */
  lost: { chain: string; session: ArchivedSession | undefined; points: number[] }[]
  repaired: number
}

/** The caller has the lock of the archive. */
export async function repairArchive(archive: Archive): Promise<ArchiveRepair> {
  const result: ArchiveRepair = { setAside: [], lost: [], repaired: 0 }
  for (const [id, names] of Map.groupBy(await archive.store.list(), ({ chain }) => chain)) {
    const { chain, damage, points } = await checkChain(archive, id, names)
    if (damage.length === 0) continue
    result.repaired++
    if (points.length > 0 || chain === undefined) result.lost.push({ chain: id, session: chain?.session, points })
    await repairChain(archive, id, names, result)
    // The next pass compares the session with what is left.
    archive.notes.set(id, JSON.stringify({ gate: '', items: {} }))
  }
  await archive.store.sync()
  return result
}

async function repairChain(
  archive: Archive,
  id: string,
  names: readonly SegmentName[],
  result: ArchiveRepair,
): Promise<void> {
  const { store } = archive
  const chain = await loadChain(store, id, names)
  const readable = new Set((chain?.segments ?? []).map(({ name }) => name.hash))
  const replaced = new Set((chain?.replaced ?? []).map(({ hash }) => hash))
  for (const name of names)
    if (!readable.has(name.hash) && !replaced.has(name.hash)) result.setAside.push(await store.setAside(name))
  if (chain === undefined) return
  const lenient = makeContentReader(unverified(store), chain)
  let before: string[] | undefined
  /** Later segments may be compressed against the start of a log in them, so they are read until the end. */
  const damaged: SegmentName[] = []
  for (const segment of chain.segments) {
    const isLinked =
      before === undefined ? segment.header.previous === null : before.includes(segment.header.previous ?? '')
    const state = await store.verify(segment.name)
    const points = await goodPoints(chain, segment, lenient, isLinked)
    const isWhole =
      state.type === 'good' && isLinked && points.every((point, index) => point === segment.header.points[index])
    if (isWhole) before = namesOf(segment)
    else {
      const name = await replaceSegment(store, segment, points, before?.[0] ?? null)
      damaged.push(segment.name)
      before = [name.hash, ...namesOf(segment)]
    }
  }
  for (const name of damaged) result.setAside.push(await store.setAside(name))
}

/** Pieces are verified one by one, so a segment may be damaged elsewhere. */
function unverified(store: ArchiveStore): ArchiveStore {
  return { ...store, read: async name => await store.readHead(name, await store.size(name)) }
}

/** The points with only the changes that can be read. A point without a loss is returned as it is. */
async function goodPoints(
  chain: ArchiveChain,
  segment: LoadedSegment,
  reader: ContentReader,
  isLinked: boolean,
): Promise<Point[]> {
  const points: Point[] = []
  for (const [index, point] of segment.header.points.entries()) {
    const changes: ItemChange[] = []
    for (const change of point.changes) changes.push(...(await goodChanges(segment, change, reader)))
    if (index === 0 && !isLinked) changes.unshift(...gapsBefore(chain, segment))
    const isSame =
      changes.length === point.changes.length && changes.every((change, at) => change === point.changes[at])
    points.push(isSame ? point : { ...point, changes })
  }
  return points
}

async function goodChanges(segment: LoadedSegment, change: ItemChange, reader: ContentReader): Promise<ItemChange[]> {
  const { item } = change
  const path = segment.header.items[item]?.path ?? ''
  if (change.type === 'version') {
    const isGood = await succeeds(() => reader.version(path, change.version))
    return isGood ? [change] : [{ type: 'lost', item }]
  }
  if (change.type !== 'log') return [change]
  const head = await headOf(reader, path, change.generation)
  const changes: ItemChange[] = []
  let start = change.start
  let pieces: Piece[] = []
  const keep = (): void => {
    const from = start - pieces.reduce((sum, { raw }) => sum + raw, 0)
    const isFirst = from === change.start
    const { inherits: _, tail: __, ...rest } = change
    const inherits = isFirst && change.inherits !== undefined ? { inherits: change.inherits } : {}
    if (pieces.length > 0 || (isFirst && change.pieces.length === 0))
      changes.push({ ...rest, ...inherits, start: from, end: start, pieces })
    pieces = []
  }
  for (const piece of change.pieces) {
    if (await succeeds(() => reader.piece(segment, piece, head))) {
      pieces.push(piece)
      start += piece.raw
      continue
    }
    keep()
    changes.push({ type: 'lost', item, generation: change.generation, start, end: start + piece.raw })
    start += piece.raw
  }
  let isTailGood = true
  for (const piece of change.tail ?? []) isTailGood &&= await succeeds(() => reader.piece(segment, piece, head))
  if (changes.length === 0 && pieces.length === change.pieces.length && isTailGood) return [change]
  keep()
  if (!isTailGood) changes.push({ type: 'lost', item, generation: change.generation, start, end: start })
  return changes
}

/** The start of a log, which later pieces are compressed against, as far as it can be read. */
async function headOf(reader: ContentReader, path: string, generation: number): Promise<Buffer> {
  const changes = reader.chain.items.get(path)?.changes ?? []
  const last = changes.findLast(change => change.type === 'log' && change.generation === generation)
  let head: Buffer = Buffer.alloc(0)
  try {
    for await (const piece of reader.read(path, last?.point.number ?? 0)) {
      head = addToHead(head, piece)
      if (head.length >= DICTIONARY_WINDOW_BYTES) break
    }
  } catch (error) {
    if (!hasErrorCode(error, 'archive-damaged')) throw error
  }
  return head
}

/** For a segment whose predecessor is gone: which bytes of its logs are missing. */
function gapsBefore(chain: ArchiveChain, segment: LoadedSegment): ItemChange[] {
  const first = segment.header.points[0]
  return (first?.changes ?? []).flatMap((change): ItemChange[] => {
    const path = segment.header.items[change.item]?.path ?? ''
    if (change.type !== 'log' || change.inherits !== undefined) return change.type === 'version' ? [] : []
    const before = (chain.items.get(path)?.changes ?? []).filter(
      other =>
        other.type === 'log' && other.generation === change.generation && other.point.number < (first?.number ?? 0),
    )
    const end = Math.max(0, ...before.map(other => (other.type === 'log' ? other.end : 0)))
    if (end >= change.start) return []
    return [{ type: 'lost', item: change.item, generation: change.generation, start: end, end: change.start }]
  })
}

async function replaceSegment(
  store: ArchiveStore,
  { name, header, payload }: LoadedSegment,
  points: Point[],
  previous: string | null,
): Promise<SegmentName> {
  const bytes = await store.readHead(name, await store.size(name))
  const fresh = {
    ...header,
    previous,
    replaces: [...(header.replaces ?? []), name.hash],
    standsFor: [name.hash, ...(header.standsFor ?? [])],
    points,
  }
  const written = await store.put(header.chain, header.sequence, encodeSegment(fresh, [bytes.subarray(payload)]))
  await store.sync()
  return written
}

async function succeeds(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read()
    return true
  } catch (error) {
    if (error instanceof RethreadError) return false
    throw error
  }
}
