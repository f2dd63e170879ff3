// The content of a session's files at a restore point.
import { applyDelta } from '../bytes/delta.ts'
import { damaged } from '../disk/archive/folder-store.ts'
import type { ArchiveStore } from '../disk/archive/store.ts'
import { RethreadError } from '../model/errors.ts'
import type { ArchiveChain, LoadedChange, LoadedSegment } from './chain.ts'
import { addToHead, decompress, sha256Of } from './compress.ts'
import type { ArchivedItem, ArchivedLogChange, Piece, VersionChange } from './segment.ts'

/** Segments that were read last. Pieces of one document or log are read one after the other. */
const MAX_CACHED = 4
/** Pieces of a log that are decompressed while the caller works with the one before. */
const AHEAD = 2

export interface ContentReader {
  chain: ArchiveChain
  /** The content in pieces. Throws `archive-damaged` where a piece is not what was stored. */
  read(path: string, number: number): AsyncGenerator<Buffer, void, void>
  /** The length of that content. */
  size(path: string, number: number): number
  /** The items that exist at a point. */
  itemsAt(number: number): ArchivedItem[]
  /** Content that a repair of the archive had to leave out. */
  isIncomplete(path: string, number: number): boolean
  version(path: string, version: number): Promise<Buffer>
  piece(segment: LoadedSegment, piece: Piece, known?: Buffer): Promise<Buffer>
}

export function makeContentReader(store: ArchiveStore, chain: ArchiveChain): ContentReader {
  const cached = new Map<string, Buffer>()
  const bytesOf = async ({ name }: LoadedSegment): Promise<Buffer> => {
    const known = cached.get(name.hash)
    if (known !== undefined) return known
    const bytes = await store.read(name)
    if (cached.size >= MAX_CACHED) cached.delete([...cached.keys()][0] ?? '')
    cached.set(name.hash, bytes)
    return bytes
  }
  const piece: ContentReader['piece'] = async (segment, stored, known) => {
    const bytes = await bytesOf(segment)
    const start = segment.payload + stored.at
    try {
      if (start + stored.stored > bytes.length) throw new Error('it is cut short')
      return await decompress(bytes.subarray(start, start + stored.stored), stored, known)
    } catch (error) {
      if (error instanceof RethreadError) throw error
      throw damaged(`${store.place} (segment ${segment.name.hash})`, error instanceof Error ? error.message : '', start)
    }
  }
  const version: ContentReader['version'] = async (path, number) => {
    const found = changesOf(chain, path).findLast(
      (change): change is LoadedChange<VersionChange> => change.type === 'version' && change.version === number,
    )
    if (found === undefined) throw damaged(store.place, `version ${number} of ${path} is missing`)
    const base = found.base === undefined ? undefined : await version(path, found.base)
    const pieces: Buffer[] = []
    for (const stored of found.pieces) pieces.push(await piece(found.segment, stored, base))
    const joined = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
    const content = base === undefined ? joined : applyDelta(base, joined)
    if (content === undefined || content.length !== found.size || sha256Of(content) !== found.sha256)
      throw damaged(
        `${store.place} (segment ${found.segment.name.hash})`,
        `version ${number} of ${path} cannot be made`,
      )
    return content
  }
  return {
    chain,
    piece,
    version,
    async *read(path, number) {
      const { changes, last } = stateAt(chain, path, number)
      if (last.type === 'version') yield await version(path, last.version)
      else yield* readLog(changes, last, piece)
    },
    size(path, number) {
      const { changes, last } = stateAt(chain, path, number)
      if (last.type === 'version') return last.size
      const taken = logPieces(changes.filter(isLog), last.generation, last.end).reduce((sum, { take }) => sum + take, 0)
      return (last.tail ?? []).reduce((sum, { raw }) => sum + raw, taken)
    },
    itemsAt(number) {
      return [...chain.items.values()].flatMap(({ item, changes }) => {
        const last = changes.findLast(({ type, point }) => point.number <= number && type !== 'lost')
        return last === undefined || last.type === 'gone' ? [] : [item]
      })
    },
    isIncomplete(path, number) {
      return changesOf(chain, path).some(({ type, point }) => type === 'lost' && point.number <= number)
    },
  }
}

function changesOf(chain: ArchiveChain, path: string): LoadedChange[] {
  return chain.items.get(path)?.changes ?? []
}

function stateAt(
  chain: ArchiveChain,
  path: string,
  number: number,
): { changes: LoadedChange[]; last: LoadedChange<ArchivedLogChange> | LoadedChange<VersionChange> } {
  const changes = changesOf(chain, path).filter(({ point }) => point.number <= number)
  const last = changes.findLast(({ type }) => type !== 'lost')
  if (last?.type !== 'log' && last?.type !== 'version') throw notThere(path, number)
  return { changes, last }
}

function isLog(change: LoadedChange): change is LoadedChange<ArchivedLogChange> {
  return change.type === 'log'
}

async function* readLog(
  changes: readonly LoadedChange[],
  last: LoadedChange<ArchivedLogChange>,
  piece: ContentReader['piece'],
): AsyncGenerator<Buffer, void, void> {
  let head: Buffer = Buffer.alloc(0)
  const parts = logPieces(changes.filter(isLog), last.generation, last.end)
  const begun: Promise<Buffer>[] = []
  let next = 0
  const begin = (): void => {
    for (let part = parts[next]?.part; part !== undefined && begun.length < AHEAD; part = parts[++next]?.part) {
      // The content that it builds on is not read yet.
      if (begun.length > 0 && (part.piece.dictionary ?? 0) > head.length) return
      const bytes = piece(part.segment, part.piece, head)
      // Reported when it is awaited, which may be a while later.
      bytes.catch(() => {})
      begun.push(bytes)
    }
  }
  for (const { take } of parts) {
    begin()
    const bytes = (await begun.shift())?.subarray(0, take)
    if (bytes === undefined) return
    head = addToHead(head, bytes)
    begin()
    yield bytes
  }
  for (const stored of last.tail ?? []) yield await piece(last.segment, stored, head)
}

export interface LogPart {
  segment: LoadedSegment
  piece: Piece
  start: number
}

/** The pieces of a generation up to an offset, those that it inherits first, with how much of each counts. */
export function logPieces(
  changes: readonly LoadedChange<ArchivedLogChange>[],
  generation: number,
  end: number,
): { part: LogPart; take: number }[] {
  const own = changes.filter(change => change.generation === generation)
  const inherited = own.find(({ inherits }) => inherits !== undefined)?.inherits
  const parts =
    inherited === undefined || inherited.generation >= generation
      ? []
      : logPieces(changes, inherited.generation, Math.min(inherited.end, end))
  for (const change of own) {
    let start = change.start
    for (const piece of change.pieces) {
      if (start < end)
        parts.push({ part: { segment: change.segment, piece, start }, take: Math.min(piece.raw, end - start) })
      start += piece.raw
    }
  }
  return parts
}

function notThere(path: string, number: number): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `${path} did not exist at restore point ${number}.`,
    hint: 'See the restore points: rethread versions SESSION',
    path,
  })
}
