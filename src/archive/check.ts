// Verifies an archive: every segment, every link of a chain, and the content of every restore point.
import type { SegmentName } from '../disk/archive/store.ts'
import { RethreadError } from '../model/errors.ts'
import type { Archive } from './archive.ts'
import { type ArchiveChain, type ChainDamage, loadChain } from './chain.ts'
import { type ContentReader, makeContentReader } from './content.ts'
import type { ArchivedSession } from './segment.ts'

export interface DamagedChain {
  chain: string
  /** Undefined where no header of the chain can be read. */
  session: ArchivedSession | undefined
  damage: ChainDamage[]
  /** Restore points that cannot be restored whole. */
  points: number[]
}

export interface ArchiveCheck {
  sessions: number
  segments: number
  points: number
  damaged: DamagedChain[]
}

export async function checkArchive(
  archive: Archive,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ArchiveCheck> {
  const names = await archive.store.list()
  const chains = Map.groupBy(names, ({ chain }) => chain)
  const result: ArchiveCheck = { sessions: 0, segments: names.length, points: 0, damaged: [] }
  for (const [id, own] of chains) {
    onProgress(result.sessions, chains.size)
    result.sessions++
    const { chain, damage, points } = await checkChain(archive, id, own)
    result.points += chain?.points.length ?? 0
    if (damage.length > 0) result.damaged.push({ chain: id, session: chain?.session, damage, points })
  }
  onProgress(chains.size, chains.size)
  return result
}

export interface CheckedChain {
  chain: ArchiveChain | undefined
  damage: ChainDamage[]
  points: number[]
}

export async function checkChain(archive: Archive, id: string, names: readonly SegmentName[]): Promise<CheckedChain> {
  const { store } = archive
  const damage: ChainDamage[] = []
  for (const segment of names) {
    const state = await store.verify(segment)
    if (state.type === 'damaged') damage.push({ segment, kind: 'content', text: state.text })
  }
  const chain = await loadChain(store, id, names)
  for (const found of chain?.damage ?? [])
    if (found.kind === 'gap' || !damage.some(({ segment }) => segment.hash === found.segment.hash)) damage.push(found)
  if (chain === undefined) return { chain, damage, points: [] }
  const reader = makeContentReader(store, chain)
  const points: number[] = []
  let isFirst = true
  // Every piece is decompressed where a restore needs it. A chain
  // without damage is read at its last points only.
  for (const number of damage.length === 0 ? lastPoints(chain) : chain.points.map(point => point.number)) {
    const text = await unreadable(reader, number)
    if (text === undefined) continue
    points.push(number)
    const segment = chain.segments.at(-1)?.name
    if (isFirst && damage.length === 0 && segment !== undefined) damage.push({ segment, kind: 'content', text })
    isFirst = false
  }
  return { chain, damage, points }
}

/** The end of each generation and the newest version: together they need every piece of a log. */
function lastPoints(chain: ArchiveChain): number[] {
  const numbers = new Set<number>()
  for (const { changes } of chain.items.values()) {
    const generations = Map.groupBy(changes, change => (change.type === 'log' ? change.generation : -1))
    for (const [generation, own] of generations) {
      if (generation >= 0) numbers.add(own.at(-1)?.point.number ?? 0)
      else for (const { type, point } of own) if (type === 'version') numbers.add(point.number)
    }
  }
  return [...numbers].sort((a, b) => a - b)
}

async function unreadable(reader: ContentReader, number: number): Promise<string | undefined> {
  for (const { path } of reader.itemsAt(number)) {
    if (reader.isIncomplete(path, number)) continue
    try {
      for await (const _ of reader.read(path, number));
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
      return error.message
    }
  }
  return undefined
}
