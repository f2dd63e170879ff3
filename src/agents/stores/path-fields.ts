// Paths in files of JSON, and the edits that follow a folder to its new place. Only whole values and whole keys
// are replaced: a path in the text of a message stays what was said.
import { endOfString, parseJson } from '../../bytes/json.ts'
import { splitLines } from '../../bytes/lines.ts'
import { fieldNames, skimFields } from '../../bytes/skim.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import type { ByteEdit, Patch } from '../../model/plan.ts'
import { type FolderMove, movedPath, UNLISTED } from '../listing.ts'

export interface FieldValue {
  /** The place of the JSON text in the file, with its quotes. */
  start: number
  end: number
  bytes: Buffer
  value: string
}

/** The string at this path of names in each line of a log. Lines that are not one JSON object have none. */
export function* fieldsInLines(file: OpenFile, path: readonly string[], end?: number): Generator<FieldValue> {
  const names = path.map(name => fieldNames(name))
  const last = Buffer.from(`"${path.at(-1) ?? ''}"`)
  for (const { bytes, start: offset } of splitLines(file.chunks(0, end))) {
    if (!bytes.includes(last)) continue
    const found = fieldIn(bytes, names)
    if (found !== undefined) yield { ...found, start: offset + found.start, end: offset + found.end }
  }
}

/** The string at this path of names in one JSON object. */
export function fieldIn(bytes: Buffer, names: readonly (readonly Buffer[])[]): FieldValue | undefined {
  let span = { start: 0, end: bytes.length }
  for (const name of names) {
    const inside = skimFields(bytes, name, span.start, span.end)?.[0]
    if (inside === undefined) return undefined
    span = inside
  }
  const text = bytes.subarray(span.start, span.end)
  const value = parseJson(text)
  return typeof value === 'string' ? { ...span, bytes: Buffer.from(text), value } : undefined
}

/** The edits of a log in which a field holds the folder or a path below it. Undefined where nothing changes. */
export function moveInLines(
  path: string,
  storeRoot: string,
  field: readonly string[],
  move: FolderMove,
): Patch | undefined {
  const file = openFile(path, storeRoot)
  try {
    const edits: ByteEdit[] = []
    for (const { start, end, bytes, value } of fieldsInLines(file, field)) {
      const moved = movedPath(value, move)
      if (moved !== undefined) edits.push(pathEdit(start, end, bytes, moved, move))
    }
    return edits.length === 0 ? undefined : { type: 'patch', file: path, edits }
  } finally {
    file.close()
  }
}

export function pathEdit(start: number, end: number, old: Buffer, path: string, { to }: FolderMove): ByteEdit {
  return {
    start,
    end,
    bytes: Buffer.from(JSON.stringify(path)),
    old,
    damage: UNLISTED,
    reason: `Name the new folder, ${to}`,
    reasonOfMany: `Name the new folder, ${to}, in {count} places`,
  }
}

/**
 * The edits of keys that are paths, in the object at `path` of a document. Keys whose new name exists already stay;
 * they are returned as `taken`.
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
