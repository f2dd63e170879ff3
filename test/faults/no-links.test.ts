// File systems that know no second name for a file: the net behind the exchange is missing there, what comes before it must do.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { files, injectFiles, nodeFiles } from '../../src/disk/files/system-calls.ts'
import { applyChanges } from '../../src/disk/vault/apply.ts'
import { recoverInterrupted } from '../../src/disk/vault/recover.ts'
import { undoReceipt } from '../../src/disk/vault/undo.ts'
import { CALL_STEP, killAt, quickHome, watchCalls } from '../support/faults.ts'
import { temporaryHome } from '../support/home.ts'
import { append, edit, LOG, patch, putSession, text } from '../support/repairs.ts'
import { startWriter } from '../support/writer.ts'
import { contentOf, expectTidy, lastReceipt, REPAIRS, succeeds } from './scenario.ts'

const cannotLink = () => {
  throw Object.assign(new Error('EPERM: no second names here'), { code: 'EPERM' })
}

/** On top of what is injected already. */
function withoutLinks(): void {
  onTestFinished(injectFiles({ ...files(), link: cannotLink }))
}

for (const [kind, changeOf] of Object.entries(REPAIRS))
  test(`a repair ${kind} and its undo work, and are settled when killed at any call`, async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
      const session = putSession(join(home, String(at)))
      const request = session.request([changeOf(session.file)])
      const fault = killAt(at, 'half', undefined, { link: cannotLink })
      isDone = await succeeds(applyChanges(request))
      fault.lift()
      await recoverInterrupted(session.state)
      const receipt = lastReceipt(session)
      if (receipt?.state === 'applied') await undoReceipt(session.state, receipt.id)
      expect(contentOf(session.file), `call ${at}`).toBe(LOG)
      expectTidy(session)
    }
  })

test('a line appended by name before or after any call stays', async () => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const session = putSession(join(home, String(at)))
    const request = session.request([patch(session.file, edit(session.file, 'aaaa', 'longer'))])
    let calls = 0
    const then = () => {
      if (++calls === at) append(session.file, 'meanwhile\n')
    }
    const watch = watchCalls(then, { ...files(), link: cannotLink })
    const receipt = await applyChanges(request)
    watch.lift()
    isDone = calls < at
    await undoReceipt(session.state, receipt.id)
    expect(text(session.file), `call ${at}`).toBe(isDone ? LOG : `${LOG}meanwhile\n`)
  }
})

test('a line appended while the new file is being written stays, even if all is killed at any later call', async () => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const session = putSession(join(home, String(at)))
    const request = session.request([patch(session.file, edit(session.file, 'aaaa', 'longer'))])
    let isAppended = false
    const then = (name: string, [path]: unknown[]) => {
      if (name !== 'create' || !String(path).includes('rethread-tmp')) return
      append(session.file, 'meanwhile\n')
      isAppended = true
    }
    const fault = killAt(at, 'half', then, { link: cannotLink })
    isDone = await succeeds(applyChanges(request))
    fault.lift()
    await recoverInterrupted(session.state)
    const receipt = lastReceipt(session)
    if (receipt?.state === 'applied') await undoReceipt(session.state, receipt.id)
    expect(text(session.file), `call ${at}`).toBe(isAppended ? `${LOG}meanwhile\n` : LOG)
  }
})

test('a log that somebody keeps open is not replaced', async () => {
  withoutLinks()
  const session = putSession(temporaryHome())
  const agent = startWriter(
    session.file,
    "import { openSync } from 'node:fs'; openSync(path, 'a'); say('open'); await next()",
  )
  await agent.heard()
  const { ino } = nodeFiles.stat(session.file)
  const repair = applyChanges(session.request([patch(session.file, edit(session.file, 'aaaa', 'longer'))]))
  await expect(repair).rejects.toMatchObject({ code: 'busy' })
  expect(nodeFiles.stat(session.file).ino).toBe(ino)
  expect(text(session.file)).toBe(LOG)
})
