// A disk that fails or is full at any call: the repair is done or the files are as they were, and it is reported.
import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyChanges } from '../../src/disk/vault/apply.ts'
import { listReceipts } from '../../src/disk/vault/receipts.ts'
import { recoverInterrupted } from '../../src/disk/vault/recover.ts'
import { undoReceipt } from '../../src/disk/vault/undo.ts'
import { hasErrorCode, RethreadError } from '../../src/model/errors.ts'
import {
  CALL_STEP,
  failAt,
  failWhen,
  NEEDS_SPACE,
  quickHome,
  WRITING,
  watchCalls,
  writeAtMost,
} from '../support/faults.ts'
import { put } from '../support/home.ts'
import { FIRST, LONG_AGO, putSession, SECOND, text } from '../support/repairs.ts'
import { contentOf, expectTidy, LOG_REPAIRS, lastReceipt, REPAIRS } from './scenario.ts'

/** Of the repair in place. */
const SECOND_EDIT = FIRST.length + SECOND.indexOf('bbbb')

for (const [kind, changeOf] of Object.entries(REPAIRS)) {
  test(`a repair ${kind}: one call that fails takes everything back`, async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      const session = putSession(join(home, String(at)))
      const before = text(session.file)
      const request = session.request([changeOf(session.file)])
      const fault = failAt(at, 'EIO', WRITING, true)
      const error = await applyChanges(request).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      isDone = fault.calls() < at
      fault.lift()
      await recoverInterrupted(session.state)
      expectTidy(session)
      if (error === undefined) {
        expect(lastReceipt(session)?.state, `call ${at}`).toBe('applied')
        expect(contentOf(session.file)).not.toBe(before)
        continue
      }
      expect(error, `call ${at}`).toBeInstanceOf(RethreadError)
      expect(error).toMatchObject({ code: 'io-error', message: expect.stringContaining('EIO') })
      expect(contentOf(session.file), `call ${at}`).toBe(before)
      expect(statSync(session.file).mtime, `call ${at}`).toEqual(LONG_AGO)
    }
  })

  test(`a repair ${kind}: on a disk that is full from some call on, nothing is lost`, async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      const session = putSession(join(home, String(at)))
      const before = text(session.file)
      const request = session.request([changeOf(session.file)])
      const fault = failAt(at, 'ENOSPC', NEEDS_SPACE, false)
      const code = await applyChanges(request).then(
        () => undefined,
        (reason: unknown) => (reason instanceof RethreadError ? reason.code : String(reason)),
      )
      isDone = code === undefined
      fault.lift()
      expect([undefined, 'no-space', 'rollback-failed'], `call ${at}`).toContain(code)
      await recoverInterrupted(session.state)
      expectTidy(session)
      const receipt = lastReceipt(session)
      if (receipt?.state === 'applied') await undoReceipt(session.state, receipt.id)
      expect(contentOf(session.file), `call ${at}`).toBe(before)
    }
  })

  test(`a repair ${kind}: writes that take only a few bytes at a time make no difference`, async () => {
    const session = putSession(quickHome())
    const before = text(session.file)
    const request = session.request([changeOf(session.file)])
    const fault = writeAtMost(3)
    const receipt = await applyChanges(request)
    expect(contentOf(session.file)).not.toBe(before)
    await undoReceipt(session.state, receipt.id)
    fault.lift()
    expect(text(session.file)).toBe(before)
    expectTidy(session)
  })

  test(`a repair ${kind}: another file that takes the place at any moment is never touched`, async () => {
    const home = quickHome()
    const outcomes = new Set<string>()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      const session = putSession(join(home, String(at)))
      const request = session.request([changeOf(session.file)])
      const other = put(join(home, String(at)), 'agent/other', 'another session\n')
      let calls = 0
      const watch = watchCalls(() => {
        if (++calls === at) renameSync(other, session.file)
      })
      const code = await applyChanges(request).then(
        () => 'applied',
        (reason: unknown) => (reason instanceof RethreadError ? reason.code : String(reason)),
      )
      watch.lift()
      isDone = calls < at
      if (!isDone) expect(contentOf(session.file), `call ${at}`).toBe('another session\n')
      outcomes.add(code)
      expect(await recoverInterrupted(session.state)).toEqual([])
      expectTidy(session)
    }
    expect([...outcomes].sort()).toEqual(['applied', 'plan-outdated'])
  })
}

for (const [kind, changeOf] of Object.entries(LOG_REPAIRS))
  test(`a repair ${kind}: when taking it back fails too, it is said where everything is`, async () => {
    const session = putSession(quickHome())
    const request = session.request([changeOf(session.file)])
    // The second edit, or the exchange of the files; and from there on everything.
    let isFailing = false
    const fault = failWhen('EIO', (name, _, [target, , position]) => {
      if (name === 'write' && position === SECOND_EDIT) isFailing = true
      if (name === 'unlink' && String(target).includes('-at-')) isFailing = true
      return isFailing
    })
    const error: unknown = await applyChanges(request).catch((reason: unknown) => reason)
    fault.lift()
    if (!(error instanceof RethreadError)) throw error
    expect(hasErrorCode(error, 'rollback-failed')).toBe(true)
    const folder = listReceipts(session.state).receipts[0]?.folder
    expect(error.message).toContain(`${session.file} as it was: ${folder}/backup/0-session.jsonl`)
    const [notified] = await recoverInterrupted(session.state)
    expect(notified?.text).toContain(session.file)
    expectTidy(session)
  })
