import { appendFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { QueueStage, settled } from '../../../test/support/queue-stage.ts'
import { changeInPlace, verdictFor } from '../../../test/support/verdicts.ts'
import { hasErrorCode } from '../../model/errors.ts'
import { originOf } from '../verdicts/origin.ts'

const LONG = { timeout: 60_000 }

/** What became of a promise: its status, or the code of its error. */
async function outcomeOf(verdict: Promise<{ status: string }>): Promise<string> {
  return await verdict.then(
    ({ status }) => status,
    error => (hasErrorCode(error, error.code) ? error.code : String(error)),
  )
}

function fakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('waiting for a session puts it into the queue as active', async () => {
  const stage = new QueueStage()
  const [a, b] = [stage.session('a'), stage.session('b')]
  stage.queue.enqueue([{ session: a, priority: 'visible' }])
  const verdict = stage.queue.waitFor(b, LONG)
  stage.queue.start()
  await stage.answer('check', b, 'unreadable')
  expect(await outcomeOf(verdict)).toBe('unreadable')
  expect(stage.begun[0]).toBe('check b')
})

test('waiting at a lower priority does not overtake, and does not repair', async () => {
  const stage = new QueueStage()
  const [a, b] = [stage.session('a'), stage.session('b')]
  stage.queue.enqueue([{ session: a, priority: 'visible' }])
  const verdict = stage.queue.waitFor(b, { ...LONG, priority: 'background' })
  stage.queue.start()
  await stage.answer('check', a)
  await stage.answer('check', b, 'corrupted')
  expect(await outcomeOf(verdict)).toBe('corrupted')
  expect(stage.begun).toEqual(['check a', 'check b'])
})

test('a caller that waits for a corrupted session gets the verdict after its repair', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  const verdict = stage.queue.waitFor(session, LONG)
  stage.queue.start()
  await stage.answer('check', session, 'corrupted')
  await stage.answer('repair', session)
  expect(await outcomeOf(verdict)).toBe('healthy')
})

test('several who wait for the same unchanged session share one check, even one in flight', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  const first = stage.queue.waitFor(session, LONG)
  const second = stage.queue.waitFor(session, LONG)
  stage.queue.start()
  await stage.until('check one')
  const third = stage.queue.waitFor(session, LONG)
  await stage.answer('check', session)
  expect(await Promise.all([first, second, third].map(outcomeOf))).toEqual(['healthy', 'healthy', 'healthy'])
  expect(stage.begun).toEqual(['check one'])
})

test.each([
  ['has grown', (path: string) => appendFileSync(path, '\n')],
  ['was changed in place', (path: string) => changeInPlace(path, '{"a":2}\n')],
])('a session that %s since its check began is checked again for callers that wait from then on', async (_, change) => {
  const stage = new QueueStage()
  const session = stage.session('one')
  const before = stage.queue.waitFor(session, LONG)
  stage.queue.start()
  await stage.until('check one')
  change(session.filePath)
  const after = stage.queue.waitFor(session, LONG)
  await stage.answer('check', session, 'busy')
  expect(await outcomeOf(before)).toBe('busy')
  await stage.answer('check', session, 'unreadable')
  expect(await outcomeOf(after)).toBe('unreadable')
})

test('a remembered verdict is enough for an unchanged file, and not for a changed one', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  stage.verdicts.set(session, verdictFor(session), originOf(session))
  stage.queue.start()
  expect(await outcomeOf(stage.queue.waitFor(session, LONG))).toBe('healthy')
  expect(stage.begun).toEqual([])
  appendFileSync(session.filePath, '\n')
  const verdict = stage.queue.waitFor(session, LONG)
  await stage.answer('check', session, 'unreadable')
  expect(await outcomeOf(verdict)).toBe('unreadable')
})

test('a session of which only its store knows whether it changed is checked for everyone who waits', async () => {
  const stage = new QueueStage()
  const session = { ...stage.session('one'), identity: 'rows-1' }
  stage.verdicts.set(session, verdictFor(session), originOf(session))
  stage.queue.enqueue([{ session, priority: 'disk' }])
  const first = stage.queue.waitFor(session, LONG)
  stage.queue.start()
  await stage.until('check one')
  const second = stage.queue.waitFor(session, LONG)
  await stage.answer('check', session, 'busy')
  await stage.answer('check', session, 'unreadable')
  expect(await Promise.all([first, second].map(outcomeOf))).toEqual(['busy', 'unreadable'])
})

test('a check that fails is an error for callers that wait', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  const verdict = stage.queue.waitFor(session, LONG)
  stage.queue.start()
  await stage.answer('check', session, new Error('broken'))
  await expect(verdict).rejects.toThrow('broken')
})

