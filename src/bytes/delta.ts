// One version of a document as a difference to an older one: ranges that are copied, and bytes that are new.
// Both are cut at places that depend on the content alone, so that an insertion shifts nothing but itself.

/** The mean length of a piece. Pieces that both versions have are copied. */
const MEAN_BITS = 9
const LEAST_PIECE = 128
const MOST_PIECE = 4096
const MASK = (1 << MEAN_BITS) - 1

interface Piece {
  start: number
  end: number
}

/** A random number for each byte. Part of no format: another table only finds other ranges. */
const GEAR = makeGear()

function makeGear(): Uint32Array {
  const table = new Uint32Array(256)
  let state = 0x9e3779b9
  for (let byte = 0; byte < table.length; byte++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    table[byte] = state >>> 0
  }
  return table
}

function* piecesOf(bytes: Buffer): Generator<Piece & { hash: number }, void, void> {
  for (let start = 0; start < bytes.length; ) {
    const last = Math.min(bytes.length, start + MOST_PIECE)
    let rolling = 0
    let hash = 0x811c9dc5
    let end = start
    while (end < last) {
      const byte = bytes[end] ?? 0
      rolling = ((rolling << 1) + (GEAR[byte] ?? 0)) | 0
      hash = Math.imul(hash ^ byte, 0x01000193)
      end++
      if (end - start >= LEAST_PIECE && ((rolling >>> 16) & MASK) === 0) break
    }
    yield { start, end, hash }
    start = end
  }
}

/**
 * The bytes from which `applyDelta` makes `fresh` again: a list of steps, each a copy (length, offset) or an
 * insertion (length), then all inserted bytes.
 */
export function encodeDelta(base: Buffer, fresh: Buffer): Buffer {
  const known = new Map<number, Piece>()
  for (const { hash, start, end } of piecesOf(base)) known.set(hash, { start, end })
  const steps: { length: number; from: number | undefined }[] = []
  const literals: Buffer[] = []
  let done = 0
  const insertUpTo = (end: number): void => {
    if (end <= done) return
    steps.push({ length: end - done, from: undefined })
    literals.push(fresh.subarray(done, end))
    done = end
  }
  for (const { hash, start, end } of piecesOf(fresh)) {
    if (end <= done) continue
    const found = start < done ? undefined : known.get(hash)
    if (found === undefined || !isSame(base, found, fresh, start, end)) continue
    const grown = grow(base, found, fresh, start, end, done)
    insertUpTo(grown.start)
    steps.push({ length: grown.end - grown.start, from: grown.from })
    done = grown.end
  }
  insertUpTo(fresh.length)
  const numbers = [steps.length, fresh.length]
  for (const { length, from } of steps)
    numbers.push(length * 2 + (from === undefined ? 0 : 1), ...(from === undefined ? [] : [from]))
  return Buffer.concat([...numbers.map(encodeNumber), ...literals])
}

function isSame(base: Buffer, found: Piece, fresh: Buffer, start: number, end: number): boolean {
  return found.end - found.start === end - start && base.compare(fresh, start, end, found.start, found.end) === 0
}

/** Extends a range that is equal in both as far as they are equal, in both directions. */
function grow(base: Buffer, found: Piece, fresh: Buffer, start: number, end: number, least: number) {
  let [from, first, last] = [found.start, start, end]
  while (first > least && from > 0 && base[from - 1] === fresh[first - 1]) {
    from--
    first--
  }
  let after = found.end
  while (last < fresh.length && after < base.length && base[after] === fresh[last]) {
    after++
    last++
  }
  return { start: first, end: last, from }
}

/** Undefined where the delta does not fit this base. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer | undefined {
  const reader = { at: 0 }
  const count = decodeNumber(delta, reader)
  const size = decodeNumber(delta, reader)
  if (count === undefined || size === undefined || count > delta.length) return undefined
  const steps: { length: number; from: number | undefined }[] = []
  for (let step = 0; step < count; step++) {
    const word = decodeNumber(delta, reader)
    const from = word !== undefined && word % 2 === 1 ? decodeNumber(delta, reader) : undefined
    if (word === undefined || (word % 2 === 1 && from === undefined)) return undefined
    steps.push({ length: Math.floor(word / 2), from })
  }
  if (steps.reduce((sum, { length }) => sum + length, 0) !== size) return undefined
  const fresh = Buffer.allocUnsafe(size)
  let done = 0
  for (const { length, from } of steps) {
    const source = from === undefined ? delta : base
    const start = from ?? reader.at
    if (start + length > source.length) return undefined
    source.copy(fresh, done, start, start + length)
    done += length
    if (from === undefined) reader.at += length
  }
  return reader.at === delta.length ? fresh : undefined
}

function encodeNumber(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}

function decodeNumber(bytes: Buffer, reader: { at: number }): number | undefined {
  let value = 0
  for (let factor = 1; factor <= Number.MAX_SAFE_INTEGER; factor *= 0x80) {
    const byte = bytes[reader.at++]
    if (byte === undefined) return undefined
    value += (byte % 0x80) * factor
    if (byte < 0x80) return value
  }
  return undefined
}
