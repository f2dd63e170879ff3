// Which of the rows that were printed before are still true.
import type { FileGroup } from '../../catalog/find-files.ts'
import { COLUMNS } from '../../disk/files/file-columns.ts'
import { joinNames, type RowFile, type RowGroup, splitNames } from '../../disk/state/row-file.ts'

export interface Matched {
  /** For each row of the file, whether it is true. */
  isKnown: Uint8Array
  /** For each name of each group, the row in the file; `NONE` for one without. */
  rowOf: Int32Array[]
  /** The names without a row, by their group and place. */
  missing: { group: FileGroup; index: number; place: number }[]
}

export const NONE = -1

export interface Conditions {
  isMet(condition: string): boolean
  /** Undefined where no other row is out of date. */
  isOutdated: ((group: FileGroup, place: number) => boolean) | undefined
}

/** With the first of its rows. */
interface KnownGroup extends RowGroup {
  first: number
}

/** Without a file, no row is known. */
export function matchRows(
  file: RowFile | undefined,
  groups: readonly FileGroup[],
  { isMet, isOutdated }: Conditions,
): Matched {
  const isKnown = file === undefined ? new Uint8Array() : couldBeKnown(file, isMet)
  const matched: Matched = { isKnown, rowOf: [], missing: [] }
  const known = new Map<string, KnownGroup>()
  let first = 0
  for (const rows of file?.groups ?? []) {
    known.set(rows.key, { ...rows, first })
    first += rows.count
  }
  for (let index = 0; index < groups.length; index++) {
    const group = groups[index] as FileGroup
    const rows = known.get(group.key)
    const haveSameNames = rows?.names === joinNames(group.files.names)
    const rowOf = haveSameNames ? rowsFrom(rows.first, rows.count) : rowsOf(group.files.names, rows)
    matched.rowOf.push(rowOf)
    if (haveSameNames && isOutdated === undefined && noteIfSame(group.identities, file, rows, isKnown)) continue
    const differs = file === undefined ? isKnown : compare(group.identities, rowOf, file.identities, isKnown)
    for (let place = 0; place < rowOf.length; place++) {
      const row = rowOf[place] as number
      if (row !== NONE && differs[place] === 0 && isOutdated?.(group, place) !== true) {
        isKnown[row] = TRUE
        continue
      }
      rowOf[place] = NONE
      if (!Number.isNaN(group.identities[place * COLUMNS])) matched.missing.push({ group, index, place })
    }
  }
  if (isKnown.includes(POSSIBLE)) for (const [row, state] of isKnown.entries()) if (state === POSSIBLE) isKnown[row] = 0
  return matched
}

/** While rows are compared: such a row is true if its file is the same. */
const POSSIBLE = 2
const TRUE = 1

function couldBeKnown({ times, conditions, conditionOf, printed }: RowFile, isMet: Conditions['isMet']): Uint8Array {
  const could = new Uint8Array(times.length)
  const met = Uint8Array.from(conditions, condition => (isMet(condition) ? POSSIBLE : 0))
  // No row is printed twice.
  if (printed.length === could.length && !met.includes(0)) return could.fill(POSSIBLE)
  for (let place = 0; place < printed.length; place++) {
    const row = printed[place] as number
    could[row] = met[conditionOf[row] as number] as number
  }
  return could
}

/** Whether all rows of a group with the same names are true, which they usually are. Then they are noted as such. */
function noteIfSame(
  ours: Float64Array,
  file: RowFile | undefined,
  { first, count }: KnownGroup,
  could: Uint8Array,
): boolean {
  const theirs = file?.identities.subarray(first * COLUMNS, (first + count) * COLUMNS)
  const rows = could.subarray(first, first + count)
  // A row that was not printed is not possible, and only such a row may be of something that is not a number.
  if (theirs === undefined || rows.includes(0) || !bytesOf(ours).equals(bytesOf(theirs))) return false
  rows.fill(TRUE)
  return true
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** For each place, whether its file is another than that of the row. What is not a number equals nothing. */
function compare(ours: Float64Array, rowOf: Int32Array, theirs: Float64Array, could: Uint8Array): Uint8Array {
  const differs = new Uint8Array(rowOf.length).fill(1)
  for (let place = 0, here = 0; place < rowOf.length; place++, here += COLUMNS) {
    const row = rowOf[place] as number
    if (row === NONE || could[row] !== POSSIBLE) continue
    const there = row * COLUMNS
    let column = 0
    while (column < COLUMNS && ours[here + column] === theirs[there + column]) column++
    if (column === COLUMNS) differs[place] = 0
  }
  return differs
}

function rowsFrom(first: number, count: number): Int32Array {
  const rowOf = new Int32Array(count)
  for (let place = 0; place < count; place++) rowOf[place] = first + place
  return rowOf
}

/** Both lists of names are in order. */
function rowsOf(names: readonly string[], known: KnownGroup | undefined): Int32Array {
  const rowOf = new Int32Array(names.length).fill(NONE)
  if (known === undefined) return rowOf
  const { first } = known
  const before = splitNames(known)
  let at = 0
  for (let place = 0; place < names.length; place++) {
    const name = names[place] as string
    if (before[at] !== name) while (at < before.length && (before[at] as string) < name) at++
    if (before[at] === name) rowOf[place] = first + at++
  }
  return rowOf
}
