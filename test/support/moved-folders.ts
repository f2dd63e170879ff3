// Recorded sessions whose folders move, for tests of the doctor.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect } from 'vitest'
import { type Context, makeContext } from '../../src/catalog/context.ts'
import type { DoctorRun } from '../../src/doctor/doctor.ts'
import { applyFixes, planMoves, planRelinks } from '../../src/doctor/fix.ts'
import { inspectAll } from '../../src/doctor/inspect.ts'
import { runSql } from './database.ts'
import { temporaryHome } from './home.ts'
import { recordedHome } from './recorded.ts'

/** The folder in which all of them were recorded. */
export const RECORDED = '/home/dev/shop'

/** A recorded session, moved to a project that exists. */
export async function prepare(name: string) {
  const home = recordedHome(name)
  const folder = join(temporaryHome(), 'shop')
  mkdirSync(folder)
  const context = makeContext({ home, state: join(temporaryHome(), 'state'), logLevel: 'silent' })
  await move(context, RECORDED, folder)
  return { home, folder, context }
}

export async function move(context: Context, from: string, to: string) {
  const results = await applyFixes(context, await planMoves(await inspectAll(context), { from, to }), { force: true })
  expect(results.flatMap(({ error }) => error ?? [])).toEqual([])
  return results
}

export async function fix(context: Context, { inspected, moves }: DoctorRun) {
  const results = await applyFixes(context, await planRelinks(inspected), { force: true })
  for (const { from, to } of moves) results.push(...(await move(context, from, to)))
  return results
}

/** Of every file its bytes; of a database its rows, wherever its pages are. */
export function hashesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = files.map(entry => join(entry.parentPath, entry.name)).filter(path => !/-(?:wal|shm)$/.test(path))
  return Object.fromEntries(paths.map(path => [relative(folder, path), contentOf(path)]).sort())
}

function contentOf(path: string): string {
  const bytes = readFileSync(path)
  return hashOf(bytes.subarray(0, 6).toString() === 'SQLite' ? rowsIn(path) : bytes)
}

/** Of a copy: to open a database may change it. */
function rowsIn(path: string): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'rethread-rows-')), 'copy')
  try {
    for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) cpSync(path + suffix, copy + suffix)
    const tables = runSql(copy, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return JSON.stringify(tables.map(({ name }) => [name, runSql(copy, `SELECT * FROM "${String(name)}"`)]))
  } finally {
    rmSync(dirname(copy), { recursive: true })
  }
}

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** Of everything that is there: names, bytes, times and modes. */
export function traceOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const traces = entries.map(entry => {
    const path = join(entry.parentPath, entry.name)
    const { mode, mtimeNs, ino } = statSync(path, { bigint: true })
    const content = entry.isFile() ? hashOf(readFileSync(path)) : ''
    return [relative(folder, path), `${ino} ${mode} ${mtimeNs} ${content}`]
  })
  return Object.fromEntries(traces.sort())
}

export const lost = ({ report }: DoctorRun) => report.findings.filter(({ severity }) => severity === 'lost')
