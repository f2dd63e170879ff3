// Killed at every single call that writes: the next run finds the old file or the new one, whole, and says which.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyChanges } from '../../src/disk/vault/apply.ts'
import { recoverInterrupted } from '../../src/disk/vault/recover.ts'
import { undoReceipt } from '../../src/disk/vault/undo.ts'
import { CALL_STEP, killAt, quickHome } from '../support/faults.ts'
import { LONG_AGO, putSession, text } from '../support/repairs.ts'
import { contentOf, expectTidy, killAtEachCall, lastReceipt, REPAIRS, succeeds } from './scenario.ts'

for (const [kind, changeOf] of Object.entries(REPAIRS))
  test(`a repair ${kind}, killed at each call`, async () => {
    const outcomes = new Set<string>()
    await killAtEachCall(changeOf, async (session, before, call) => {
      for (const { outcome } of await recoverInterrupted(session.state)) outcomes.add(outcome)
      expectTidy(session)
      expect(await recoverInterrupted(session.state)).toEqual([])
      const receipt = lastReceipt(session)
      if (receipt?.state === 'applied') {
        expect(contentOf(session.file), call).not.toBe(before)
        await undoReceipt(session.state, receipt.id)
      } else expect(['rolled-back', undefined], call).toContain(receipt?.state)
      expect(contentOf(session.file), call).toBe(before)
      expect(statSync(session.file).mtime, call).toEqual(LONG_AGO)
    })
    expect([...outcomes].sort()).toEqual(['finished', 'nothing-changed', 'taken-back'])
  })

for (const [kind, changeOf] of Object.entries(REPAIRS))
  test(`the undo of a repair ${kind}, killed at each call`, async () => {
    const home = quickHome()
    const outcomes = new Set<string>()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      const session = putSession(join(home, String(at)))
      const before = text(session.file)
      const receipt = await applyChanges(session.request([changeOf(session.file)]))
      const repaired = contentOf(session.file)
      const fault = killAt(at, 'half')
      isDone = await succeeds(undoReceipt(session.state, receipt.id))
      fault.lift()
      for (const { outcome } of await recoverInterrupted(session.state)) outcomes.add(outcome)
      expectTidy(session)
      const isUndone = lastReceipt(session)?.state === 'undone'
      expect(contentOf(session.file), `call ${at}`).toBe(isUndone ? before : repaired)
      if (isUndone) expect(statSync(session.file).mtime, `call ${at}`).toEqual(LONG_AGO)
      else outcomes.add('not begun')
    }
    expect([...outcomes].sort()).toEqual(['not begun', 'undo-finished'])
  })

for (const [kind, changeOf] of Object.entries(REPAIRS))
  test(`the recovery of a repair ${kind}, itself killed at each call`, async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      // Over the loop, every call of a recovery is met.
      const again = 1 + ((at * 5) % 26)
      const session = putSession(join(home, `${at}-${again}`))
      const before = text(session.file)
      const request = session.request([changeOf(session.file)])
      const first = killAt(at, 'half')
      isDone = await succeeds(applyChanges(request))
      first.lift()
      const second = killAt(again, 'half')
      await succeeds(recoverInterrupted(session.state))
      second.lift()
      await recoverInterrupted(session.state)
      expectTidy(session)
      const receipt = lastReceipt(session)
      if (receipt?.state === 'applied') await undoReceipt(session.state, receipt.id)
      else expect(['rolled-back', undefined]).toContain(receipt?.state)
      expect(contentOf(session.file), `calls ${at} and ${again}`).toBe(before)
    }
  })
