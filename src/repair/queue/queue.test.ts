import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Desk, settled } from '../../../test/support/desk.ts'
import { put } from '../../../test/support/home.ts'
import { sessionIn, verdictFor } from '../../../test/support/verdicts.ts'
import type { SessionRef } from '../../model/session.ts'
import { originOf } from '../verdicts/origin.ts'
import type { Priority } from './job.ts'
import { SessionRepairQueue } from './queue.ts'

const PRIORITIES: Priority[] = ['active', 'visible', 'background', 'disk']

/** A queue whose checks end by themselves, and the ids in the order in which they were checked. */
function makeQuick(concurrency = 1) {
  const checked: string[] = []
  let running = 0
  let mostAtOnce = 0
  const desk = new Desk({
    concurrency,
    async check(session) {
      checked.push(session.sessionId)
      mostAtOnce = Math.max(mostAtOnce, ++running)
      await settled()
      running--
      return verdictFor(session)
    },
  })
  return { desk, queue: desk.queue, checked, mostAtOnce: () => mostAtOnce }
}

function at(priority: Priority, ...sessions: SessionRef[]) {
  return sessions.map(session => ({ session, priority }))
}

test('active goes before visible, background and disk, and whoever came first before others of the same', async () => {
  const { desk, queue, checked } = makeQuick()
  for (const round of [1, 2])
    for (const priority of PRIORITIES.toReversed()) queue.enqueue(at(priority, desk.session(`${priority}${round}`)))
  expect(checked).toEqual([])
  queue.start()
  await queue.idle()
  expect(checked).toEqual(PRIORITIES.flatMap(priority => [`${priority}1`, `${priority}2`]))
})

test('of what comes together the most urgent is begun first, even where nothing else is being done', async () => {
  const { desk, queue, checked } = makeQuick()
  queue.start()
  queue.enqueue([...at('disk', desk.session('late')), ...at('active', desk.session('soon'))])
  await queue.idle()
  expect(checked).toEqual(['soon', 'late'])
})

test('a session is queued once, however often it is asked for; the same id in another file is another session', async () => {
  const { desk, queue, checked } = makeQuick()
  const session = desk.session('one')
  const namesake = sessionIn(put(desk.home, 'other/one.jsonl', ''), 'one')
  queue.enqueue(at('disk', session, session, namesake))
  queue.enqueue(at('disk', session))
  queue.enqueue(at('disk', { ...session, agent: 'another' }))
  expect(queue.size).toBe(3)
  queue.start()
  await queue.idle()
  expect(checked).toHaveLength(3)
})

test('a session that becomes more urgent overtakes, and never becomes less urgent', async () => {
  const { desk, queue, checked } = makeQuick()
  const [a, b, c] = [desk.session('a'), desk.session('b'), desk.session('c')]
  queue.enqueue(at('background', a, b, c))
  queue.enqueue(at('active', c))
  queue.enqueue(at('disk', c, a))
  queue.enqueue(at('background', a))
  queue.start()
  await queue.idle()
  expect(checked).toEqual(['c', 'a', 'b'])
})

test('no more are processed at once than allowed, and no fewer', async () => {
  const { desk, queue, checked, mostAtOnce } = makeQuick(3)
  queue.enqueue(at('disk', ...desk.sessions('a', 'b', 'c', 'd', 'e', 'f', 'g')))
  queue.start()
  await queue.idle()
  expect(checked).toHaveLength(7)
  expect(mostAtOnce()).toBe(3)
})

test('how much waits, is being processed and is done can be asked at any time', async () => {
  const desk = new Desk({ concurrency: 2 })
  const { queue } = desk
  const numbers = () => [queue.size, queue.pending, queue.done]
  const [a, b, c] = [desk.session('a'), desk.session('b'), desk.session('c')]
  queue.enqueue(at('disk', a, b, c))
  expect(numbers()).toEqual([3, 0, 0])
  queue.start()
  await desk.until('check b')
  expect(numbers()).toEqual([1, 2, 0])
  appendFileSync(a.filePath, '\n')
  queue.enqueue(at('disk', a))
  expect(numbers()).toEqual([2, 2, 0])
  await desk.answer('check', a)
  await desk.answer('check', b, new Error('broken'))
  await desk.answer('check', c)
  await desk.answer('check', a)
  await queue.idle()
  expect(numbers()).toEqual([0, 0, 4])
})

test('a verdict that is remembered is told without a check, and a new one is remembered', async () => {
  const desk = new Desk()
  const [known, unknown, busy] = [desk.session('known'), desk.session('unknown'), desk.session('busy')]
  desk.verdicts.set(known, verdictFor(known), originOf(known))
  desk.queue.enqueue(at('disk', known, unknown, busy))
  desk.queue.start()
  await desk.answer('check', unknown)
  await desk.answer('check', busy, 'busy')
  await desk.queue.idle()
  expect(desk.begun).toEqual(['check unknown', 'check busy'])
  expect(desk.told).toEqual(['scanned known healthy', 'scanned unknown healthy', 'scanned busy busy'])
  expect(desk.verdicts.get(unknown)?.status).toBe('healthy')
  expect(desk.verdicts.get(busy)).toBeUndefined()
})

