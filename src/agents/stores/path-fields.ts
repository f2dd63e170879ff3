// Paths in files of JSON, and the edits that follow a folder to its new place. Only whole values and whole
// keys are replaced: a path in the text of a message stays what was said.
import { endOfString, parseJson } from '../../bytes/json.ts'
import { splitLines } from '../../bytes/lines.ts'
import { fieldNames, skimFields } from '../../bytes/skim.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import type { ByteEdit, Patch } from '../../model/plan.ts'
import { type FolderMove, movedPath, UNLISTED } from '../listing.ts'

export interface FieldValue {
  /** The place of the JSON text in the file. */
  start: number
  end: number
  bytes: Buffer
  value: unknown
}

export interface FieldsOptions {
  /** Up to this byte of the file. */
  end?: number
  /** Only records whose top-level `type` is one of these. */
  types?: readonly string[]
}

const TYPE = [fieldNames('type')]

/** The value at this path of names in each line of a log. Lines that are not one JSON object have none. */
export function* fieldsInLines(
  file: OpenFile,
  path: readonly string[],
  { end, types }: FieldsOptions = {},
): Generator<FieldValue> {
  const names = path.map(name => fieldNames(name))
  const last = Buffer.from(`"${path.at(-1) ?? ''}"`)
  for (const { bytes, start } of splitLines(file.chunks(0, end))) {
    if (!bytes.includes(last)) continue
    const type = types === undefined ? undefined : fieldIn(bytes, TYPE)?.value
    if (types !== undefined && !types.some(wanted => wanted === type)) continue
    const found = valueIn(bytes, names)
    if (found !== undefined) yield { ...found, start: start + found.start, end: start + found.end }
  }
}

/** The string at this path of names in one JSON object. Undefined for any other value. */
export function fieldIn(
  bytes: Buffer,
  names: readonly (readonly Buffer[])[],
): (FieldValue & { value: string }) | undefined {
  const found = valueIn(bytes, names)
  return found !== undefined && typeof found.value === 'string' ? { ...found, value: found.value } : undefined
}

/** The value at this path of names in one JSON object. */
function valueIn(bytes: Buffer, names: readonly (readonly Buffer[])[]): FieldValue | undefined {
  let span = { start: 0, end: bytes.length }
  for (const name of names) {
    const inside = skimFields(bytes, name, span.start, span.end)?.[0]
    if (inside === undefined) return undefined
    span = inside
  }
  const text = Buffer.from(bytes.subarray(span.start, span.end))
  return { ...span, bytes: text, value: parseJson(text) }
}

/**
 * The edits of a log in which a field holds the folder or a path below it, or a
 * list with one. Undefined where nothing changes.
 */
export function moveInLines(
  path: string,
  storeRoot: string,
  fields: readonly (readonly string[])[],
  move: FolderMove,
  types?: readonly string[],
): Patch | undefined {
  const file = openFile(path, storeRoot)
  try {
    const edits: ByteEdit[] = []
    for (const field of fields)
      for (const { start, end, bytes, value } of fieldsInLines(file, field, types === undefined ? {} : { types })) {
        const moved = movedValue(value, move)
        if (moved !== undefined) edits.push(pathEdit(start, end, bytes, moved, move))
      }
    edits.sort((a, b) => a.start - b.start)
    return edits.length === 0 ? undefined : { type: 'patch', file: path, edits }
  } finally {
    file.close()
  }
}

function movedValue(value: unknown, move: FolderMove): string | string[] | undefined {
  if (typeof value === 'string') return movedPath(value, move)
  if (!Array.isArray(value) || !value.every(item => typeof item === 'string')) return undefined
  const isMoved = value.some(item => movedPath(item, move) !== undefined)
  return isMoved ? value.map(item => movedPath(item, move) ?? item) : undefined
}

export function pathEdit(
  start: number,
  end: number,
  old: Buffer,
  value: string | string[],
  { to }: FolderMove,
): ByteEdit {
  return {
    start,
    end,
    bytes: Buffer.from(JSON.stringify(value)),
    old,
    damage: UNLISTED,
    reason: `Name the new folder, ${to}`,
    reasonOfMany: `Name the new folder, ${to}, in {count} places`,
  }
}

/**
 * The edits of keys that are paths, in the object at `path` of a document. Keys whose new name exists already
 * stay; they are returned as `taken`.
 */
export function moveKeys(
  bytes: Buffer,
  path: readonly string[],
  keys: readonly string[],
  move: FolderMove,
): { edits: ByteEdit[]; taken: string[] } {
  const edits: ByteEdit[] = []
  const taken: string[] = []
  let span = { start: 0, end: bytes.length }
  for (const name of path) {
    const inside = skimFields(bytes, fieldNames(name), span.start, span.end)?.[0]
    if (inside === undefined) return { edits, taken }
    span = inside
  }
  for (const key of keys) {
    const moved = movedPath(key, move)
    if (moved === undefined) continue
    const old = Buffer.from(JSON.stringify(key))
    const value = skimFields(bytes, [old], span.start, span.end)?.[0]
    if (keys.includes(moved) || value === undefined) {
      taken.push(key)
      continue
    }
    const start = bytes.lastIndexOf(old, value.start)
    if (start < span.start || endOfString(bytes, start) !== start + old.length) taken.push(key)
    else edits.push(pathEdit(start, start + old.length, old, moved, move))
  }
  return { edits: edits.sort((a, b) => a.start - b.start), taken }
}
