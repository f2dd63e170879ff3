// A chain as it is in the store: which segments count, in which order, and what is wrong with them.
import type { ArchiveStore, SegmentName } from '../disk/archive/store.ts'
import { hasErrorCode } from '../model/errors.ts'
import {
  type ArchivedItem,
  type ArchivedSession,
  type ItemChange,
  type Point,
  parseHeader,
  type SegmentHeader,
} from './segment.ts'

/** Enough for the header of most segments. */
const HEAD_BYTES = 16 * 1024
const MAX_HEAD_BYTES = 64 * 1024 * 1024

export interface LoadedSegment {
  name: SegmentName
  header: SegmentHeader
  payload: number
}

export interface ChainDamage {
  segment: SegmentName
  kind: 'unreadable' | 'gap' | 'content'
  text: string
}

/** A change, and where its pieces are. */
export type LoadedChange<T extends ItemChange = ItemChange> = T & { path: string; segment: LoadedSegment; point: Point }

export interface ArchiveChain {
  id: string
  session: ArchivedSession
  segments: LoadedSegment[]
  points: Point[]
  /** Each item of the session, by its path, with its changes in order. */
  items: Map<string, { item: ArchivedItem; changes: LoadedChange[] }>
  /** Segments whose content another one holds: left by a merge that was interrupted. */
  replaced: SegmentName[]
  damage: ChainDamage[]
}

/** Undefined where nothing of the chain can be read. Reads headers only. */
export async function loadChain(
  store: ArchiveStore,
  id: string,
  names?: readonly SegmentName[],
): Promise<ArchiveChain | undefined> {
  const loaded: LoadedSegment[] = []
  const damage: ChainDamage[] = []
  for (const name of names ?? (await store.list(id))) {
    const segment = await loadSegment(store, name)
    if (segment === 'gone') continue
    if (segment === undefined) damage.push({ segment: name, kind: 'unreadable', text: 'its header is damaged' })
    else loaded.push(segment)
  }
  return arrange(id, loaded, damage)
}

/** A merge of another process may have removed it since it was listed. */
async function loadSegment(store: ArchiveStore, name: SegmentName): Promise<LoadedSegment | 'gone' | undefined> {
  try {
    for (let bytes = HEAD_BYTES; bytes <= MAX_HEAD_BYTES; bytes *= 16) {
      const parsed = parseHeader(await store.readHead(name, bytes))
      if (parsed === undefined) return undefined
      if (parsed === 'more') continue
      const { header, payload } = parsed
      return header.chain === name.chain && header.sequence === name.sequence ? { name, header, payload } : undefined
    }
    return undefined
  } catch (error) {
    if (hasErrorCode(error, 'not-found')) return 'gone'
    throw error
  }
}

function arrange(id: string, loaded: readonly LoadedSegment[], damage: ChainDamage[]): ArchiveChain | undefined {
  const gone = new Set(loaded.flatMap(({ header }) => header.replaces ?? []))
  const segments = dropForks(loaded.filter(({ name }) => !gone.has(name.hash)))
  const replaced = loaded.filter(segment => !segments.includes(segment)).map(({ name }) => name)
  const last = segments.at(-1)
  if (last === undefined) return undefined
  let before: LoadedSegment | undefined
  for (const segment of segments) {
    if (!follows(segment, before))
      damage.push({ segment: segment.name, kind: 'gap', text: 'the segment before it is missing or another one' })
    before = segment
  }
  const chain: ArchiveChain = {
    id,
    session: last.header.session,
    segments,
    points: [],
    items: new Map(),
    replaced,
    damage,
  }
  for (const segment of segments) for (const point of segment.header.points) addPoint(chain, segment, point)
  return chain
}

/**
 * Two writers without a common lock, such as two machines with a synchronised folder, may both have added a
 * segment. The one that later segments build on counts, else the first.
 */
function dropForks(segments: readonly LoadedSegment[]): LoadedSegment[] {
  const named = new Set(segments.map(({ header }) => header.previous))
  const kept: LoadedSegment[] = []
  for (const segment of segments) {
    const rival = kept.at(-1)
    if (rival === undefined || rival.header.sequence !== segment.header.sequence) kept.push(segment)
    else if (!namesOf(rival).some(hash => named.has(hash)) && namesOf(segment).some(hash => named.has(hash)))
      kept[kept.length - 1] = segment
  }
  return kept
}

export function namesOf({ name, header }: LoadedSegment): string[] {
  return [name.hash, ...(header.standsFor ?? [])]
}

function follows({ header }: LoadedSegment, before: LoadedSegment | undefined): boolean {
  if (header.previous === null) return before === undefined
  return before !== undefined && namesOf(before).includes(header.previous)
}

function addPoint(chain: ArchiveChain, segment: LoadedSegment, point: Point): void {
  chain.points.push(point)
  for (const change of point.changes) {
    const item = segment.header.items[change.item]
    if (item === undefined) continue
    const known = chain.items.get(item.path) ?? { item, changes: [] }
    known.item = item
    known.changes.push({ ...change, path: item.path, segment, point })
    chain.items.set(item.path, known)
  }
}

/** The points to which a session can be restored. */
export function restorePoints(chain: ArchiveChain): Point[] {
  return chain.points.filter(({ isUnfinished }) => isUnfinished !== true)
}

/** Whether the session's own file or rows were deleted, as of its last point. */
export function deletedPoint(chain: Pick<ArchiveChain, 'points'>): Point | undefined {
  const last = chain.points.at(-1)
  return last?.why === 'deleted' ? last : undefined
}