test('what was appended during the check is not stamped as checked', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  desk.queue.enqueue(at('disk', session))
  desk.queue.start()
  await desk.until('check one')
  appendFileSync(session.filePath, '\n')
  await desk.answer('check', session)
  await desk.queue.idle()
  expect(desk.verdicts.get(session)).toBeUndefined()
})

test('a check may look at more than the file of the session', async () => {
  const beside = (session: SessionRef) => join(session.filePath, '../index.json')
  const desk = new Desk({ origin: async session => originOf(session, [session.filePath, beside(session)]) })
  const session = desk.session('one')
  for (const change of ['', 'more']) {
    appendFileSync(beside(session), change)
    desk.queue.enqueue(at('disk', session))
    desk.queue.start()
    await desk.answer('check', session)
    await desk.queue.idle()
  }
  expect(desk.begun).toEqual(['check one', 'check one'])
})

test('a session that changed while it was processed and is asked for again is processed again, but not at once', async () => {
  const desk = new Desk({ concurrency: 2 })
  const session = desk.session('one')
  desk.queue.enqueue(at('disk', session))
  desk.queue.start()
  await desk.until('check one')
  desk.queue.enqueue(at('disk', session))
  appendFileSync(session.filePath, '\n')
  desk.queue.enqueue(at('disk', session, sessionIn(session.filePath)))
  await settled()
  expect(desk.begun).toEqual(['check one'])
  await desk.answer('check', session)
  await desk.answer('check', session, 'unreadable')
  await desk.queue.idle()
  expect(desk.told).toEqual(['scanned one healthy', 'scanned one unreadable'])
})

test('a session that is asked for again while it is processed, and is unchanged, is processed once', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  desk.queue.enqueue(at('disk', session))
  desk.queue.start()
  await desk.until('check one')
  desk.queue.enqueue(at('disk', session))
  await desk.answer('check', session)
  await desk.queue.idle()
  expect(desk.queue.done).toBe(1)
})

test('a session of which only its store knows whether it changed is told from memory to whoever does not wait', async () => {
  const desk = new Desk()
  const session = { ...desk.session('one'), identity: 'rows-1' }
  desk.verdicts.set(session, verdictFor(session), originOf(session))
  desk.queue.enqueue(at('active', session))
  desk.queue.start()
  await desk.queue.idle()
  expect(desk.begun).toEqual([])
  expect(desk.told).toEqual(['scanned one healthy'])
})

test('a check that fails is told as an error, and the queue goes on', async () => {
  const desk = new Desk()
  const [a, b] = [desk.session('a'), desk.session('b')]
  desk.queue.enqueue(at('disk', a, b))
  desk.queue.start()
  await desk.answer('check', a, new Error('broken'))
  await desk.answer('check', b)
  await desk.queue.idle()
  expect(desk.told).toEqual(['error a: broken', 'scanned b healthy'])
})

test('a listener that throws is told as an error, and the queue goes on', async () => {
  const desk = new Desk()
  const [a, b] = [desk.session('a'), desk.session('b')]
  const stop = desk.queue.on('scanned', () => {
    stop()
    throw new Error('thrown')
  })
  const stopLater = desk.queue.on('scanned', async () => {
    stopLater()
    throw new Error('rejected')
  })
  desk.queue.enqueue(at('disk', a, b))
  desk.queue.start()
  await desk.answer('check', a)
  await desk.answer('check', b)
  await desk.queue.idle()
  expect(desk.told).toEqual(['scanned a healthy', 'error a: thrown', 'error a: rejected', 'scanned b healthy'])
})

test('a listener of errors that throws is a warning of the process', async () => {
  const desk = new Desk()
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  desk.queue.on('error', () => {
    throw new Error('thrown')
  })
  const session = desk.session('one')
  desk.queue.enqueue(at('disk', session))
  desk.queue.start()
  await desk.answer('check', session, new Error('broken'))
  await desk.queue.idle()
  expect(warned.mock.calls).toEqual([[new Error('thrown')]])
  warned.mockRestore()
})

test('thousands of remembered verdicts leave others their turn', async () => {
  const left: string[] = []
  const spend = (session: SessionRef) => {
    const until = performance.now() + 3
    while (performance.now() < until);
    left.push(session.sessionId)
    return verdictFor(session)
  }
  const { verdicts } = new Desk()
  const queue = new SessionRepairQueue({
    check: () => Promise.reject(new Error('not needed')),
    repair: () => Promise.reject(new Error('not needed')),
    verdicts: { ...verdicts, get: spend },
    concurrency: 4,
  })
  const desk = new Desk()
  queue.enqueue(at('disk', ...Array.from({ length: 40 }, (_, i) => desk.session(`s${i}`))))
  queue.start()
  await new Promise(resolve => setImmediate(resolve))
  expect(left.length).toBeLessThan(40)
  await queue.idle()
  expect(left).toHaveLength(40)
})
