// Moving something aside, whatever it is: carried out, killed at each call, taken back.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CALL_STEP, failWhen, killAt, quickHome } from '../../../../test/support/faults.ts'
import { LONG_AGO } from '../../../../test/support/repairs.ts'
import { identityOf } from '../../files/read.ts'
import { applyChanges } from '../apply.ts'
import { listReceipts } from '../receipts.ts'
import { recoverInterrupted } from '../recover.ts'
import { undoReceipt } from '../undo.ts'
import type { Move } from './step.ts'

const KINDS: Record<string, (path: string) => void> = {
  'a file': path => {
    writeFileSync(path, 'old', { mode: 0o640 })
    utimesSync(path, LONG_AGO, LONG_AGO)
  },
  'a folder': path => {
    mkdirSync(path)
    writeFileSync(join(path, 'inside'), 'old')
  },
  'a link': path => symlinkSync('nowhere', path),
}

function contentOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return 'nothing'
  if (stats.isSymbolicLink()) return 'a link'
  return stats.isDirectory()
    ? `a folder with ${readFileSync(join(path, 'inside'), 'utf8')}`
    : readFileSync(path, 'utf8')
}

function prepare(home: string, kind: string, isReplaced: boolean) {
  const path = join(home, 'agent/one.json')
  const to = join(home, 'agent/aside/one.old')
  mkdirSync(dirname(path), { recursive: true })
  KINDS[kind]?.(path)
  const change: Move = {
    type: 'move',
    file: path,
    to,
    damage: 'some-damage',
    reason: 'because',
    ...(isReplaced ? { instead: { bytes: Buffer.from('new'), mode: 0o640, modifiedNs: 1_000_000_000n } } : {}),
  }
  const state = join(home, 'state')
  const identity = identityOf(lstatSync(path, { bigint: true }))
  const request = {
    ...{ state, agent: 'some-agent', sessionId: 'session-1', filePath: path },
    changes: [change],
    planned: [{ file: path, identity }],
  }
  return { path, to, state, request, before: contentOf(path) }
}

describe.each(Object.keys(KINDS))('%s', kind => {
  test.each([true, false])('is moved, and comes back (with something in its place: %s)', async isReplaced => {
    const { path, to, state, request, before } = prepare(quickHome(), kind, isReplaced)
    const { id } = await applyChanges(request)
    expect([contentOf(path), contentOf(to)]).toEqual([isReplaced ? 'new' : 'nothing', before])
    if (isReplaced) expect([statSync(path).mtimeMs, statSync(path).mode & 0o777]).toEqual([1000, 0o640])
    await undoReceipt(state, id)
    expect([contentOf(path), contentOf(to)]).toEqual([before, 'nothing'])
    if (kind === 'a file') expect(statSync(path).mtime).toEqual(LONG_AGO)
  })

  test.each([true, false])('killed at each call (with something in its place: %s)', async isReplaced => {
    const home = quickHome()
    const outcomes = new Set<string>()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      const { path, to, state, request, before } = prepare(join(home, String(at)), kind, isReplaced)
      const fault = killAt(at, 'half')
      isDone = await applyChanges(request).then(
        () => true,
        () => false,
      )
      // A file that is replaced always has its name.
      if (kind === 'a file' && isReplaced) expect(existsSync(path), `call ${at}`).toBe(true)
      fault.lift()
      for (const { outcome } of await recoverInterrupted(state)) outcomes.add(outcome)
      const receipt = listReceipts(state).receipts[0]?.receipt
      if (receipt?.state === 'applied') await undoReceipt(state, receipt.id)
      expect([contentOf(path), contentOf(to)], `call ${at}`).toEqual([before, 'nothing'])
    }
    expect(outcomes).toContain('nothing-changed')
    expect(outcomes).not.toContain('failed')
  })

  test.each([true, false])('the undo killed at each call (with something in its place: %s)', async isReplaced => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      const { path, to, state, request, before } = prepare(join(home, String(at)), kind, isReplaced)
      const { id } = await applyChanges(request)
      const fault = killAt(at, 'half')
      isDone = await undoReceipt(state, id).then(
        () => true,
        () => false,
      )
      fault.lift()
      expect(
        (await recoverInterrupted(state)).filter(({ outcome }) => outcome === 'failed'),
        `call ${at}`,
      ).toEqual([])
      const isUndone = listReceipts(state).receipts[0]?.receipt.state === 'undone'
      const wanted = isUndone ? [before, 'nothing'] : [isReplaced ? 'new' : 'nothing', before]
      expect([contentOf(path), contentOf(to)], `call ${at}`).toEqual(wanted)
    }
  })
})

test('never over something that has the name', async () => {
  const { path, to, request } = prepare(quickHome(), 'a file', true)
  mkdirSync(dirname(to))
  writeFileSync(to, 'of somebody else')
  await expect(applyChanges(request)).rejects.toThrow(/has created it in the meantime/)
  expect([contentOf(path), contentOf(to)]).toEqual(['old', 'of somebody else'])
})

test('on a file system without second names it is moved all the same', async () => {
  const { path, to, request } = prepare(quickHome(), 'a file', true)
  const fault = failWhen('EPERM', name => name === 'link')
  await applyChanges(request)
  fault.lift()
  expect([contentOf(path), contentOf(to)]).toEqual(['new', 'old'])
})

test('a file that changed since it was checked stays', async () => {
  const { path, to, request } = prepare(quickHome(), 'a file', true)
  writeFileSync(path, 'newer than the plan')
  await expect(applyChanges(request)).rejects.toThrow(/written to in the meantime/)
  expect([contentOf(path), contentOf(to)]).toEqual(['newer than the plan', 'nothing'])
})

test('an undo that would lose something is refused', async () => {
  const { path, to, state, request } = prepare(quickHome(), 'a folder', false)
  const { id } = await applyChanges(request)
  writeFileSync(path, 'recreated')
  await expect(undoReceipt(state, id)).rejects.toThrow(/recreated/)
  rmSync(path)
  await undoReceipt(state, id)
  expect([contentOf(path), contentOf(to)]).toEqual(['a folder with old', 'nothing'])
})
