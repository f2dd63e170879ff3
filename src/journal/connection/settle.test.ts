// What an exited rethread left open: which agents are ended, what is settled, and what is left to a living
// process.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { sampleSession } from '../../../test/support/journal/samples.ts'
import type { ProcessIdentity } from '../../disk/processes/process-identity.ts'
import { identifyProcess } from '../../disk/processes/process-identity.ts'
import { openJournal } from '../store/open.ts'
import type { JournalEvent, JournalStore } from '../store/store.ts'
import { markOf } from './agent-process.ts'
import { fenceConnection, settleAbandoned } from './settle.ts'

/** Of this run alone: processes are found by it, and another run may be at work on the same machine. */
const CONNECTION = `connection-${randomUUID()}`
const GONE: ProcessIdentity = { pid: 4_000_000, began: 'long ago' }

async function leftOpen(owner: ProcessIdentity): Promise<JournalStore> {
  const store = await openJournal(`${temporaryHome()}/journal.sqlite`)
  onTestFinished(async () => await store.close())
  await store.beginConnection({ id: CONNECTION, agent: 'mock', beganAt: 1, owner }, '/')
  await store.createSession({ ...sampleSession('s'), lastConnectionId: CONNECTION })
  await store.updateSession('s', { openTurns: 1 })
  return store
}

function settle(store: JournalStore, isHeld: boolean, notified: JournalEvent[] = []) {
  return settleAbandoned({ store, isHeld: () => isHeld, publish: event => void notified.push(event) })
}

test('an abandoned turn is settled, published, and settled only once', async () => {
  const store = await leftOpen(GONE)
  const notified: JournalEvent[] = []
  expect(await settle(store, false, notified)).toEqual({ sessions: ['s'], fenced: 0 })
  expect(notified).toMatchObject([{ sessionId: 's', seq: 1, kind: '_rethread/settled', connectionId: CONNECTION }])
  expect(await store.getSession('s')).toMatchObject({ openTurns: 0 })
  expect(await store.listOpenConnections()).toEqual([])
  expect(await settle(store, false)).toEqual({ sessions: [], fenced: 0 })
  expect(await store.count('s')).toBe(1)
})

test('the sessions of a living process are left alone', async () => {
  const store = await leftOpen(identifyProcess(process.pid) ?? GONE)
  expect(await settle(store, true)).toEqual({ sessions: [], fenced: 0 })
  expect(await store.getSession('s')).toMatchObject({ openTurns: 1 })
  expect(await store.listOpenConnections()).toHaveLength(1)
})

test('two that settle at once do no harm', async () => {
  const store = await leftOpen(GONE)
  await Promise.all([settle(store, false), settle(store, false)])
  expect(await store.getSession('s')).toMatchObject({ openTurns: 0 })
})

test('an agent whose number was never noted is found by its mark, and so is what it started in a session of its own', async () => {
  const store = await leftOpen(GONE)
  const [name = '', value = ''] = markOf(CONNECTION).split('=')
  const child = spawn('sleep', ['60'], { env: { PATH: process.env['PATH'] ?? '', [name]: value }, detached: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  const ended = once(child, 'exit')
  expect(await fenceConnection(store, CONNECTION)).toBe(1)
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect(await fenceConnection(store, CONNECTION)).toBe(0)
})
