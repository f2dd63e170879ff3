// A file after some edits, without writing it: a list of pieces, each with bytes of the file or their
// replacement.

export interface Edit {
  start: number
  end: number
  bytes: Buffer
}

/**
 * The pieces cover the whole file in order: `start` and `end` are file offsets. A new piece has `bytes` that
 * replace this range.
 */
type Piece<E extends Edit> = Unchanged | New<E>
interface Unchanged {
  type: 'kept'
  start: number
  end: number
}
interface New<E extends Edit> {
  type: 'new'
  start: number
  end: number
  bytes: Buffer
  /** All edits that led to it. */
  edits: readonly E[]
}

export class Pieces<E extends Edit = Edit> {
  readonly #pieces: readonly Piece<E>[]
  #placed: readonly Placed<E>[] | undefined
  /** The piece that was found last: most places are asked for in order. */
  #lastFound = 0
  /** The length of the result. */
  readonly size: number

  private constructor(pieces: readonly Piece<E>[]) {
    this.#pieces = pieces
    this.size = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
  }

  static whole<E extends Edit = Edit>(size: number): Pieces<E> {
    return new Pieces<E>([{ type: 'kept', start: 0, end: size }])
  }

  /** Adds edits in the coordinates of this result, sorted and without overlaps. */
  edit(edits: readonly E[]): Pieces<E> {
    const before = this.#place()
    const pieces: Piece<E>[] = []
    let next = 0
    let groupEnd = 0
    for (const group of groupEdits(before, edits)) {
      // The pieces before the group, the last of them perhaps only in part.
      for (; next < before.length; next++) {
        const placed = before[next]
        if (placed === undefined || placed.from >= group.from || isSwallowed(placed, group)) break
        const to = Math.min(placed.to, group.from)
        pushPart(pieces, placed, Math.max(placed.from, groupEnd), to)
        if (placed.to > group.from) break
      }
      const made: New<E> = { type: 'new', start: Number.NaN, end: Number.NaN, bytes: group.bytes, edits: group.edits }
      made.start = pieces.at(-1)?.end ?? 0
      made.end = made.start
      for (; next < before.length; next++) {
        const placed = before[next]
        if (placed === undefined) break
        if (placed.to > group.to || (placed.from >= group.to && !isSwallowed(placed, group))) {
          if (placed.from < group.to) made.end = placed.piece.start + (group.to - placed.from)
          break
        }
        made.end = placed.piece.end
      }
      pieces.push(made)
      groupEnd = group.to
    }
    for (; next < before.length; next++) {
      const placed = before[next]
      if (placed !== undefined) pushPart(pieces, placed, Math.max(placed.from, groupEnd), placed.to)
    }
    return new Pieces(pieces)
  }

  /** The differences from the file, in its coordinates, sorted and without overlaps. */
  changes(): { start: number; end: number; bytes: Buffer; edits: readonly E[] }[] {
    return this.#pieces.filter(piece => piece.type === 'new')
  }

  /** The file offset of a place in the result. Inside new bytes, the offset where they were inserted. */
  toFile(offset: number): number {
    const found = this.#place()[this.#pieceAt(offset)]
    if (found === undefined) return this.#pieces.at(-1)?.end ?? 0
    return found.piece.type === 'kept' ? found.piece.start + offset - found.from : found.piece.start
  }

  #place(): readonly Placed<E>[] {
    this.#placed ??= place(this.#pieces)
    return this.#placed
  }

  /** The number of the first piece that ends after a place in the result. */
  #pieceAt(offset: number): number {
    const placed = this.#place()
    const last = placed[this.#lastFound]
    if (last !== undefined && last.from <= offset && offset < last.to) return this.#lastFound
    let low = 0
    let high = placed.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((placed[middle]?.to ?? 0) > offset) high = middle
      else low = middle + 1
    }
    this.#lastFound = low
    return low
  }

  /** The result from `start` to `end`, in chunks. `read` gives the bytes of the file. */
  *chunks(
    start: number,
    end: number,
    read: (start: number, end: number) => Iterable<Buffer>,
  ): Generator<Buffer, void, void> {
    const placed = this.#place()
    // There can be as many pieces as records, and each record is read: only its own pieces are visited.
    for (let number = this.#pieceAt(start); number < placed.length; number++) {
      const found = placed[number]
      if (found === undefined || found.from >= end) return
      const { piece, from, to } = found
      const first = Math.max(start, from) - from
      const last = Math.min(end, to) - from
      if (first >= last) continue
      if (piece.type === 'new') yield piece.bytes.subarray(first, last)
      else yield* read(piece.start + first, piece.start + last)
    }
  }
}

