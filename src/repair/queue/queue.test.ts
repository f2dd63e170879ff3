import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { put } from '../../../test/support/home.ts'
import { QueueStage, settled } from '../../../test/support/queue-stage.ts'
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
  const stage = new QueueStage({
    concurrency,
    async check(session) {
      checked.push(session.sessionId)
      mostAtOnce = Math.max(mostAtOnce, ++running)
      await settled()
      running--
      return verdictFor(session)
    },
  })
  return { stage, queue: stage.queue, checked, mostAtOnce: () => mostAtOnce }
}

function at(priority: Priority, ...sessions: SessionRef[]) {
  return sessions.map(session => ({ session, priority }))
}

test('active goes before visible, background and disk, and who came first before others of the same', async () => {
  const { stage, queue, checked } = makeQuick()
  for (const round of [1, 2])
    for (const priority of PRIORITIES.toReversed()) queue.enqueue(at(priority, stage.session(`${priority}${round}`)))
  expect(checked).toEqual([])
  queue.start()
  await queue.idle()
  expect(checked).toEqual(PRIORITIES.flatMap(priority => [`${priority}1`, `${priority}2`]))
})

test('of what comes together the most urgent is begun first, even where nothing else is being done', async () => {
  const { stage, queue, checked } = makeQuick()
  queue.start()
  queue.enqueue([...at('disk', stage.session('late')), ...at('active', stage.session('soon'))])
  await queue.idle()
  expect(checked).toEqual(['soon', 'late'])
})

test('a session is queued once, however often it is asked for; the same id in another file is another session', async () => {
  const { stage, queue, checked } = makeQuick()
  const session = stage.session('one')
  const namesake = sessionIn(put(stage.home, 'other/one.jsonl', ''), 'one')
  queue.enqueue(at('disk', session, session, namesake))
  queue.enqueue(at('disk', session))
  queue.enqueue(at('disk', { ...session, agent: 'another' }))
  expect(queue.size).toBe(3)
  queue.start()
  await queue.idle()
  expect(checked).toHaveLength(3)
})

test('a session that becomes more urgent overtakes, and never becomes less urgent', async () => {
  const { stage, queue, checked } = makeQuick()
  const [a, b, c] = [stage.session('a'), stage.session('b'), stage.session('c')]
  queue.enqueue(at('background', a, b, c))
  queue.enqueue(at('active', c))
  queue.enqueue(at('disk', c, a))
  queue.enqueue(at('background', a))
  queue.start()
  await queue.idle()
  expect(checked).toEqual(['c', 'a', 'b'])
})

test('no more are processed at once than allowed, and no fewer', async () => {
  const { stage, queue, checked, mostAtOnce } = makeQuick(3)
  queue.enqueue(at('disk', ...stage.sessions('a', 'b', 'c', 'd', 'e', 'f', 'g')))
  queue.start()
  await queue.idle()
  expect(checked).toHaveLength(7)
  expect(mostAtOnce()).toBe(3)
})

test('how much waits, is being processed and is done can be asked at any time', async () => {
  const stage = new QueueStage({ concurrency: 2 })
  const { queue } = stage
  const numbers = () => [queue.size, queue.pending, queue.done]
  const [a, b, c] = [stage.session('a'), stage.session('b'), stage.session('c')]
  queue.enqueue(at('disk', a, b, c))
  expect(numbers()).toEqual([3, 0, 0])
  queue.start()
  await stage.until('check b')
  expect(numbers()).toEqual([1, 2, 0])
  appendFileSync(a.filePath, '\n')
  queue.enqueue(at('disk', a))
  expect(numbers()).toEqual([2, 2, 0])
  await stage.answer('check', a)
  await stage.answer('check', b, new Error('broken'))
  await stage.answer('check', c)
  await stage.answer('check', a)
  await queue.idle()
  expect(numbers()).toEqual([0, 0, 4])
})

test('a cached verdict is reported without a check, and a new one is cached', async () => {
  const stage = new QueueStage()
  const [known, unknown, busy] = [stage.session('known'), stage.session('unknown'), stage.session('busy')]
  stage.verdicts.set(known, verdictFor(known), originOf(known))
  stage.queue.enqueue(at('disk', known, unknown, busy))
  stage.queue.start()
  await stage.answer('check', unknown)
  await stage.answer('check', busy, 'busy')
  await stage.queue.idle()
  expect(stage.begun).toEqual(['check unknown', 'check busy'])
  expect(stage.events).toEqual(['scanned known healthy', 'scanned unknown healthy', 'scanned busy busy'])
  expect(stage.verdicts.get(unknown)?.status).toBe('healthy')
  expect(stage.verdicts.get(busy)).toBeUndefined()
})

