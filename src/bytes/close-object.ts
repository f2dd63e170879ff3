// The ways in which a small JSON object that is damaged can be made whole with its own bytes: first those that leave nothing half, then those that keep more.
import type { Edit } from './edits.ts'
import type { Span } from './json.ts'
import { parseObject } from './json.ts'
import type { Watcher } from './json-machine.ts'
import type { Run, Untidy } from './outline.ts'
import { MARK_BYTES, runMachine, untidy } from './outline.ts'

export interface Closing {
  /** In the coordinates of the bytes. */
  edits: Edit[]
  /** What the object is after them. */
  value: Record<string, unknown>
  /** A text was kept up to where it was cut. */
  hasCutText: boolean
}

/** Nobody needs what is cut at a deeper place than this. */
const MAX_DEPTH = 4

/** `texts` are the top-level fields of which a part is worth keeping. None where the bytes are broken in the middle. */
export function closeObject(bytes: Buffer, texts: readonly string[]): Closing[] {
  const lasts = new LastValues()
  const run = runMachine({ size: bytes.length, range: (start, end) => bytes.subarray(start, end) }, lasts)
  const { machine, end } = run
  if (machine.fault !== undefined) return []
  if (machine.isClosed) return closing(bytes, run, undefined, false)
  const open = machine.openText
  const isText = open !== undefined && machine.depth === 1 && texts.includes(lasts.name)
  const cutText = isText
    ? closing(bytes, run, { start: endOfCharacters(bytes, open), end, bytes: Buffer.from('"}') }, true)
    : []
  const cuts = lasts.places().flatMap(place => {
    return closing(bytes, run, { start: place.end, end, bytes: Buffer.from(machine.closers(place.depth)) }, false)
  })
  return [...cutText, ...cuts]
}

/** The last complete values: of the object itself, of what it holds, and so on. */
class LastValues implements Watcher {
  readonly depth = MAX_DEPTH
  name = ''
  readonly #ends = new Array<number>(MAX_DEPTH + 1).fill(0)

  key(name: string): void {
    this.name = name
  }

  value(depth: number, end: number): void {
    this.#ends[depth] = end
  }

  /** Where the object can be closed, each place behind the one before and deeper. */
  places(): { depth: number; end: number }[] {
    const places: { depth: number; end: number }[] = []
    for (const [depth, end] of this.#ends.entries()) if (end > (places.at(-1)?.end ?? 0)) places.push({ depth, end })
    return places
  }
}

function closing(bytes: Buffer, run: Run, cut: Edit | undefined, hasCutText: boolean): Closing[] {
  const keep = cut?.start ?? run.end
  const edits = [...tidyEdits(untidy(run.machine, run.end, run, keep)), ...(cut === undefined ? [] : [cut])]
  edits.sort((a, b) => a.start - b.start)
  const value = parseObject(applied(bytes, edits))
  return value === undefined ? [] : [{ edits, value, hasCutText }]
}

function tidyEdits({ hasMark, nuls, nulTail, commas, rest }: Untidy): Edit[] {
  return [
    ...(hasMark ? [blankEdit({ start: 0, end: MARK_BYTES })] : []),
    ...nuls.map(blankEdit),
    ...commas.map(at => blankEdit({ start: at, end: at + 1 })),
    ...[rest, nulTail].flatMap(span => (span === undefined ? [] : [{ ...span, bytes: Buffer.alloc(0) }])),
  ]
}

/** Spaces of the same length. */
export function blankEdit({ start, end }: Span): Edit {
  return { start, end, bytes: Buffer.alloc(end - start, ' ') }
}

function applied(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const edit of edits) {
    parts.push(bytes.subarray(at, edit.start), edit.bytes)
    at = edit.end
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}

const LEADING_BITS = 0b1100_0000
const CONTINUATION = 0b1000_0000
const MAX_CHARACTER_BYTES = 4

/** Before the bytes of a character that was cut in two. */
function endOfCharacters(bytes: Buffer, { start, end }: Span): number {
  for (let at = end - 1; at > start && at > end - MAX_CHARACTER_BYTES; at--) {
    const byte = bytes[at] ?? 0
    if ((byte & LEADING_BITS) === CONTINUATION) continue
    return byte >= LEADING_BITS && end - at < lengthOfCharacter(byte) ? at : end
  }
  return end
}

function lengthOfCharacter(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}
