// Stores the rows that were printed, for the next run.
import type { FileGroup } from '../../catalog/find-files.ts'
import { COLUMNS } from '../../disk/files/file-columns.ts'
import { joinNames, type NewRowFile, type OpenRowFile, writeRowFile } from '../../disk/state/row-file.ts'
import { RethreadError } from '../../model/errors.ts'
import type { RowsOf } from './known.ts'
import { type Matched, NONE } from './match.ts'
import type { MadeRow } from './merge.ts'

/** A row that was made now and that the next run may print. */
export interface KeptRow extends MadeRow {
  group: number
  place: number
  condition: string
  bytes: number
  kind: number
  count: number
}

export interface Rows {
  file: OpenRowFile | undefined
  groups: readonly FileGroup[]
  matched: Matched
  merged: Int32Array
  made: readonly (MadeRow | KeptRow)[]
}

/** Never a reason to fail: without it, the next run makes the rows again. */
export function keepRows(state: string, { key, maker }: RowsOf, mark: string, rows: Rows): void {
  try {
    writeRowFile(state, key, fileOf(maker, mark, rows))
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
  }
}

function fileOf(maker: string, mark: string, { file, groups, matched, merged, made }: Rows): NewRowFile {
  const firsts: number[] = []
  let total = 0
  for (const { files } of groups) {
    firsts.push(total)
    total += files.names.length
  }
  const newRowOf = new Int32Array(file?.times.length ?? 0).fill(NONE)
  const identities = new Float64Array(total * COLUMNS)
  for (const [index, group] of groups.entries()) {
    const first = firsts[index] ?? 0
    identities.set(group.identities, first * COLUMNS)
    for (const [place, row] of (matched.rowOf[index] ?? []).entries()) if (row !== NONE) newRowOf[row] = first + place
  }
  const conditions = new Map<string, number>()
  const columns = {
    times: new Float64Array(total),
    bytes: new Float64Array(total),
    orders: new Array<string>(total).fill('[]'),
    conditionOf: new Uint32Array(total),
    kinds: new Uint32Array(total),
    counts: new Uint32Array(total),
  }
  const printed: number[] = []
  const texts: Buffer[] = []
  const add = (row: number, text: Buffer, condition: string, time: number, facts: RowFacts): void => {
    const number = conditions.get(condition) ?? conditions.size
    conditions.set(condition, number)
    columns.conditionOf[row] = number
    columns.times[row] = time
    columns.bytes[row] = facts.bytes
    columns.kinds[row] = facts.kind
    columns.counts[row] = facts.count
    columns.orders[row] = facts.order
    printed.push(row)
    texts.push(text)
  }
  const orders = file?.orders ?? []
  const before = Buffer.alloc(file?.textBytes ?? 0)
  file?.readText(0, before)
  for (const place of merged) {
    if (place < 0) {
      const row = made[-1 - place]
      if (row === undefined || !('condition' in row)) continue
      const { order, id, bytes, kind, count } = row
      const facts = { order: JSON.stringify([order, id]), bytes, kind, count }
      add((firsts[row.group] ?? 0) + row.place, row.text, row.condition, row.time, facts)
      continue
    }
    if (file === undefined) continue
    const row = file.printed[place] as number
    add(
      newRowOf[row] as number,
      before.subarray(place === 0 ? 0 : file.ends[place - 1], file.ends[place]),
      file.conditions[file.conditionOf[row] as number] as string,
      file.times[row] as number,
      {
        order: orders[row] ?? '[]',
        bytes: file.bytes[row] as number,
        kind: file.kinds[row] as number,
        count: file.counts[row] as number,
      },
    )
  }
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (const [place, text] of texts.entries()) {
    end += text.length
    ends[place] = end
  }
  return {
    maker,
    mark,
    groups: groups.map(({ key, files: { names } }) => ({ key, count: names.length, names: joinNames(names) })),
    conditions: [...conditions.keys()],
    identities,
    ...columns,
    printed: Uint32Array.from(printed),
    ends,
    text: Buffer.concat(texts),
  }
}

interface RowFacts {
  order: string
  bytes: number
  kind: number
  count: number
}
