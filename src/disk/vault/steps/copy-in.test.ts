import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { killAt, quickHome } from '../../../../test/support/faults.ts'
import { put } from '../../../../test/support/home.ts'
import { LOG, plannedFor, putSession, strangersBeside } from '../../../../test/support/repairs.ts'
import { injectFiles, nodeFiles } from '../../files/system-calls.ts'
import { type ApplyRequest, applyChanges } from '../apply.ts'
import { listReceipts } from '../receipts.ts'
import { recoverInterrupted } from '../recover.ts'
import { undoReceipt } from '../undo.ts'
import type { CopyIn } from './step.ts'

/** A session of which only `left` is there, and a copy of all of it. */
function prepare(home: string, left: string | undefined) {
  const { file, state, request } = putSession(home)
  const from = put(home, 'copies/session.jsonl', LOG)
  if (left === undefined) rmSync(file)
  else writeFileSync(file, left)
  const change: CopyIn = {
    type: 'copy-in',
    file,
    from,
    size: LOG.length,
    sha256: createHash('sha256').update(LOG).digest('hex'),
    owner: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: 0o640 },
    damage: 'lost-content',
    reason: 'because',
  }
  const copyIn: ApplyRequest = {
    ...request([]),
    changes: [change],
    planned: left === undefined ? [] : plannedFor([{ type: 'patch', file, edits: [] }]),
  }
  return { file, from, state, copyIn, now: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined) }
}

/** The same from content that is read piece by piece, as from the archive. */
function streamed(prepared: ReturnType<typeof prepare>, pieces: readonly string[] = [LOG.slice(0, 20), LOG.slice(20)]) {
  const { copyIn } = prepared
  async function* read() {
    for (const piece of pieces) yield Buffer.from(piece)
  }
  const changes = copyIn.changes.map(change => {
    if (change.type !== 'copy-in') throw new Error('not a copy')
    const { file, size, owner, damage, reason } = change
    return { type: 'stream-in' as const, file, size, owner, damage, reason, read }
  })
  return { ...prepared, copyIn: { ...copyIn, changes } }
}

describe.each([
  ['that is gone', undefined],
  ['of which little is left', 'a rest\n'],
])('a file %s, from a stream', (_, left) => {
  test('is there, is undone, and leaves no second copy', async () => {
    const { state, file, copyIn, now } = streamed(prepare(quickHome(), left))
    const receipt = await applyChanges(copyIn)
    expect(now()).toBe(LOG)
    expect(statSync(file).mode & 0o777).toBe(left === undefined ? 0o640 : 0o644)
    const added = join(state, 'vault/some-agent/session-1', receipt.id, 'added')
    expect(readdirSync(added)).toEqual([])
    await undoReceipt(state, receipt.id)
    expect(now()).toBe(left)
  })

  test('is written on another disk too', async () => {
    const { copyIn, now } = streamed(prepare(quickHome(), left))
    const rename = (from: string, to: string): void => {
      if (from.includes('/added/')) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
      nodeFiles.rename(from, to)
    }
    onTestFinished(injectFiles({ ...nodeFiles, rename }))
    await applyChanges(copyIn)
    expect(now()).toBe(LOG)
  })

  test('is as it was or whole whenever we are killed', async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at++) {
      const { file, state, copyIn, now } = streamed(prepare(join(home, String(at)), left))
      const fault = killAt(at, 'half')
      isDone = await applyChanges(copyIn).then(
        () => true,
        () => false,
      )
      fault.lift()
      await recoverInterrupted(state)
      const last = listReceipts(state).receipts[0]?.receipt.state
      expect(now(), `call ${at}`).toBe(last === 'applied' ? LOG : left)
      expect(strangersBeside(file), `call ${at}`).toEqual([])
    }
  })

  test('is left as it was where the stream ends early or fails', async () => {
    const { state, copyIn, now } = streamed(prepare(quickHome(), left), [LOG.slice(0, 20)])
    await expect(applyChanges(copyIn)).rejects.toMatchObject({ code: 'repair-failed' })
    expect(now()).toBe(left)
    expect(listReceipts(state).receipts).toEqual([])
  })
})

describe.each([
  ['that is gone', undefined],
  ['of which little is left', 'a rest\n'],
])('a file %s', (_, left) => {
  test('is there again, and does not need the copy any more', async () => {
    const { state, copyIn, from, now } = prepare(quickHome(), left)
    const receipt = await applyChanges(copyIn)
    rmSync(from)
    expect(now()).toBe(LOG)
    await undoReceipt(state, receipt.id)
    expect(now()).toBe(left)
    expect(readFileSync(join(state, 'vault/some-agent/session-1', receipt.id, 'added/0-session.jsonl'), 'utf8')).toBe(
      LOG,
    )
  })

  test('is as it was or whole whenever we are killed', async () => {
    const home = quickHome()
    const states = new Set<string | undefined>()
    for (let at = 1, isDone = false; !isDone; at++) {
      const { file, state, copyIn, now } = prepare(join(home, String(at)), left)
      const fault = killAt(at, 'half')
      isDone = await applyChanges(copyIn).then(
        () => true,
        () => false,
      )
      fault.lift()
      await recoverInterrupted(state)
      const last = listReceipts(state).receipts[0]?.receipt.state
      states.add(last)
      expect(now(), `call ${at}`).toBe(last === 'applied' ? LOG : left)
      expect(strangersBeside(file), `call ${at}`).toEqual([])
    }
    expect([...states].sort()).toEqual(['applied', 'rolled-back', undefined])
  })

  test('is not replaced by a copy that is damaged itself', async () => {
    const { state, copyIn, from, now } = prepare(quickHome(), left)
    writeFileSync(from, LOG.replace('aaaa', 'xxxx'))
    await expect(applyChanges(copyIn)).rejects.toMatchObject({ code: 'repair-failed', path: from })
    expect(now()).toBe(left)
    expect(listReceipts(state).receipts).toEqual([])
  })
})
