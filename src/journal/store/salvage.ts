// Reads rows with known positions past any damage. First all in one stream, then one by one, and at last by a
// scan without the index.

import { isCorrupt } from '../errors.ts'
import type { StoredRecord } from './sql-connection.ts'

export type Salvaged = StoredRecord | 'missing' | 'unreadable'

export interface SalvageOptions {
  rows: AsyncIterable<StoredRecord>
  /** The expected positions, in the order of `rows`. */
  places: readonly number[]
  placeOf(row: StoredRecord): unknown
  /** Reads one row by its position. */
  probe(place: number): Promise<StoredRecord | undefined>
  /** Reads all rows in any order, without an index. */
  scan?(): AsyncIterable<StoredRecord>
  /** Returns false to stop. */
  take(place: number, row: Salvaged): boolean
}

export async function salvage(options: SalvageOptions): Promise<void> {
  const { places, placeOf, take } = options
  let next = 0
  try {
    for await (const row of options.rows) {
      const place = places.indexOf(Number(placeOf(row)), next)
      // An unexpected row. The gap it leaves is reported below.
      if (place === -1) continue
      for (const missing of places.slice(next, place)) if (!take(missing, 'missing')) return
      next = place + 1
      if (!take(Number(placeOf(row)), row)) return
    }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    await salvageRest(options, places.slice(next))
    return
  }
  for (const missing of places.slice(next)) if (!take(missing, 'missing')) return
}

async function salvageRest(options: SalvageOptions, places: readonly number[]): Promise<void> {
  let scanned: Map<number, StoredRecord> | undefined
  for (const place of places) {
    let row = await probeOne(options, place)
    if (row === 'unreadable') {
      scanned ??= await scanFor(options, new Set(places))
      row = scanned.get(place) ?? row
    }
    if (!options.take(place, row)) return
  }
}

async function probeOne({ probe }: SalvageOptions, place: number): Promise<Salvaged> {
  try {
    return (await probe(place)) ?? 'missing'
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return 'unreadable'
  }
}

async function scanFor(
  { scan, placeOf }: SalvageOptions,
  places: ReadonlySet<number>,
): Promise<Map<number, StoredRecord>> {
  const found = new Map<number, StoredRecord>()
  if (scan === undefined) return found
  try {
    for await (const row of scan()) if (places.has(Number(placeOf(row)))) found.set(Number(placeOf(row)), row)
  } catch (error) {
    if (!isCorrupt(error)) throw error
  }
  return found
}
