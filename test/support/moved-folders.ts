// Recorded sessions whose folders move, for tests of the doctor.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect } from 'vitest'
import { type Context, makeContext } from '../../src/catalog/context.ts'
import type { Diagnosis } from '../../src/doctor/doctor.ts'
import { applyFixes, planMoves, planRelinks } from '../../src/doctor/fix.ts'
import { inspectAll } from '../../src/doctor/inspect.ts'
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

export async function fix(context: Context, { inspected, moves }: Diagnosis) {
  const results = await applyFixes(context, await planRelinks(inspected), { force: true })
  for (const { from, to } of moves) results.push(...(await move(context, from, to)))
  return results
}

export function hashesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = files
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !/-(?:wal|shm)$|\.(?:db|sqlite)$/.test(path))
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
  return Object.fromEntries(paths.map(path => [relative(folder, path), hash(path)]).sort())
}

export const lost = ({ report }: Diagnosis) => report.findings.filter(({ severity }) => severity === 'lost')
