import { appendFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Desk, settled } from '../../../test/support/desk.ts'
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
  const desk = new Desk()
  const [a, b] = [desk.session('a'), desk.session('b')]
  desk.queue.enqueue([{ session: a, priority: 'visible' }])
  const verdict = desk.queue.waitFor(b, LONG)
  desk.queue.start()
  await desk.answer('check', b, 'unreadable')
  expect(await outcomeOf(verdict)).toBe('unreadable')
  expect(desk.begun[0]).toBe('check b')
})

test('waiting at a lower priority does not overtake, and does not repair', async () => {
  const desk = new Desk()
  const [a, b] = [desk.session('a'), desk.session('b')]
  desk.queue.enqueue([{ session: a, priority: 'visible' }])
  const verdict = desk.queue.waitFor(b, { ...LONG, priority: 'background' })
  desk.queue.start()
  await desk.answer('check', a)
  await desk.answer('check', b, 'corrupted')
  expect(await outcomeOf(verdict)).toBe('corrupted')
  expect(desk.begun).toEqual(['check a', 'check b'])
})

test('whoever waits for a corrupted session gets the verdict after its repair', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  const verdict = desk.queue.waitFor(session, LONG)
  desk.queue.start()
  await desk.answer('check', session, 'corrupted')
  await desk.answer('repair', session)
  expect(await outcomeOf(verdict)).toBe('healthy')
})

test('several who wait for the same unchanged session share one check, even one in flight', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  const first = desk.queue.waitFor(session, LONG)
  const second = desk.queue.waitFor(session, LONG)
  desk.queue.start()
  await desk.until('check one')
  const third = desk.queue.waitFor(session, LONG)
  await desk.answer('check', session)
  expect(await Promise.all([first, second, third].map(outcomeOf))).toEqual(['healthy', 'healthy', 'healthy'])
  expect(desk.begun).toEqual(['check one'])
})

test.each([
  ['has grown', (path: string) => appendFileSync(path, '\n')],
  ['was changed in place', (path: string) => changeInPlace(path, '{"a":2}\n')],
])('a session that %s since its check began is checked again for whoever waits from then on', async (_, change) => {
  const desk = new Desk()
  const session = desk.session('one')
  const before = desk.queue.waitFor(session, LONG)
  desk.queue.start()
  await desk.until('check one')
  change(session.filePath)
  const after = desk.queue.waitFor(session, LONG)
  await desk.answer('check', session, 'busy')
  expect(await outcomeOf(before)).toBe('busy')
  await desk.answer('check', session, 'unreadable')
  expect(await outcomeOf(after)).toBe('unreadable')
})

test('a remembered verdict is enough for an unchanged file, and not for a changed one', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  desk.verdicts.set(session, verdictFor(session), originOf(session))
  desk.queue.start()
  expect(await outcomeOf(desk.queue.waitFor(session, LONG))).toBe('healthy')
  expect(desk.begun).toEqual([])
  appendFileSync(session.filePath, '\n')
  const verdict = desk.queue.waitFor(session, LONG)
  await desk.answer('check', session, 'unreadable')
  expect(await outcomeOf(verdict)).toBe('unreadable')
})

test('a session of which only its store knows whether it changed is checked for everyone who waits', async () => {
  const desk = new Desk()
  const session = { ...desk.session('one'), identity: 'rows-1' }
  desk.verdicts.set(session, verdictFor(session), originOf(session))
  desk.queue.enqueue([{ session, priority: 'disk' }])
  const first = desk.queue.waitFor(session, LONG)
  desk.queue.start()
  await desk.until('check one')
  const second = desk.queue.waitFor(session, LONG)
  await desk.answer('check', session, 'busy')
  await desk.answer('check', session, 'unreadable')
  expect(await Promise.all([first, second].map(outcomeOf))).toEqual(['busy', 'unreadable'])
})

test('a check that fails is an error for whoever waits', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  const verdict = desk.queue.waitFor(session, LONG)
  desk.queue.start()
  await desk.answer('check', session, new Error('broken'))
  await expect(verdict).rejects.toThrow('broken')
})

