// The rows that are known, in their order, and those that were made now, each in its place.
import type { RowFile } from '../../disk/state/row-file.ts'

export interface MadeRow {
  /** The rows with the largest texts come first, then those with the latest times, then those with the smallest ids. */
  order: string
  time: number
  id: string
  /** Empty for one that is only counted. */
  text: Buffer
}

/** What is printed: the place of a known row in the file, or -1 - the index of a made one. */
export function mergeRows(file: RowFile | undefined, isKnown: Uint8Array, made: readonly MadeRow[]): Int32Array {
  const printed = file?.printed ?? new Uint32Array()
  const merged = new Int32Array(printed.length + made.length)
  const sorted = made.map((_, index) => index).sort((a, b) => compare(made[a] as MadeRow, made[b] as MadeRow))
  const orders = sorted.length === 0 ? [] : (file?.orders ?? [])
  let length = 0
  let next = 0
  for (let place = 0; place < printed.length; place++) {
    const row = printed[place] as number
    if (isKnown[row] !== 1) continue
    if (next < sorted.length) {
      const [order = '', id = ''] = JSON.parse(orders[row] ?? '[]') as string[]
      const here = { order, time: file?.times[row] ?? 0, id }
      while (next < sorted.length && compare(made[sorted[next] as number] as MadeRow, here) < 0)
        merged[length++] = -1 - (sorted[next++] as number)
    }
    merged[length++] = place
  }
  while (next < sorted.length) merged[length++] = -1 - (sorted[next++] as number)
  return merged.subarray(0, length)
}

type Ordered = Pick<MadeRow, 'order' | 'time' | 'id'>

function compare(a: Ordered, b: Ordered): number {
  if (a.order !== b.order) return a.order < b.order ? 1 : -1
  return b.time - a.time || (a.id < b.id ? -1 : 1)
}

/** A part of the text of the file. */
export interface TextRange {
  start: number
  end: number
}

/** The text of the rows in pieces as long as they can be. Each row begins with a comma. */
export function* textOf(
  file: RowFile | undefined,
  merged: Int32Array,
  made: readonly MadeRow[],
): Generator<Buffer | TextRange, void, void> {
  const ends = file?.ends ?? new Uint32Array()
  for (let at = 0; at < merged.length; ) {
    const place = merged[at] as number
    if (place < 0) {
      yield made[-1 - place]?.text ?? Buffer.alloc(0)
      at++
      continue
    }
    let last = place
    for (at++; merged[at] === last + 1; at++) last++
    yield { start: place === 0 ? 0 : (ends[place - 1] as number), end: ends[last] as number }
  }
}
