// A plan over several files, killed or failing anywhere: all of it is there in the end, or nothing of it.
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { applyChanges } from '../../src/disk/vault/apply.ts'
import { recoverInterrupted } from '../../src/disk/vault/recover.ts'
import { undoReceipt } from '../../src/disk/vault/undo.ts'
import type { Change } from '../../src/model/plan.ts'
import { CALL_STEP, failAt, killAt, quickHome, WRITING } from '../support/faults.ts'
import { put } from '../support/home.ts'
import { edit, LOG, patch, putSession, remove, type Session, text, write } from '../support/repairs.ts'
import { expectTidy, lastReceipt, succeeds } from './scenario.ts'

function putMany(home: string): { session: Session; changes: Change[] } {
  const session = putSession(home)
  const [index, part] = [put(home, 'agent/index.json', '[1,2,3'), put(home, 'agent/part.json', '{"torn')]
  const second = put(home, 'agent/second.jsonl', LOG)
  const changes = [
    patch(session.file, edit(session.file, 'bbbb', 'aaaa')),
    remove(part),
    patch(second, edit(second, '"n":2', '"n":22')),
    write(join(dirname(index), 'rebuilt.json'), '{"whole":true}'),
    write(index, '[1,2,3]'),
  ]
  return { session, changes }
}

const AFTER = {
  'index.json': '[1,2,3]',
  'rebuilt.json': '{"whole":true}',
  'second.jsonl': LOG.replace('"n":2', '"n":22'),
  'session.jsonl': LOG.replace('bbbb', 'aaaa'),
}
const BEFORE = { 'index.json': '[1,2,3', 'part.json': '{"torn', 'second.jsonl': LOG, 'session.jsonl': LOG }

function folderOf({ file }: Session): Record<string, string> {
  const folder = dirname(file)
  return Object.fromEntries(readdirSync(folder).map(name => [name, text(join(folder, name))]))
}

test('a plan over several files is all there, and is taken back whole', async () => {
  const { session, changes } = putMany(quickHome())
  const receipt = await applyChanges(session.request(changes))
  expect(folderOf(session)).toEqual(AFTER)
  await undoReceipt(session.state, receipt.id)
  expect(folderOf(session)).toEqual(BEFORE)
})

test('a plan over several files, killed at each call', async () => {
  const home = quickHome()
  const states = new Set<string | undefined>()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const { session, changes } = putMany(join(home, String(at)))
    const request = session.request(changes)
    const fault = killAt(at, 'half')
    isDone = await succeeds(applyChanges(request))
    fault.lift()
    await recoverInterrupted(session.state)
    const state = lastReceipt(session)?.state
    states.add(state)
    expect(folderOf(session), `call ${at}`).toEqual(state === 'applied' ? AFTER : BEFORE)
    expectTidy(session)
  }
  expect([...states].sort()).toEqual(['applied', 'rolled-back', undefined])
})

test('a plan over several files, with one call that fails', async () => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const { session, changes } = putMany(join(home, String(at)))
    const request = session.request(changes)
    const fault = failAt(at, 'EIO', WRITING, true)
    const isApplied = await succeeds(applyChanges(request))
    isDone = fault.calls() < at
    fault.lift()
    expect(folderOf(session), `call ${at}`).toEqual(isApplied ? AFTER : BEFORE)
  }
})

test('the undo of a plan over several files, killed at each call', async () => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const { session, changes } = putMany(join(home, String(at)))
    const receipt = await applyChanges(session.request(changes))
    const fault = killAt(at, 'half')
    isDone = await succeeds(undoReceipt(session.state, receipt.id))
    fault.lift()
    await recoverInterrupted(session.state)
    expect(folderOf(session), `call ${at}`).toEqual(lastReceipt(session)?.state === 'undone' ? BEFORE : AFTER)
    expectTidy(session)
  }
})
