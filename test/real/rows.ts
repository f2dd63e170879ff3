// The rows of the proof, kept in one file per version so that several runs make one table.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from './row.ts'

type Name = Pick<Row, 'agent' | 'version' | 'damages' | 'seed'>

export function hasRow(folder: string, name: Name): boolean {
  return readRows(fileOf(folder, name)).some(row => keyOf(row) === keyOf(name))
}

/** In the place of an earlier one for the same case. */
export function addRow(folder: string, row: Row): void {
  const file = fileOf(folder, row)
  const rows = readRows(file).filter(other => keyOf(other) !== keyOf(row))
  writeFileSync(file, JSON.stringify([...rows, row], null, 1))
}

export function allRows(folder: string): Row[] {
  const files = readdirSync(folder).filter(name => name.endsWith('.rows.json'))
  return files.toSorted().flatMap(name => readRows(join(folder, name)))
}

function readRows(file: string): Row[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

export function fileOf(folder: string, { agent, version }: Name): string {
  return join(folder, `${agent}-${version}.rows.json`)
}

function keyOf({ damages, seed }: Name): string {
  return `${damages.join('+')} ${seed}`
}
