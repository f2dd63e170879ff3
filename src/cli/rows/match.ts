// Which of the rows that were printed before are still true.
import type { FileGroup } from '../../catalog/find-files.ts'
import { COLUMNS } from '../../disk/files/file-columns.ts'
import type { RowFile, RowGroup } from '../../disk/state/row-file.ts'

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

/** Without a file, no row is known. */
export function matchRows(
  file: RowFile | undefined,
  groups: readonly FileGroup[],
  { isMet, isOutdated }: Conditions,
): Matched {
  const isKnown = file === undefined ? new Uint8Array() : couldBeKnown(file, isMet)
  const matched: Matched = { isKnown, rowOf: [], missing: [] }
  const known = new Map<string, { rows: RowGroup; first: number }>()
  let first = 0
  for (const rows of file?.groups ?? []) {
    known.set(rows.key, { rows, first })
    first += rows.names.length
  }
  for (let index = 0; index < groups.length; index++) {
    const group = groups[index] as FileGroup
    const rowOf = rowsOf(group.files.names, known.get(group.key))
    matched.rowOf.push(rowOf)
    const missing = file === undefined ? isKnown : compare(group.identities, rowOf, file.identities, isKnown)
    for (let place = 0; place < rowOf.length; place++) {
      const row = rowOf[place] as number
      if (row !== NONE && missing[place] === 0 && isOutdated?.(group, place) !== true) {
        isKnown[row] = TRUE
        continue
      }
      rowOf[place] = NONE
      if (!Number.isNaN(group.identities[place * COLUMNS])) matched.missing.push({ group, index, place })
    }
  }
  for (let row = 0; row < isKnown.length; row++) if (isKnown[row] !== TRUE) isKnown[row] = 0
  return matched
}

/** While rows are compared: such a row is true if its file is the same. */
const POSSIBLE = 2
const TRUE = 1

function couldBeKnown({ times, conditions, conditionOf, printed }: RowFile, isMet: Conditions['isMet']): Uint8Array {
  const could = new Uint8Array(times.length)
  const met = Uint8Array.from(conditions, condition => (isMet(condition) ? POSSIBLE : 0))
  for (let place = 0; place < printed.length; place++) {
    const row = printed[place] as number
    could[row] = met[conditionOf[row] as number] as number
  }
  return could
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

/** Both lists of names are in order. */
function rowsOf(names: readonly string[], known: { rows: RowGroup; first: number } | undefined): Int32Array {
  const rowOf = new Int32Array(names.length).fill(NONE)
  if (known === undefined) return rowOf
  const { rows, first } = known
  const before = rows.names
  let at = 0
  for (let place = 0; place < names.length; place++) {
    const name = names[place] as string
    if (before[at] !== name) while (at < before.length && (before[at] as string) < name) at++
    if (before[at] === name) rowOf[place] = first + at++
  }
  return rowOf
}