test('what was appended during the check is not stamped as checked', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  stage.queue.enqueue(at('disk', session))
  stage.queue.start()
  await stage.until('check one')
  appendFileSync(session.filePath, '\n')
  await stage.answer('check', session)
  await stage.queue.idle()
  expect(stage.verdicts.get(session)).toBeUndefined()
})

test('a check may look at more than the file of the session', async () => {
  const beside = (session: SessionRef) => join(session.filePath, '../index.json')
  const stage = new QueueStage({ origin: async session => originOf(session, [session.filePath, beside(session)]) })
  const session = stage.session('one')
  for (const change of ['', 'more']) {
    appendFileSync(beside(session), change)
    stage.queue.enqueue(at('disk', session))
    stage.queue.start()
    await stage.answer('check', session)
    await stage.queue.idle()
  }
  expect(stage.begun).toEqual(['check one', 'check one'])
})

test('a session that changed while it was processed and is asked for again is processed again, but not at once', async () => {
  const stage = new QueueStage({ concurrency: 2 })
  const session = stage.session('one')
  stage.queue.enqueue(at('disk', session))
  stage.queue.start()
  await stage.until('check one')
  stage.queue.enqueue(at('disk', session))
  appendFileSync(session.filePath, '\n')
  stage.queue.enqueue(at('disk', session, sessionIn(session.filePath)))
  await settled()
  expect(stage.begun).toEqual(['check one'])
  await stage.answer('check', session)
  await stage.answer('check', session, 'unreadable')
  await stage.queue.idle()
  expect(stage.events).toEqual(['scanned one healthy', 'scanned one unreadable'])
})

test('a session that is asked for again while it is processed, and is unchanged, is processed once', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  stage.queue.enqueue(at('disk', session))
  stage.queue.start()
  await stage.until('check one')
  stage.queue.enqueue(at('disk', session))
  await stage.answer('check', session)
  await stage.queue.idle()
  expect(stage.queue.done).toBe(1)
})

test('a caller that does not wait gets the cached verdict of a session whose store alone knows whether it changed', async () => {
  const stage = new QueueStage()
  const session = { ...stage.session('one'), identity: 'rows-1' }
  stage.verdicts.set(session, verdictFor(session), originOf(session))
  stage.queue.enqueue(at('active', session))
  stage.queue.start()
  await stage.queue.idle()
  expect(stage.begun).toEqual([])
  expect(stage.events).toEqual(['scanned one healthy'])
})

test('a check that fails is reported as an error, and the queue goes on', async () => {
  const stage = new QueueStage()
  const [a, b] = [stage.session('a'), stage.session('b')]
  stage.queue.enqueue(at('disk', a, b))
  stage.queue.start()
  await stage.answer('check', a, new Error('broken'))
  await stage.answer('check', b)
  await stage.queue.idle()
  expect(stage.events).toEqual(['error a: broken', 'scanned b healthy'])
})

test('a listener that throws is reported as an error, and the queue goes on', async () => {
  const stage = new QueueStage()
  const [a, b] = [stage.session('a'), stage.session('b')]
  const stop = stage.queue.on('scanned', () => {
    stop()
    throw new Error('thrown')
  })
  const stopLater = stage.queue.on('scanned', async () => {
    stopLater()
    throw new Error('rejected')
  })
  stage.queue.enqueue(at('disk', a, b))
  stage.queue.start()
  await stage.answer('check', a)
  await stage.answer('check', b)
  await stage.queue.idle()
  expect(stage.events).toEqual(['scanned a healthy', 'error a: thrown', 'error a: rejected', 'scanned b healthy'])
})

test('a listener of errors that throws is a warning of the process', async () => {
  const stage = new QueueStage()
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  stage.queue.on('error', () => {
    throw new Error('thrown')
  })
  const session = stage.session('one')
  stage.queue.enqueue(at('disk', session))
  stage.queue.start()
  await stage.answer('check', session, new Error('broken'))
  await stage.queue.idle()
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
  const { verdicts } = new QueueStage()
  const queue = new SessionRepairQueue({
    check: () => Promise.reject(new Error('not needed')),
    repair: () => Promise.reject(new Error('not needed')),
    verdicts: { ...verdicts, get: spend },
    concurrency: 4,
  })
  const stage = new QueueStage()
  queue.enqueue(at('disk', ...Array.from({ length: 40 }, (_, i) => stage.session(`s${i}`))))
  queue.start()
  await new Promise(resolve => setImmediate(resolve))
  expect(left.length).toBeLessThan(40)
  await queue.idle()
  expect(left).toHaveLength(40)
})
