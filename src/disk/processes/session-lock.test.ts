import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { startWriter } from '../../../test/support/writer.ts'
import { lockSession, withLock } from './session-lock.ts'

const SESSION = { agent: 'some-agent', sessionId: 'one' }
const refused = expect.objectContaining({ code: 'locked' })

test('a session is locked for everybody else until it is released', () => {
  const state = join(temporaryHome(), 'state')
  const lock = lockSession(state, SESSION)
  expect(() => lockSession(state, SESSION)).toThrow(refused)
  lockSession(state, { ...SESSION, sessionId: 'two' }).release()
  lock.release()
  lockSession(state, SESSION).release()
})

test('sessions that live in the same database exclude each other', () => {
  const state = temporaryHome()
  const lock = lockSession(state, { ...SESSION, databases: ['/store.db'] })
  expect(() => lockSession(state, { ...SESSION, sessionId: 'two', databases: ['/store.db'] })).toThrow(refused)
  // What was taken before the refusal is given back.
  lockSession(state, { ...SESSION, sessionId: 'two' }).release()
  lock.release()
})

test('a lock is released when the work fails', async () => {
  const state = temporaryHome()
  const work = withLock(state, SESSION, () => Promise.reject(new Error('failed')))
  await expect(work).rejects.toThrow('failed')
  lockSession(state, SESSION).release()
})

test('a lock is gone with its process, even if that was killed, and nothing lies beside it', async () => {
  const state = temporaryHome()
  const module = pathToFileURL(join(import.meta.dirname, 'session-lock.ts')).href
  const other = startWriter(
    state,
    `import { lockSession } from '${module}'
     globalThis.kept = lockSession(path, ${JSON.stringify(SESSION)})
     say(String(process.pid))
     await next()`,
  )
  const pid = await other.heard()
  expect(() => lockSession(state, SESSION)).toThrow(`process ${pid}`)
  await other.kill()
  lockSession(state, SESSION).release()
  expect(readdirSync(join(state, 'locks'))).toHaveLength(1)
})
