// One value of a damaged document: unchanged, or with the repairs that complete it.
import { MAX_VALUE_BYTES } from '../document.ts'
import { applyEdits } from '../edits.ts'
import { parseJson } from '../json.ts'
import type { Watcher } from '../json-machine.ts'
import type { JsonRepairOptions, Repair } from '../json-repairer.ts'
import { JsonRepairer } from '../json-repairer.ts'
import { utf8Edits } from '../utf8.ts'
import type { ByteWindow } from './window.ts'

export interface SalvagedValue {
  start: number
  end: number
  /** Sorted, in the coordinates of the document. */
  repairs: readonly Repair[]
  /** If it has repairs: nothing before this place is in doubt. */
  doubt?: number
  /** If its last bracket is lost: the byte that showed that it had ended before. */
  stop?: number
  /** An object in it has the same name twice, as if two were merged. */
  hasTwins?: boolean
}

export interface Broken {
  /** Nothing before this place is in doubt. */
  brokenAt: number
  /** The bytes end inside it. */
  isUnfinished: boolean
}

/** The cost of starting to read, in bytes. */
const TRY_BYTES = 256

export function isBroken(value: SalvagedValue | Broken): value is Broken {
  return 'brokenAt' in value
}

export function readValue(window: ByteWindow, start: number, options: JsonRepairOptions = {}): SalvagedValue | Broken {
  const names = new Names()
  const reader = new JsonRepairer(start, options, names)
  while (!reader.isClosed && reader.fault === undefined) {
    const bytes = window.from(reader.offset)
    if (bytes.length === 0) break
    reader.push(bytes)
    if (reader.offset - start > MAX_VALUE_BYTES) break
  }
  window.spent += reader.offset - start + TRY_BYTES
  const { end } = reader
  if (!reader.isClosed) {
    const isUnfinished = reader.fault === undefined && reader.offset === window.size
    return { brokenAt: Math.max(start, reader.doubt ?? reader.lastText), isUnfinished }
  }
  // A value that was closed before its last bytes is whole without them.
  const repairs = reader.repairs.filter(repair => repair.end <= end)
  const stop = repairs.at(-1)?.start === end ? { stop: reader.offset } : {}
  const all = withCharacters(window, { start, end, repairs })
  return { start, end, repairs: all, doubt: reader.doubt ?? end, hasTwins: names.hasTwins, ...stop }
}

/**
 * The place after a value of any length. `end` is undefined if the bytes end first. Undefined if the value
 * has a fault.
 */
export function endOfValue(window: ByteWindow, start: number): { end: number | undefined } | undefined {
  const reader = new JsonRepairer(start)
  while (!reader.isClosed && reader.fault === undefined && reader.doubt === undefined) {
    const bytes = window.from(reader.offset)
    if (bytes.length === 0) break
    reader.push(bytes)
  }
  window.spent += reader.offset - start
  if (reader.fault !== undefined || reader.doubt !== undefined) return undefined
  return { end: reader.isClosed ? reader.end : undefined }
}

/** The names at the top of an object. */
class Names implements Watcher {
  readonly depth = 0
  hasTwins = false
  readonly #names = new Set<string>()

  key(name: string): void {
    this.hasTwins ||= this.#names.has(name)
    this.#names.add(name)
  }
}

/** Bytes that are not UTF-8 belong to no value. Agents read them differently. */
function withCharacters(window: ByteWindow, { start, end, repairs }: SalvagedValue): readonly Repair[] {
  const edits = utf8Edits(window.range(start, end), start)
  if (edits.length === 0) return repairs
  const all = [...repairs, ...edits.map(edit => ({ ...edit, kind: 'text' as const }))]
  return all.sort((a, b) => a.start - b.start || a.end - b.end)
}

/** The value after its repairs. Undefined if they were not enough. */
export function parseValue(window: ByteWindow, { start, end, repairs }: SalvagedValue): unknown {
  const bytes = window.range(start, end)
  const moved = repairs.map(edit => ({ ...edit, start: edit.start - start, end: edit.end - start }))
  return parseJson(applyEdits(bytes, moved))
}

/** Whether the repairs complete the value, and do not merge both sides of a destroyed border. */
export function isSound(window: ByteWindow, value: SalvagedValue): boolean {
  if (value.repairs.length === 0) return true
  if (value.hasTwins === true) return false
  return parseValue(window, value) !== undefined && !isPatchwork(value.repairs)
}

/** Two places in a text that are further apart were not damaged at once. */
const MAX_GAP_BYTES = 16
const MAX_STRETCH_BYTES = 32
const ORDINARY = /^(?:\\[tnrbf]|\\u001b|\\)*$/

/**
 * A long stretch of garbage may have held a border. Bytes that are only invalid UTF-8 do not keep an agent
 * from reading the value.
 */
function isPatchwork(repairs: readonly Repair[]): boolean {
  const foreign = repairs.filter(({ kind, bytes }) => kind === 'text' && !ORDINARY.test(bytes.toString('latin1')))
  if (foreign.every(({ bytes }) => bytes[0] === 0xef)) return false
  let start = 0
  let end = Number.NEGATIVE_INFINITY
  for (const repair of foreign) {
    if (repair.start - end > MAX_GAP_BYTES) start = repair.start
    end = repair.end
    if (end - start > MAX_STRETCH_BYTES) return true
  }
  return false
}
