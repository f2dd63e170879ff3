import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickHome } from '../../../test/support/faults.ts'
import { put } from '../../../test/support/home.ts'
import { append, edit, LOG, LONG_AGO, patch, putSession, remove, text, write } from '../../../test/support/repairs.ts'
import type { Change } from '../../model/plan.ts'
import { applyChanges } from './apply.ts'
import { findReceipt } from './receipts.ts'
import { undoReceipt } from './undo.ts'
import { vaultFolder } from './vault.ts'

const KINDS: [string, (file: string) => Change][] = [
  ['in place', file => patch(file, edit(file, 'bbbb', 'aaaa'))],
  ['that changes the length', file => patch(file, edit(file, 'bbbb', 'longer'))],
]

describe.each(KINDS)('the undo of a repair %s', (_, changeOf) => {
  test('gives the very bytes back, and the time', async () => {
    const { file, request, state } = putSession(quickHome())
    const { id } = await applyChanges(request([changeOf(file)]))
    const { receipt, restored } = await undoReceipt(state, id)
    expect(text(file)).toBe(LOG)
    expect(statSync(file).mtime).toEqual(LONG_AGO)
    expect([receipt.state, restored]).toEqual(['undone', [file]])
  })

  test('keeps what was added since, and its time', async () => {
    const { file, request, state } = putSession(quickHome())
    const { id } = await applyChanges(request([changeOf(file)]))
    append(file, 'more\n')
    const { mtimeMs } = statSync(file)
    await undoReceipt(state, id)
    expect(text(file)).toBe(`${LOG}more\n`)
    expect(statSync(file).mtimeMs).toBeCloseTo(mtimeMs, 2)
  })

  test('is refused where what was repaired has been changed since, and says where the old file is', async () => {
    const { file, request, state } = putSession(quickHome())
    const receipt = await applyChanges(request([changeOf(file)]))
    const changed = text(file).replace('"n":3', '"n":4')
    for (const happen of [() => writeFileSync(file, changed), () => truncateSync(file, 10), () => rmSync(file)]) {
      happen()
      const left = existsSync(file) ? text(file) : undefined
      const backup = join(vaultFolder(state, receipt), 'backup/0-session.jsonl')
      await expect(undoReceipt(state, receipt.id)).rejects.toMatchObject({
        code: 'undo-conflict',
        path: file,
        message: expect.stringContaining(backup),
      })
      expect(existsSync(file) ? text(file) : undefined).toBe(left)
      expect(text(backup)).toBe(LOG)
    }
    expect(findReceipt(state, receipt.id).receipt.state).toBe('applied')
  })
})

test('an undo is not undone, and says what to do instead', async () => {
  const { file, request, state } = putSession(quickHome())
  const { id } = await applyChanges(request([patch(file, edit(file, 'bbbb', 'aaaa'))]))
  await undoReceipt(state, id)
  await expect(undoReceipt(state, id)).rejects.toMatchObject({
    code: 'undo-conflict',
    message: expect.stringContaining('repair the session again'),
  })
  expect(text(file)).toBe(LOG)
})

test('repairs on top of each other are undone from the last', async () => {
  const { file, request, state } = putSession(quickHome())
  const first = await applyChanges(request([patch(file, edit(file, 'aaaa', 'longer'))]))
  const second = await applyChanges(request([patch(file, edit(file, 'bbbb', 'zzzz'))]))
  await expect(undoReceipt(state, first.id)).rejects.toMatchObject({ code: 'undo-conflict' })
  await undoReceipt(state, second.id)
  await undoReceipt(state, first.id)
  expect(text(file)).toBe(LOG)
})

describe('the undo of a removal', () => {
  test('puts the file back where it was', async () => {
    const { file, request, state } = putSession(quickHome())
    const { mode } = statSync(file)
    const { id } = await applyChanges(request([remove(file)]))
    await undoReceipt(state, id)
    expect([text(file), statSync(file).mode, statSync(file).mtime]).toEqual([LOG, mode, LONG_AGO])
  })

  test('does not put it over one that was made since; the rest can still be taken back', async () => {
    const { home, file, request, state } = putSession(quickHome())
    const index = put(home, 'agent/index.json', 'old')
    const { id } = await applyChanges(request([patch(file, edit(file, 'bbbb', 'longer')), remove(index)]))
    put(home, 'agent/index.json', 'new')
    await expect(undoReceipt(state, id)).rejects.toMatchObject({ code: 'undo-conflict', path: index })
    expect(text(file)).not.toBe(LOG)
    const { left, restored } = await undoReceipt(state, id, { leaveRecreated: true })
    expect([left, restored]).toEqual([[index], [file]])
    expect([text(index), text(file)]).toEqual(['new', LOG])
  })
})

describe('the undo of a written file', () => {
  test('removes it, or puts the old one back', async () => {
    const { home, request, state } = putSession(quickHome())
    const [old, fresh] = [put(home, 'agent/old.json', '[1'), join(home, 'agent/fresh.json')]
    const { id } = await applyChanges(request([write(old, '[1]'), write(fresh, '{}')]))
    await undoReceipt(state, id)
    expect([text(old), existsSync(fresh)]).toEqual(['[1', false])
  })

  test('is refused where it has been written to since', async () => {
    const { home, request, state } = putSession(quickHome())
    const fresh = join(home, 'agent/fresh.json')
    const { id } = await applyChanges(request([write(fresh, '{}')]))
    writeFileSync(fresh, '{"used":1}')
    await expect(undoReceipt(state, id)).rejects.toMatchObject({ code: 'undo-conflict' })
    expect(text(fresh)).toBe('{"used":1}')
  })
})