test('when the time is over whoever waits is told, and the work goes on', async () => {
  fakeTimeouts()
  const desk = new Desk()
  const session = desk.session('one')
  const early = desk.queue.waitFor(session, { timeout: 1000 })
  const late = desk.queue.waitFor(session, { timeout: 5000 })
  desk.queue.start()
  await desk.until('check one')
  vi.advanceTimersByTime(1000)
  await expect(early).rejects.toMatchObject({
    code: 'timeout',
    path: session.filePath,
    hint: expect.stringContaining('one'),
  })
  await desk.answer('check', session)
  expect(await outcomeOf(late)).toBe('healthy')
  expect(vi.getTimerCount()).toBe(0)
  expect(desk.told).toEqual(['scanned one healthy'])
  expect(desk.verdicts.get(session)?.status).toBe('healthy')
})

test('a wait without end does not end at once', async () => {
  fakeTimeouts()
  const desk = new Desk()
  const session = desk.session('one')
  const verdict = desk.queue.waitFor(session, { timeout: Number.POSITIVE_INFINITY })
  vi.advanceTimersByTime(1_000_000)
  desk.queue.start()
  await desk.answer('check', session)
  expect(await outcomeOf(verdict)).toBe('healthy')
})

test('stopping waits for what is in flight, drops what waits, and takes nothing new', async () => {
  const desk = new Desk()
  const [a, b] = [desk.session('a'), desk.session('b')]
  const running = desk.queue.waitFor(a, LONG)
  const waiting = outcomeOf(desk.queue.waitFor(b, LONG))
  desk.queue.start()
  await desk.until('check a')
  appendFileSync(a.filePath, '\n')
  const behind = outcomeOf(desk.queue.waitFor(a, LONG))
  let isStopped = false
  const stopped = desk.queue.stop().then(() => {
    isStopped = true
  })
  expect([await waiting, await behind]).toEqual(['stopped', 'stopped'])
  desk.queue.enqueue([{ session: b, priority: 'active' }])
  desk.queue.start()
  expect(await outcomeOf(desk.queue.waitFor(b, LONG))).toBe('stopped')
  await settled()
  expect(isStopped).toBe(false)
  expect(desk.signal?.aborted).toBe(false)
  await desk.answer('check', a)
  await stopped
  expect(await outcomeOf(running)).toBe('healthy')
  expect(desk.begun).toEqual(['check a'])
  expect([desk.queue.size, desk.queue.pending, desk.queue.done]).toEqual([0, 0, 1])
})

test('stopping waits for a repair, and begins none', async () => {
  const desk = new Desk({ concurrency: 2 })
  const [a, b] = [desk.session('a'), desk.session('b')]
  const [repairing, checking] = [desk.queue.waitFor(a, LONG), desk.queue.waitFor(b, LONG)]
  desk.queue.start()
  await desk.answer('check', a, 'corrupted')
  await desk.until('repair a')
  const stopped = desk.queue.stop()
  const refused = outcomeOf(checking)
  await desk.answer('check', b, 'corrupted')
  expect(await refused).toBe('stopped')
  await desk.answer('repair', a)
  await stopped
  expect(await outcomeOf(repairing)).toBe('healthy')
  expect(desk.begun).not.toContain('repair b')
  expect(desk.verdicts.get(b)?.status).toBe('corrupted')
})

test('an urgent stop tells checks to end, and is no error', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  const verdict = outcomeOf(desk.queue.waitFor(session, LONG))
  desk.queue.start()
  await desk.until('check one')
  const stopped = desk.queue.stop({ isUrgent: true })
  expect(desk.signal?.aborted).toBe(true)
  await desk.answer('check', session, new Error('aborted'))
  await stopped
  expect(await verdict).toBe('stopped')
  expect(desk.told).toEqual([])
})

test('stopping a queue with nothing to do, or a second time, ends', async () => {
  const desk = new Desk()
  await desk.queue.stop()
  await desk.queue.stop()
  expect(desk.queue.size).toBe(0)
})

test('while the queue is paused nothing is begun', async () => {
  const desk = new Desk()
  const [a, b] = [desk.session('a'), desk.session('b')]
  desk.queue.enqueue([
    { session: a, priority: 'disk' },
    { session: b, priority: 'disk' },
  ])
  desk.queue.start()
  await desk.until('check a')
  desk.queue.pause()
  await desk.answer('check', a)
  await settled()
  expect(desk.begun).toEqual(['check a'])
  desk.queue.start()
  await desk.answer('check', b)
  await desk.queue.idle()
  expect(desk.queue.done).toBe(2)
})
