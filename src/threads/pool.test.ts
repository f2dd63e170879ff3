import { globSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { EchoCalls } from '../../test/support/echo-worker.ts'
import { RethreadError } from '../model/errors.ts'
import type { PoolOptions } from './options.ts'
import { ThreadPool } from './pool.ts'

const FILE = new URL('../../test/support/echo-worker.ts', import.meta.url)

function open(options: Partial<PoolOptions<EchoCalls, string>> = {}): ThreadPool<EchoCalls, string> {
  const died = ({ name }: { name: string }, cause: unknown): Error => new Error(`${name} died`, { cause })
  const pool = new ThreadPool<EchoCalls, string>({ file: FILE, size: 1, died, ...options })
  onTestFinished(() => pool.close())
  return pool
}

/** Resolves when the first progress of a call has come. */
function begun(): { started: Promise<void>; onProgress(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { started: promise, onProgress: resolve }
}

test('a call is answered by a thread that knows its data', async () => {
  const pool = open({ data: () => ({ home: '/home' }) })
  await expect(pool.call('echo', 'hello')).resolves.toMatchObject({ text: 'hello', data: { home: '/home' } })
})

test('progress comes in order and before the answer', async () => {
  const steps: number[] = []
  await expect(open().call('count', 3, { onProgress: step => steps.push(step) })).resolves.toBe(3)
  expect(steps).toEqual([1, 2, 3])
})

test('an error of ours keeps its class, code and place; another one its message', async () => {
  const pool = open()
  const refused: unknown = await pool.call('refuse', '/file').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(RethreadError)
  expect(refused).toMatchObject({ code: 'busy', hint: 'Wait.', path: '/file', offset: 3 })
  await expect(pool.call('fail', null)).rejects.toThrow('a fault')
})

test('an input that cannot be cloned fails its own call alone', async () => {
  const pool = open()
  await expect(pool.call('echo', (() => '') as unknown as string)).rejects.toThrow()
  await expect(pool.call('echo', 'next')).resolves.toMatchObject({ text: 'next' })
})

test('no more threads are started than the pool may have', async () => {
  const pool = open({ size: 2 })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => pool.call('echo', String(n))))
  expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 12 }, (_, n) => String(n)))
  expect(new Set(answers.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2)
})

test('a thread that dies fails its own call, and those that wait are answered by another', async () => {
  const deaths: unknown[] = []
  const pool = open({ onDeath: cause => deaths.push(cause) })
  const dying = pool.call('die', null)
  const waiting = pool.call('echo', 'later')
  await expect(dying).rejects.toMatchObject({ message: 'die died', cause: { message: 'out of room' } })
  await expect(waiting).resolves.toMatchObject({ text: 'later' })
  expect(deaths).toHaveLength(1)
})

test.each([
  [false, 'rejected'],
  [true, 'fulfilled'],
])('the other calls of a dead thread, where they may be retried (%s), are %s', async (retriesOthers, expected) => {
  const pool = open({ callsPerThread: 2, retriesOthers })
  const [dying, other] = await Promise.allSettled([
    pool.call('die', null),
    retriesOthers ? pool.call('echo', 'b') : pool.call('untilAborted', null),
  ])
  expect(dying.status).toBe('rejected')
  expect(other.status).toBe(expected)
})

test('an aborted call rejects with the reason of its signal, and the thread stops it', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const pool = open({ onNotice: resolve })
  const leaving = new AbortController()
  const { started, onProgress } = begun()
  const call = pool.call('untilAborted', null, { signal: leaving.signal, onProgress })
  await started
  leaving.abort(new Error('gone'))
  await expect(call).rejects.toThrow('gone')
  await expect(promise).resolves.toBe('aborted')
  await expect(pool.call('echo', 'x', { signal: leaving.signal })).rejects.toThrow('gone')
})

test('a call that waits is dropped when it is aborted', async () => {
  const pool = open()
  const [first, second] = [new AbortController(), new AbortController()]
  const running = pool.call('untilAborted', null, { signal: first.signal })
  const waiting = pool.call('echo', 'x', { signal: second.signal })
  second.abort(new Error('not needed'))
  await expect(waiting).rejects.toThrow('not needed')
  first.abort(new Error('gone'))
  await expect(running).rejects.toThrow('gone')
})

test('a thread that hears nothing is ended where an abort may do that, and replaced', async () => {
  const pool = open({ abortEndsThread: true })
  const leaving = new AbortController()
  const { started, onProgress } = begun()
  const call = pool.call('spin', null, { signal: leaving.signal, onProgress })
  await started
  leaving.abort(new Error('took too long'))
  await expect(call).rejects.toThrow('took too long')
  await expect(pool.call('echo', 'again')).resolves.toMatchObject({ text: 'again' })
})

test('a notification starts no thread and reaches one that runs', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const pool = open({ onNotice: resolve })
  pool.notify('repeat', 'lost')
  await pool.call('echo', 'start')
  pool.notify('repeat', 'heard')
  await expect(promise).resolves.toBe('heard')
})

test('an idle thread is ended, and a later call starts another', async () => {
  const pool = open({ idleMs: 1 })
  const first = await pool.call('echo', 'a')
  let next = await pool.call('echo', 'b')
  while (next.threadId === first.threadId) {
    await new Promise(resolve => setTimeout(resolve, 20))
    next = await pool.call('echo', 'b')
  }
  expect(next.text).toBe('b')
})

test('finish waits for the calls made so far; close rejects them', async () => {
  const finishing = open()
  const answers = Promise.all([finishing.call('echo', 'a'), finishing.call('echo', 'b')])
  await finishing.finish()
  await expect(answers).resolves.toHaveLength(2)
  const closing = open({ graceMs: 50 })
  const { started, onProgress } = begun()
  const call = closing.call('spin', null, { onProgress })
  call.catch(() => undefined)
  await started
  await closing.close()
  await expect(call).rejects.toMatchObject({ code: 'stopped' })
  await expect(closing.call('echo', 'c')).rejects.toMatchObject({ code: 'stopped' })
})

test('every worker module has a name of its own, as the built package has all of them in one folder', () => {
  const names = globSync('src/**/*-worker.ts').map(file => file.slice(file.lastIndexOf('/') + 1))
  expect(names.length).toBeGreaterThan(0)
  expect(new Set(names).size).toBe(names.length)
})
