// A document that was written more than once: which copy remains, and which messages of the others.
import type { Segment, Structure } from './segment.ts'
import { parseValue } from './value.ts'
import type { ByteWindow } from './window.ts'

/** Messages of one copy, by their numbers. */
export interface Share {
  segment: Segment
  kept: readonly number[]
}

/**
 * What remains, in the order of the file: all of one copy, and of others the messages that only they have.
 */
export function chooseCopies(window: ByteWindow, structure: Structure, segments: readonly Segment[]): Share[] {
  const copies = segments.map(segment => new Copy(segment))
  if (copies.length > 1) for (const copy of copies) copy.identify(window, structure)
  const [first, ...others] = copies
  if (first === undefined) return []
  let kept = [first]
  for (const copy of others) kept = addCopy(kept, copy)
  return kept.map(({ segment, kept: numbers }) => ({ segment, kept: numbers }))
}

class Copy {
  readonly segment: Segment
  kept: number[]
  /** By number: the identity of a message, and a digest of its bytes. */
  readonly ids: string[] = []
  readonly digests: string[] = []

  constructor(segment: Segment) {
    this.segment = segment
    this.kept = Array.from({ length: segment.length }, (_, number) => number)
  }

  identify(window: ByteWindow, { idOf }: Structure): void {
    for (const number of this.kept) {
      const element = this.segment.element(number)
      const digest = digestOf(window.range(element.start, element.end))
      this.digests.push(digest)
      this.ids.push(idOf?.(parseValue(window, element)) ?? digest)
    }
  }
}

/**
 * A digest that shows whether two messages have the same bytes: their length and two 32-bit sums (FNV-1a,
 * from two starts).
 */
function digestOf(bytes: Buffer): string {
  let [one, other] = [0x811c9dc5, 0x9747b28c]
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x01000193)
    other = Math.imul(other ^ byte, 0x01000193) ^ (other >>> 15)
  }
  return `${bytes.length} ${one >>> 0} ${other >>> 0}`
}

/** The later copy is the newer one. A copy without unique messages is dropped. */
function addCopy(kept: Copy[], copy: Copy): Copy[] {
  const known = new Set(kept.flatMap(other => other.kept.map(number => other.ids[number] ?? '')))
  const ids = new Set(copy.ids)
  const isContained = copy.ids.every(id => known.has(id))
  const containsAll = [...known].every(id => ids.has(id))
  if (containsAll && isContained && isSame(kept, copy)) return isWhole(kept[0]) || !isWhole(copy) ? kept : [copy]
  if (containsAll) return copy.segment.length === 0 ? kept : [copy]
  if (isContained) return kept
  // Each has messages that the other lacks. Of a message in both, the newer one counts, unless nothing has
  // changed.
  const digests = new Set(kept.flatMap(other => other.digests))
  const isNewer = (number: number): boolean => !digests.has(copy.digests[number] ?? '')
  const newer = new Set(copy.kept.filter(isNewer).map(number => copy.ids[number] ?? ''))
  for (const other of kept) other.kept = other.kept.filter(number => !newer.has(other.ids[number] ?? ''))
  copy.kept = copy.kept.filter(isNewer)
  return [...kept, copy]
}

function isSame(kept: readonly Copy[], copy: Copy): boolean {
  const digests = kept.flatMap(other => other.kept.map(number => other.digests[number]))
  return digests.length === copy.digests.length && digests.every((digest, number) => digest === copy.digests[number])
}

function isWhole(copy: Copy | undefined): boolean {
  return copy?.segment.open !== undefined && copy.segment.list !== undefined && copy.segment.close !== undefined
}