test('a caller that waited long enough is answered, and the work goes on', async () => {
  fakeTimeouts()
  const stage = new QueueStage()
  const session = stage.session('one')
  const early = stage.queue.waitFor(session, { timeout: 1000 })
  const late = stage.queue.waitFor(session, { timeout: 5000 })
  stage.queue.start()
  await stage.until('check one')
  vi.advanceTimersByTime(1000)
  await expect(early).rejects.toMatchObject({
    code: 'timeout',
    path: session.filePath,
    hint: expect.stringContaining('one'),
  })
  await stage.answer('check', session)
  expect(await outcomeOf(late)).toBe('healthy')
  expect(vi.getTimerCount()).toBe(0)
  expect(stage.events).toEqual(['scanned one healthy'])
  expect(stage.verdicts.get(session)?.status).toBe('healthy')
})

test('a wait without end does not end at once', async () => {
  fakeTimeouts()
  const stage = new QueueStage()
  const session = stage.session('one')
  const verdict = stage.queue.waitFor(session, { timeout: Number.POSITIVE_INFINITY })
  vi.advanceTimersByTime(1_000_000)
  stage.queue.start()
  await stage.answer('check', session)
  expect(await outcomeOf(verdict)).toBe('healthy')
})

test('stopping waits for what is in flight, drops what waits, and takes nothing new', async () => {
  const stage = new QueueStage()
  const [a, b] = [stage.session('a'), stage.session('b')]
  const running = stage.queue.waitFor(a, LONG)
  const waiting = outcomeOf(stage.queue.waitFor(b, LONG))
  stage.queue.start()
  await stage.until('check a')
  appendFileSync(a.filePath, '\n')
  const behind = outcomeOf(stage.queue.waitFor(a, LONG))
  let isStopped = false
  const stopped = stage.queue.stop().then(() => {
    isStopped = true
  })
  expect([await waiting, await behind]).toEqual(['stopped', 'stopped'])
  stage.queue.enqueue([{ session: b, priority: 'active' }])
  stage.queue.start()
  expect(await outcomeOf(stage.queue.waitFor(b, LONG))).toBe('stopped')
  await settled()
  expect(isStopped).toBe(false)
  expect(stage.signal?.aborted).toBe(false)
  await stage.answer('check', a)
  await stopped
  expect(await outcomeOf(running)).toBe('healthy')
  expect(stage.begun).toEqual(['check a'])
  expect([stage.queue.size, stage.queue.pending, stage.queue.done]).toEqual([0, 0, 1])
})

test('stopping waits for a repair, and begins none', async () => {
  const stage = new QueueStage({ concurrency: 2 })
  const [a, b] = [stage.session('a'), stage.session('b')]
  const [repairing, checking] = [stage.queue.waitFor(a, LONG), stage.queue.waitFor(b, LONG)]
  stage.queue.start()
  await stage.answer('check', a, 'corrupted')
  await stage.until('repair a')
  const stopped = stage.queue.stop()
  const refused = outcomeOf(checking)
  await stage.answer('check', b, 'corrupted')
  expect(await refused).toBe('stopped')
  await stage.answer('repair', a)
  await stopped
  expect(await outcomeOf(repairing)).toBe('healthy')
  expect(stage.begun).not.toContain('repair b')
  expect(stage.verdicts.get(b)?.status).toBe('corrupted')
})

test('an urgent stop tells checks to end, and is no error', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  const verdict = outcomeOf(stage.queue.waitFor(session, LONG))
  stage.queue.start()
  await stage.until('check one')
  const stopped = stage.queue.stop({ isUrgent: true })
  expect(stage.signal?.aborted).toBe(true)
  await stage.answer('check', session, new Error('aborted'))
  await stopped
  expect(await verdict).toBe('stopped')
  expect(stage.events).toEqual([])
})

test('stopping a queue with nothing to do, or a second time, ends', async () => {
  const stage = new QueueStage()
  await stage.queue.stop()
  await stage.queue.stop()
  expect(stage.queue.size).toBe(0)
})

test('while the queue is paused nothing is begun', async () => {
  const stage = new QueueStage()
  const [a, b] = [stage.session('a'), stage.session('b')]
  stage.queue.enqueue([
    { session: a, priority: 'disk' },
    { session: b, priority: 'disk' },
  ])
  stage.queue.start()
  await stage.until('check a')
  stage.queue.pause()
  await stage.answer('check', a)
  await settled()
  expect(stage.begun).toEqual(['check a'])
  stage.queue.start()
  await stage.answer('check', b)
  await stage.queue.idle()
  expect(stage.queue.done).toBe(2)
})
