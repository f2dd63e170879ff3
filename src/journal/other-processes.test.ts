// A process of its own that holds a conversation, and what is noticed of it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { identifyProcess } from '../disk/processes/process-identity.ts'
import { OtherProcesses, type OthersChange } from './other-processes.ts'
import { openJournal } from './store/open.ts'
import type { JournalConnection, NewSession } from './store/store.ts'

const session = (id: string): NewSession => ({ id, agent: 'mock', agentSessionId: '', lastConnectionId: 'c', cwd: '/' })

async function follow() {
  const path = join(temporaryHome(), 'journal.sqlite')
  const [store, other] = [await openJournal(path), await openJournal(path)]
  await other.createSession(session('before'))
  const settled: JournalConnection[] = []
  const changes: OthersChange[] = []
  const others = new OtherProcesses({
    store,
    publish: () => undefined,
    isOwn: () => false,
    settle: async ended => void settled.push(...ended),
    onError: error => {
      throw error
    },
  })
  others.on(change => void changes.push(change))
  await others.follow()
  onTestFinished(async () => {
    await others.stop()
    await store.close()
    await other.close()
  })
  return { others, other, settled, changes }
}

test('conversations that another process creates and removes are reported, each once', async () => {
  const { other, changes } = await follow()
  await other.createSession(session('first'))
  await expect.poll(() => changes.flatMap(({ created }) => created)).toEqual(['first'])
  await other.createSession(session('second'))
  await other.destroySession('before')
  await expect.poll(() => changes.flatMap(({ removed }) => removed)).toEqual(['before'])
  await expect.poll(() => changes.flatMap(({ created }) => created)).toEqual(['first', 'second'])
})

test('a process that ends without a word releases what it held, and what it left open is settled', async () => {
  const { other, settled, changes } = await follow()
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => void holder.kill('SIGKILL'))
  const owner = identifyProcess(holder.pid ?? 0)
  if (owner === undefined) throw new Error('The process did not start.')
  await other.beginConnection({ id: 'c', agent: 'mock', beganAt: 1, owner }, '/')
  await other.createSession(session('seen'))
  await expect.poll(() => changes.flatMap(({ created }) => created)).toContain('seen')
  expect(settled).toEqual([])
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await expect.poll(() => changes.some(({ isReleased }) => isReleased)).toBe(true)
  expect(settled).toMatchObject([{ id: 'c' }])
})

test('a holder that a caller has met is released, even if it was gone before the next pass', async () => {
  const { others, other, changes } = await follow()
  const owner = identifyProcess(process.ppid)
  if (owner === undefined) throw new Error('The parent of this process is gone.')
  const begun = { id: 'c', agent: 'mock', beganAt: 1, owner }
  const holder: JournalConnection = { ...begun, endedAt: undefined, process: undefined }
  others.publishRelease(holder)
  await expect.poll(() => changes.map(({ isReleased }) => isReleased)).toEqual([true])
  await other.beginConnection(begun, '/')
  others.publishRelease(holder)
  await other.createSession(session('later'))
  await expect.poll(() => changes.flatMap(({ created }) => created)).toEqual(['later'])
  expect(changes.filter(({ isReleased }) => isReleased)).toHaveLength(1)
  await other.endConnection('c')
  await expect.poll(() => changes.filter(({ isReleased }) => isReleased).length).toBe(2)
})
