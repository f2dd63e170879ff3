// Every repair can be undone, to the last byte and time; a trashed conversation can be restored.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { put } from '../../../../test/support/home.ts'
import { json, linesOf, NAME, placeIn, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { META, putFiles, WHOLE } from '../../../../test/support/jp/store.ts'
import { makeContext } from '../../../catalog/context.ts'
import { listReceipts } from '../../../disk/vault/receipts.ts'
import { undoReceipt } from '../../../disk/vault/undo.ts'
import { undoRepair } from '../../../repair/undo.ts'
import { makeSilentDecider } from '../../silent-decider.ts'
import { sanitizer } from './index.ts'

const CUT = '[{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"},{"tim'

function restore(home: string, name: string, salvage = false) {
  return sanitizer.trash.restore({ ...placeIn(home), name, decide: makeSilentDecider(), salvage })
}

test('undo puts every file of a repair back', async () => {
  const home = quickHome()
  const { own } = putBoth(
    home,
    { 'metadata.json': '{', 'base_config.json': undefined, 'init_config.json': 'x', 'events.json': CUT },
    { 'events.json': '[' },
  )
  const before = treeOf(join(home, 'shop/.jp/conversations'))
  const { mtimeNs } = statSync(join(own, 'metadata.json'), { bigint: true })
  const { repaired, degraded } = await run(home, { salvage: true })
  const receipts = new Set([...repaired, ...degraded].map(({ receipt }) => receipt))
  expect(receipts.size).toBe(1)
  expect(listReceipts(join(home, 'state')).receipts.map(({ receipt }) => receipt.state)).toEqual(['applied'])
  await undoReceipt(join(home, 'state'), [...receipts][0] ?? '')
  expect(treeOf(join(home, 'shop/.jp/conversations'))).toEqual(before)
  expect(statSync(join(own, 'metadata.json'), { bigint: true }).mtimeNs).toBe(mtimeNs)
})

test('undo works after the quarantine was deleted', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'metadata.json': 'broken' })
  const { repaired } = await run(home)
  rmSync(repaired[0]?.quarantine ?? '')
  await undoReceipt(join(home, 'state'), repaired[0]?.receipt ?? '')
  expect(readFileSync(join(folder, 'metadata.json'), 'utf8')).toBe('broken')
})

test('undo is refused where JP has written since', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'metadata.json': 'broken' })
  const { repaired } = await run(home)
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(META))
  await expect(undoReceipt(join(home, 'state'), repaired[0]?.receipt ?? '')).rejects.toThrow(/changed since/)
  expect(json(join(folder, 'metadata.json'))).toEqual(META)
})

test('undo brings a trashed conversation back as it was', async () => {
  const home = quickHome()
  putOne(home, { 'events.json': CUT })
  const before = treeOf(join(home, 'shop/.jp/conversations'))
  const { trashed } = await run(home)
  await undoReceipt(join(home, 'state'), trashed[0]?.receipt ?? '')
  expect(treeOf(join(home, 'shop/.jp/conversations'))).toEqual(before)
})

test('a conversation that JP itself has trashed is listed, repaired and brought back under its own name', async () => {
  const home = quickHome()
  const folder = putOne(home, {})
  const trash = join(home, 'shop/.jp/conversations/.trash')
  mkdirSync(trash)
  renameSync(folder, join(trash, `${NAME}-1`))
  rmSync(join(trash, `${NAME}-1`, 'base_config.json'))
  writeFileSync(
    join(trash, `${NAME}-1`, 'TRASHED.md'),
    '# Trashed Conversation\n\nIt failed.\n\n**Error:** base_config.json: expected value at line 1 column 1\n**Date:** 2026-08-22T10:00:00Z\n',
  )
  expect(await sanitizer.trash.list(placeIn(home))).toEqual([
    {
      name: `${NAME}-1`,
      path: join(trash, `${NAME}-1`),
      error: 'base_config.json: expected value at line 1 column 1',
      trashedAt: '2026-08-22T10:00:00Z',
      isOurs: false,
    },
  ])
  const { repaired } = await restore(home, `${NAME}-1.trash`)
  expect(repaired.map(({ file }) => file)).toEqual(['base_config.json', undefined])
  expect(linesOf(await run(home, { mode: 'check' }))).toEqual([])
  expect(existsSync(join(folder, 'TRASHED.md'))).toBe(false)
  await undoReceipt(join(home, 'state'), repaired[1]?.receipt ?? '')
  expect(existsSync(join(trash, `${NAME}-1`, 'TRASHED.md'))).toBe(true)
})

