// An agent goes on appending while its log is being repaired, killed or not: every line of it is there in the end, in order.
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyChanges } from '../../src/disk/vault/apply.ts'
import { recoverInterrupted } from '../../src/disk/vault/recover.ts'
import { undoReceipt } from '../../src/disk/vault/undo.ts'
import { CALL_STEP, killAt, quickHome, watchCalls } from '../support/faults.ts'
import { append, putSession, text } from '../support/repairs.ts'
import { expectTidy, killAtEachCall, LOG_REPAIRS, lastReceipt, succeeds } from './scenario.ts'

for (const [kind, changeOf] of Object.entries(LOG_REPAIRS)) {
  test(`a repair ${kind}: a line appended after a kill at any call stays`, async () => {
    await killAtEachCall(changeOf, async (session, before, call) => {
      append(session.file, 'later\n')
      await recoverInterrupted(session.state)
      expect(text(session.file).endsWith('\nlater\n')).toBe(true)
      const receipt = lastReceipt(session)
      if (receipt?.state === 'applied') await undoReceipt(session.state, receipt.id)
      expect(text(session.file), call).toBe(`${before}later\n`)
      expectTidy(session)
    })
  })

  test(`a repair ${kind}: a line appended by name after any call stays`, async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      const session = putSession(join(home, String(at)))
      const before = text(session.file)
      const request = session.request([changeOf(session.file)])
      let calls = 0
      const watch = watchCalls(() => {
        if (++calls === at) append(session.file, 'meanwhile\n')
      })
      const receipt = await applyChanges(request)
      isDone = calls < at
      watch.lift()
      const expected = isDone ? before : `${before}meanwhile\n`
      append(session.file, 'later\n')
      await undoReceipt(session.state, receipt.id)
      expect(text(session.file), `call ${at}`).toBe(`${expected}later\n`)
      expectTidy(session)
    }
  })

  test(`a repair ${kind}: lines written before and after a kill are both there once`, async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP)
      for (const deathAfter of [2, 4]) {
        const session = putSession(join(home, `${at}-${deathAfter}`))
        const before = text(session.file)
        const request = session.request([changeOf(session.file)])
        const agent = appendAcross(session.file, at)
        const fault = killAt(at + 1 + deathAfter, 'before', agent.next)
        isDone = await succeeds(applyChanges(request))
        const isWritten = agent.end()
        fault.lift()
        append(session.file, 'later\n')
        await recoverInterrupted(session.state)
        const receipt = lastReceipt(session)
        if (receipt === undefined) break
        if (receipt.state === 'applied') await undoReceipt(session.state, receipt.id)
        // The first may have to wait for the recovery, and then stands behind the second.
        const tails = isWritten ? ['meanwhile\nlater\n', 'later\nmeanwhile\n'] : ['later\n']
        expect(
          tails.map(tail => before + tail),
          `call ${at}, killed ${deathAfter} later`,
        ).toContain(text(session.file))
      }
  })

  test(`a repair ${kind}: a line written through a handle that was opened before stays, also if all is killed`, async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP)
      for (const deathAfter of [undefined, 1, 3]) {
        const session = putSession(join(home, `${at}-${deathAfter}`))
        const before = text(session.file)
        const request = session.request([changeOf(session.file)])
        const agent = appendAcross(session.file, at)
        const fault =
          deathAfter === undefined ? watchCalls(agent.next) : killAt(at + 1 + deathAfter, 'half', agent.next)
        const isApplied = await succeeds(applyChanges(request))
        const isWritten = agent.end()
        fault.lift()
        await recoverInterrupted(session.state)
        const receipt = lastReceipt(session)
        // Until there is a receipt nothing is touched, and no kill is worth trying.
        if (receipt === undefined && deathAfter !== undefined) break
        if (receipt?.state === 'applied') await undoReceipt(session.state, receipt.id)
        const expected = isWritten ? `${before}meanwhile\n` : before
        expect(text(session.file), `call ${at}, killed ${deathAfter} calls later`).toBe(expected)
        expectTidy(session)
        if (deathAfter !== undefined) continue
        expect(isApplied).toBe(true)
        isDone = !isWritten
      }
  })
}

/** An agent that opens its log after the n-th call, and writes and closes after the next: for some, in the middle of the exchange. */
function appendAcross(file: string, at: number): { next(): void; end(): boolean } {
  let calls = 0
  let handle: number | undefined
  let isWritten = false
  const close = () => {
    if (handle !== undefined) closeSync(handle)
    handle = undefined
  }
  return {
    next() {
      calls++
      if (calls === at) handle = openSync(file, 'a')
      if (calls !== at + 1 || handle === undefined) return
      writeSync(handle, 'meanwhile\n')
      isWritten = true
      close()
    },
    end() {
      close()
      return isWritten
    },
  }
}
