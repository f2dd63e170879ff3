// Reads rows with known positions past any damage. First all in one stream, then one by one, and at last by a
// scan without the index.

import { isCorrupt } from '../errors.ts'
import type { StoredRecord } from './sql-connection.ts'

export type Salvaged = StoredRecord | 'missing' | 'unreadable'

export interface SalvageOptions {
  rows: AsyncIterable<StoredRecord>
  /** The expected positions, in the order of `rows`. */
  positions: readonly number[]
  positionOf(row: StoredRecord): unknown
  /** Reads one row by its position. */
  probe(position: number): Promise<StoredRecord | undefined>
  /** Reads all rows in any order, without an index. */
  scan?(): AsyncIterable<StoredRecord>
  /** Returns false to stop. */
  take(position: number, row: Salvaged): boolean
}

export async function salvage(options: SalvageOptions): Promise<void> {
  const { positions, positionOf, take } = options
  let next = 0
  try {
    for await (const row of options.rows) {
      const position = positions.indexOf(Number(positionOf(row)), next)
      // An unexpected row. The gap it leaves is reported below.
      if (position === -1) continue
      for (const missing of positions.slice(next, position)) if (!take(missing, 'missing')) return
      next = position + 1
      if (!take(Number(positionOf(row)), row)) return
    }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    await salvageRest(options, positions.slice(next))
    return
  }
  for (const missing of positions.slice(next)) if (!take(missing, 'missing')) return
}

async function salvageRest(options: SalvageOptions, positions: readonly number[]): Promise<void> {
  let scanned: Map<number, StoredRecord> | undefined
  for (const position of positions) {
    let row = await probeOne(options.probe, position)
    if (row === 'unreadable') {
      scanned ??= await scanFor(options, new Set(positions))
      row = scanned.get(position) ?? row
    }
    if (!options.take(position, row)) return
  }
}

export async function probeOne(probe: SalvageOptions['probe'], position: number): Promise<Salvaged> {
  try {
    return (await probe(position)) ?? 'missing'
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return 'unreadable'
  }
}

async function scanFor(
  { scan, positionOf }: SalvageOptions,
  positions: ReadonlySet<number>,
): Promise<Map<number, StoredRecord>> {
  const found = new Map<number, StoredRecord>()
  if (scan === undefined) return found
  try {
    for await (const row of scan()) if (positions.has(Number(positionOf(row)))) found.set(Number(positionOf(row)), row)
  } catch (error) {
    if (!isCorrupt(error)) throw error
  }
  return found
}
