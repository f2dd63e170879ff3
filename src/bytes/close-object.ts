// The ways to complete a small damaged JSON object with its own bytes: first those without partial values,
// then those that keep more.
import type { Edit } from './edits.ts'
import { applyEdits } from './edits.ts'
import { parseObject } from './json.ts'
import type { Watcher } from './json-machine.ts'
import type { JsonRepairOptions } from './json-repairer.ts'
import { JsonRepairer } from './json-repairer.ts'
import type { SalvagedValue } from './salvage/value.ts'
import { isBroken, isSound, readValue } from './salvage/value.ts'
import { BLANKS, ByteWindow } from './salvage/window.ts'
import { startsWithByteOrderMark } from './text.ts'
import { endOfCharacters, utf8Edits } from './utf8.ts'

export interface Closing {
  /** In the coordinates of the bytes. */
  edits: Edit[]
  /** The object after the edits. */
  value: Record<string, unknown>
  /** A text was kept up to its cut. */
  hasCutText: boolean
  /** Nothing of it is left out. */
  isWhole: boolean
}

/** Cuts at a deeper place are not worth completing. */
const MAX_DEPTH = 4
const MARK_BYTES = 3

/** `texts` are the top-level fields of which a part is worth saving. */
export function closeObject(bytes: Buffer, texts: readonly string[]): Closing[] {
  const window = new ByteWindow({ size: bytes.length, range: (start, end) => bytes.subarray(start, end) })
  const start = window.skip(startsWithByteOrderMark(bytes) ? MARK_BYTES : 0, BLANKS)
  const before = start === 0 ? [] : [blankEdit(0, start)]
  for (const options of attemptsFor(bytes.subarray(start))) {
    const value = readValue(window, start, options)
    if (!isBroken(value) && isSound(window, value)) return copiesOf(bytes, window, before, value)
  }
  return cutsOf(bytes, start, before, texts)
}

/** For an object over several lines, the columns show where a bracket is lost. */
function attemptsFor(bytes: Buffer): JsonRepairOptions[] {
  const isOnLines = /^\{[ \t]*\r?\n/.test(bytes.subarray(0, 256).toString('latin1'))
  const columns = { brackets: true, column: 0 }
  return isOnLines ? [{}, columns, { ...columns, quotes: true }] : [{}, { brackets: true }]
}

/** The bytes after a whole object are the rest of an older one, or another copy: the longer of two counts. */
function copiesOf(bytes: Buffer, window: ByteWindow, before: Edit[], value: SalvagedValue): Closing[] {
  const behind = window.skip(value.end, BLANKS)
  const next = behind === bytes.length ? undefined : readValue(window, behind)
  const rest = { start: value.end, end: bytes.length, bytes: Buffer.alloc(0) }
  const hasRest = behind < bytes.length || bytes.includes(0, value.end)
  const own = closing(bytes, [...before, ...value.repairs, ...(hasRest ? [rest] : [])], false, true)
  if (next === undefined || isBroken(next) || next.end - next.start <= value.end - value.start) return own
  const other = [{ start: 0, end: next.start, bytes: Buffer.alloc(0) }, ...next.repairs]
  const restOfOther = next.end < bytes.length ? [{ ...rest, start: next.end }] : []
  return [...closing(bytes, [...other, ...restOfOther], false, true), ...own]
}

/** Closes an object that is cut, or broken in the middle, after its last complete value before that place. */
function cutsOf(bytes: Buffer, start: number, before: Edit[], texts: readonly string[]): Closing[] {
  const lasts = new LastValues()
  const reader = new JsonRepairer(start, {}, lasts)
  reader.push(bytes.subarray(start, endWithoutNuls(bytes)))
  const cutAt = (keep: number, closers: string, hasCutText: boolean): Closing[] => {
    const characters = utf8Edits(bytes.subarray(start, keep), start)
    const repairs = [...reader.repairs, ...characters].filter(({ end }) => end <= keep)
    const cut = { start: keep, end: bytes.length, bytes: Buffer.from(closers) }
    return closing(
      bytes,
      [...before, ...repairs.sort((a, b) => a.start - b.start || a.end - b.end), cut],
      hasCutText,
      false,
    )
  }
  const open = reader.openText
  const isText = open !== undefined && reader.depth === 1 && texts.includes(lasts.name)
  return [
    ...(isText ? cutAt(endOfCharacters(bytes, Math.min(open.end, reader.fault?.at ?? open.end)), '"}', true) : []),
    ...lasts.places().flatMap(place => cutAt(place.end, reader.closers(place.depth), false)),
  ]
}

function endWithoutNuls(bytes: Buffer): number {
  let end = bytes.length
  while (end > 0 && BLANKS.has(bytes[end - 1] ?? 0)) end--
  const first = bytes.indexOf(0, end)
  return first === -1 ? bytes.length : first
}

/** The last complete values: of the object itself, of its content, and so on. */
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

  /** Where the object can be closed, each place later and deeper than the one before. */
  places(): { depth: number; end: number }[] {
    const places: { depth: number; end: number }[] = []
    for (const [depth, end] of this.#ends.entries()) if (end > (places.at(-1)?.end ?? 0)) places.push({ depth, end })
    return places
  }
}

function closing(bytes: Buffer, edits: Edit[], hasCutText: boolean, isWhole: boolean): Closing[] {
  const value = parseObject(applyEdits(bytes, edits))
  return value === undefined
    ? []
    : [{ edits: edits.map(({ start, end, bytes: by }) => ({ start, end, bytes: by })), value, hasCutText, isWhole }]
}

/** Spaces of the same length. */
function blankEdit(start: number, end: number): Edit {
  return { start, end, bytes: Buffer.alloc(end - start, ' ') }
}
