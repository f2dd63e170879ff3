import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import { liveSessions, makeLibrary, refreshFully, rowOf } from '../../../../test/support/live-sessions.ts'
import type { StartThread } from '../../../threads/options.ts'
import { keyOfSession } from '../index.ts'

/** The first thread runs this in place of its own file; those after it are real. */
function firstThread(script: string): { start: StartThread; setUps: unknown[] } {
  const setUps: unknown[] = []
  const start: StartThread = (file, options) => {
    setUps.push(options.workerData)
    return setUps.length === 1 ? new Worker(script, { ...options, eval: true }) : new Worker(file, options)
  }
  return { start, setUps }
}

test('a thread that dies is a failure with a hint, and the next refresh starts another', async () => {
  const home = temporaryHome()
  const made = makeLibrary(home, 2, { agents: ['codex'] })
  const { start } = firstThread('throw new Error("boom")')
  const sessions = liveSessions(home, { startWorker: start })
  await sessions.refresh()
  expect(sessions.failures).toMatchObject([{ code: 'fault', text: expect.stringContaining('boom') }])
  expect(sessions.failures[0]?.hint).not.toBe('')
  expect(sessions.progress.phase).toBe('done')
  await refreshFully(sessions)
  expect(sessions.failures).toEqual([])
  expect(sessions.query({}).total).toBe(made.length)
})

test('what was known stays when the thread dies, and the next thread says what is gone', async () => {
  const home = temporaryHome()
  const [made] = makeLibrary(home, 1, { agents: ['codex'] })
  const workers: Worker[] = []
  const sessions = liveSessions(home, {
    startWorker(file, options) {
      const worker = new Worker(file, options)
      workers.push(worker)
      return worker
    },
  })
  await refreshFully(sessions)
  await workers[0]?.terminate()
  expect(sessions.failures).toHaveLength(1)
  expect(rowOf(sessions, made?.sessionId ?? '')).toMatchObject({ messageCount: made?.messages })
  const { rmSync } = await import('node:fs')
  rmSync(made?.file ?? '')
  await sessions.refresh()
  expect(workers).toHaveLength(2)
  expect(sessions.counts().sessions).toBe(0)
})

test('a session at which a thread died is listed as unreadable and not read again', async () => {
  const home = temporaryHome()
  const [made] = makeLibrary(home, 1, { agents: ['codex'] })
  if (made === undefined) throw new Error('no session')
  const key = keyOfSession({ agent: 'codex', sessionId: made.sessionId, filePath: made.file })
  const script = `require('node:worker_threads').parentPort.once('message', () => {
    require('node:worker_threads').parentPort.postMessage({ type: 'notice', notice: { type: 'reads', key: '${key}' } })
    setImmediate(() => { throw new Error('out of memory') })
  })`
  const { start } = firstThread(script)
  const sessions = liveSessions(home, { startWorker: start })
  await sessions.refresh()
  await refreshFully(sessions)
  expect(sessions.get(key)?.row).toMatchObject({ status: 'unreadable', messageCount: null })
  expect(sessions.failures).toMatchObject([
    { agent: 'codex', path: made.file, hint: expect.stringContaining('rethread check') },
  ])
})

test('asking for one session fails where the thread dies over it', async () => {
  const home = temporaryHome()
  const [made] = makeLibrary(home, 1, { agents: ['warp'] })
  const workers: Worker[] = []
  const start: StartThread = (file, options) => {
    const worker = new Worker(file, options)
    workers.push(worker)
    return worker
  }
  const sessions = liveSessions(home, { startWorker: start })
  await refreshFully(sessions)
  const renewal = sessions.renew(sessions.find(made?.sessionId ?? '')?.key ?? '')
  void workers[0]?.terminate()
  await expect(renewal).rejects.toMatchObject({ code: 'fault' })
})

test('a closed catalog scans nothing any more, and refuses requests for agents', async () => {
  const sessions = liveSessions(temporaryHome())
  await sessions.close()
  await sessions.refresh()
  await expect(sessions.agents()).rejects.toMatchObject({ code: 'fault' })
})
