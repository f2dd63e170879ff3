// What one command does to a conversation is one repair: one receipt, and one undo that puts all of it back.
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { linesOf, NAME, placeIn, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { listReceipts } from '../../../disk/vault/receipts.ts'
import { undoReceipt } from '../../../disk/vault/undo.ts'
import { makeSilentDecider } from '../../silent-decider.ts'
import { sanitizer } from './index.ts'

const CUT = '[{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"},{"tim'

/** Every file with its bytes and its time to the microsecond. */
function entryAt(home: string): Map<string, string> {
  const files = [...treeOf(home)].filter(([path]) => !path.startsWith('state/'))
  return new Map(
    files.map(([path, bytes]) => [path, `${lstatSync(join(home, path), { bigint: true }).mtimeNs / 1000n} ${bytes}`]),
  )
}

function statesOf(home: string): string[] {
  return listReceipts(join(home, 'state')).receipts.map(({ receipt }) => receipt.state)
}

function restore(home: string) {
  return sanitizer.trash.restore({ ...placeIn(home), name: NAME, decide: makeSilentDecider(), salvage: true })
}

test('a conversation that is repaired on its way out of the trash, from both storages', async () => {
  const home = quickHome()
  const broken = { 'metadata.json': '{"title":"Kept","pinn', 'base_config.json': undefined, 'events.json': CUT }
  putBoth(home, broken, { ...broken, 'events.json': '[' })
  await run(home)
  const inTrash = entryAt(home)
  const report = await restore(home)
  const entries = [...report.repaired, ...report.degraded]
  expect(new Set(entries.map(({ receipt }) => receipt)).size).toBe(1)
  expect(entries.length).toBeGreaterThan(4)
  expect(statesOf(home)).toEqual(['applied', 'applied'])
  for (const { quarantine } of entries) if (quarantine !== undefined) expect(existsSync(quarantine)).toBe(true)
  expect(linesOf(await run(home, { mode: 'check' }))).toEqual([])
  await undoReceipt(join(home, 'state'), entries[0]?.receipt ?? '')
  expect(entryAt(home)).toEqual(inTrash)
})

test('a folder in the place of a file, set aside on the way out of the trash', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'metadata.json': undefined, 'events.json': CUT })
  mkdirSync(join(folder, 'metadata.json'))
  writeFileSync(join(folder, 'metadata.json/inside'), 'x')
  await run(home)
  const inTrash = entryAt(home)
  const { repaired } = await restore(home)
  expect(existsSync(join(repaired[0]?.quarantine ?? '', 'inside'))).toBe(true)
  await undoReceipt(join(home, 'state'), repaired[0]?.receipt ?? '')
  expect(entryAt(home)).toEqual(inTrash)
})

test('the receipt of what was brought back is found under the name and file that it has now', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'events.json': CUT })
  await run(home)
  await restore(home)
  expect(listReceipts(join(home, 'state')).receipts[0]?.receipt).toMatchObject({
    sessionId: 'jp-c17935272000',
    filePath: join(folder, 'events.json'),
  })
})

test('files that are repaired and their folder that gets another name', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'metadata.json': '{', 'base_config.json': 'x' }, '017935272000-x')
  const before = entryAt(home)
  const { repaired } = await run(home)
  expect(repaired.map(({ file }) => file)).toEqual(['metadata.json', 'base_config.json', undefined])
  expect(existsSync(repaired[0]?.quarantine ?? '')).toBe(true)
  expect(listReceipts(join(home, 'state')).receipts.map(({ receipt }) => receipt)).toMatchObject([
    { sessionId: 'jp-c17935272000', filePath: join(folder, '../17935272000-x/events.json') },
  ])
  await undoReceipt(join(home, 'state'), repaired[0]?.receipt ?? '')
  expect(entryAt(home)).toEqual(before)
})

test('a note of an earlier time that is set aside, and the folder that goes to the trash', async () => {
  const home = quickHome()
  const old = { 'TRASHED.md': 'of an earlier time', 'TRASHED.rethread.json': 'older still' }
  putOne(home, { 'events.json': CUT, ...old })
  const before = entryAt(home)
  const { trashed } = await run(home)
  expect(statesOf(home)).toEqual(['applied'])
  const names = readdirSync(trashed[0]?.target ?? '').filter(name => name.startsWith('TRASHED'))
  expect(names.map(name => name.replace(/\d{8}T\d{9}Z/, 'STAMP')).sort()).toEqual([
    'TRASHED.STAMP.md',
    'TRASHED.md',
    'TRASHED.rethread.STAMP.json',
    'TRASHED.rethread.json',
  ])
  expect(await sanitizer.trash.list(placeIn(home))).toMatchObject([{ isOurs: true }])
  await undoReceipt(join(home, 'state'), trashed[0]?.receipt ?? '')
  expect(entryAt(home)).toEqual(before)
})