test('it is not brought back while its id lives again', async () => {
  const home = quickHome()
  putOne(home, { 'events.json': CUT })
  await run(home)
  putFiles(home, 'shop/.jp/conversations/17935272000-another-title', WHOLE)
  await expect(restore(home, NAME, true)).rejects.toThrow(/exists again/)
})

test('what cannot be repaired stays in the trash, and says so', async () => {
  const home = quickHome()
  putOne(home, { 'events.json': undefined })
  const { trashed } = await run(home)
  const report = await restore(home, NAME)
  expect(report.lockedOut).toMatchObject([{ error: 'missing events.json' }])
  expect(existsSync(trashed[0]?.target ?? '')).toBe(true)
})

test('a folder without an id comes back under one made of its first event', async () => {
  const home = quickHome()
  putOne(home, {}, 'notes')
  expect((await run(home)).trashed).toMatchObject([{ error: 'invalid directory name' }])
  await restore(home, 'notes')
  expect(existsSync(join(home, 'shop/.jp/conversations/17935272000/events.json'))).toBe(true)
})

test('a note that lies in a folder already is not overwritten', async () => {
  const home = quickHome()
  putOne(home, { 'events.json': CUT, 'TRASHED.md': 'of an earlier time' })
  const { trashed } = await run(home)
  expect([...treeOf(trashed[0]?.target ?? '').values()]).toContain('of an earlier time')
})

test('a folder whose id is written in another way gets the name that JP finds', async () => {
  const home = quickHome()
  putOne(home, { 'metadata.json': undefined }, '017935272000-x')
  const { repaired } = await run(home)
  expect(repaired.map(({ line }) => line)).toEqual([
    'Repaired conversation 017935272000-x: recreated missing metadata.json',
    'Repaired conversation 017935272000-x: renamed its folder to 17935272000-x',
  ])
  expect(linesOf(await run(home))).toEqual([])
})

test('there is nothing to sanitize outside of a workspace', async () => {
  const home = quickHome()
  put(home, 'shop/file', '')
  await expect(run(home)).rejects.toThrow(/workspace/)
})

test('a twin with nothing in it does not keep the other from coming back, and stays in the trash', async () => {
  const home = quickHome()
  const { own, local } = putBoth(home, {}, { 'events.json': `${CUT.slice(0, -6)},]` })
  rmSync(own, { recursive: true })
  mkdirSync(own)
  expect((await run(home)).trashed).toHaveLength(2)
  const { repaired, blocked } = await restore(home, NAME, true)
  expect(blocked).toEqual([])
  expect(repaired.map(({ root }) => root)).toEqual([join(local, '../..'), join(local, '../..')])
  expect(existsSync(join(local, 'events.json'))).toBe(true)
  expect(existsSync(join(own, '../.trash', NAME))).toBe(true)
  expect(linesOf(await run(home, { mode: 'check' }))).toEqual([])
})

test('a trashing is not undone while another conversation has its id', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'events.json': 'x' })
  const context = makeContext({ home, state: join(home, 'state') })
  const { receipt = '' } = (await run(home)).trashed[0] ?? {}
  const other = putOne(home, {}, NAME.replace(/-.*/, '-another-one'))
  await expect(undoRepair(context, receipt)).rejects.toMatchObject({
    code: 'undo-conflict',
    message: expect.stringContaining(other),
  })
  expect(existsSync(folder)).toBe(false)
  rmSync(other, { recursive: true })
  await undoRepair(context, receipt)
  expect(readFileSync(join(folder, 'events.json'), 'utf8')).toBe('x')
})

test('a trashing is not undone after a restore, and the hint does not compare with a missing folder', async () => {
  const home = quickHome()
  putOne(home, { 'events.json': CUT })
  const { receipt = '' } = (await run(home)).trashed[0] ?? {}
  await restore(home, NAME, true)
  await expect(undoReceipt(join(home, 'state'), receipt)).rejects.toMatchObject({
    code: 'undo-conflict',
    message: expect.stringContaining('no longer exists'),
    hint: 'See what was repaired since: rethread repairs',
  })
})
