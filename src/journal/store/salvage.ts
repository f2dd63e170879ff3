// Reads rows that have a known place each, past whatever is damaged: first all in one stream; where that breaks off, one by one; and what is
// still not found, by going through the table without its index.

import { isCorrupt } from '../errors.ts'
import type { StoredRecord } from './sql-connection.ts'

export type Salvaged = StoredRecord | 'missing' | 'unreadable'

export interface SalvageOptions {
  rows: AsyncIterable<StoredRecord>
  /** Which places there should be, in the order of `rows`. */
  places: readonly number[]
  placeOf(row: StoredRecord): unknown
  /** One row by its place. */
  probe(place: number): Promise<StoredRecord | undefined>
  /** All of them in any order, where there is a way that does without an index. */
  scan?(): AsyncIterable<StoredRecord>
  /** False: enough. */
  take(place: number, row: Salvaged): boolean
}

export async function salvage(options: SalvageOptions): Promise<void> {
  const { places, placeOf, take } = options
  let next = 0
  try {
    for await (const row of options.rows) {
      const place = places.indexOf(Number(placeOf(row)), next)
      // A row that is where none should be; the place it is missing from is told below.
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