function lengthOf(piece: Piece<Edit>): number {
  return piece.type === 'kept' ? piece.end - piece.start : piece.bytes.length
}

/** A piece, and its place in the result. */
interface Placed<E extends Edit> {
  piece: Piece<E>
  from: number
  to: number
}

function place<E extends Edit>(pieces: readonly Piece<E>[]): Placed<E>[] {
  let at = 0
  return pieces.map(piece => {
    const from = at
    at += lengthOf(piece)
    return { piece, from, to: at }
  })
}

function pushPart<E extends Edit>(pieces: Piece<E>[], placed: Placed<E>, from: number, to: number): void {
  const { piece } = placed
  if (piece.type === 'new') pieces.push(piece)
  else if (from < to)
    pieces.push({ type: 'kept', start: piece.start + from - placed.from, end: piece.start + to - placed.from })
}

/**
 * Edits that must be applied together, because they cut the same new bytes: what they make of the result from
 * `from` to `to`.
 */
interface Group<E extends Edit> {
  from: number
  to: number
  bytes: Buffer
  edits: readonly E[]
}

/** New bytes that an edit touches become part of it, so that no new piece is ever cut. */
function isSwallowed(placed: Placed<Edit>, range: { from: number; to: number }): boolean {
  if (placed.piece.type === 'kept') return false
  if (placed.from === placed.to) return range.from <= placed.from && placed.to <= range.to
  return placed.from < range.to && placed.to > range.from
}

function* groupEdits<E extends Edit>(
  placed: readonly Placed<E>[],
  edits: readonly E[],
): Generator<Group<E>, void, void> {
  let next = 0
  let firstPiece = 0
  while (next < edits.length) {
    const first = edits[next]
    if (first === undefined) return
    const range = { from: first.start, to: first.end }
    const group: E[] = []
    const swallowed: (New<E> & { from: number })[] = []
    while ((placed[firstPiece]?.to ?? Number.POSITIVE_INFINITY) < range.from) firstPiece++
    for (let piece = firstPiece, grown = true; grown; ) {
      grown = false
      for (
        let edit = edits[next];
        edit !== undefined && (group.length === 0 || edit.start < range.to);
        edit = edits[next]
      ) {
        group.push(edit)
        range.to = Math.max(range.to, edit.end)
        next++
      }
      for (let at = placed[piece]; at !== undefined && at.from <= range.to; at = placed[piece]) {
        if (at.piece.type === 'new' && isSwallowed(at, range)) {
          swallowed.push({ ...at.piece, from: at.from })
          range.from = Math.min(range.from, at.from)
          range.to = Math.max(range.to, at.to)
          grown = true
        } else if (at.to > range.to) break
        piece++
      }
    }
    yield {
      ...range,
      bytes: rewrite(range, group, swallowed),
      edits: [...swallowed.flatMap(piece => piece.edits), ...group],
    }
  }
}

/** The bytes of a group: the insertions of its edits, and between them the rest of the new bytes they cut. */
function rewrite(
  range: { from: number; to: number },
  edits: readonly Edit[],
  swallowed: readonly { from: number; bytes: Buffer }[],
): Buffer {
  const parts: Buffer[] = []
  let at = range.from
  const copyUpTo = (to: number): void => {
    for (const { from, bytes } of swallowed) {
      const part = bytes.subarray(Math.max(0, at - from), Math.max(0, to - from))
      if (from < to && from + bytes.length > at) parts.push(part)
    }
    at = to
  }
  for (const edit of edits) {
    copyUpTo(edit.start)
    parts.push(edit.bytes)
    at = edit.end
  }
  copyUpTo(range.to)
  return Buffer.concat(parts)
}

/** Bytes in memory after some edits, in any order, that do not overlap. */
export function applyEdits(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, edit.start), edit.bytes)
    at = edit.end
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}
