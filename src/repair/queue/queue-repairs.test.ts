import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Desk, settled } from '../../../test/support/desk.ts'
import { verdictFor } from '../../../test/support/verdicts.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import { originOf } from '../verdicts/origin.ts'
import type { Priority } from './job.ts'
import type { RepairPolicy } from './queue-policy.ts'

const POLICIES: [RepairPolicy | undefined, Priority[]][] = [
  [undefined, ['active']],
  ['on-resume', ['active']],
  ['all', ['active', 'visible', 'background', 'disk']],
  ['never', []],
]
test.each(POLICIES)('the policy %s repairs at %j', async (policy, expected) => {
  const repaired: Verdict[] = []
  const desk = new Desk({
    ...(policy === undefined ? {} : { policy }),
    check: async session => verdictFor(session, 'corrupted'),
    repair: async session => {
      repaired.push(verdictFor(session))
      return {
        verdict: verdictFor(session),
        report: { status: 'repaired', orphansFixed: 1, newChainDepth: 1, edits: 1 },
      }
    },
  })
  for (const priority of ['active', 'visible', 'background', 'disk'] as const)
    desk.queue.enqueue([{ session: desk.session(priority), priority }])
  desk.queue.start()
  await desk.queue.idle()
  expect(repaired.map(({ sessionId }) => sessionId)).toEqual(expected)
})

test.each(['healthy', 'missing', 'unreadable', 'busy'] as const)(
  'a session that is %s is not repaired',
  async status => {
    const desk = new Desk({ policy: 'all' })
    const session = desk.session('one')
    desk.queue.enqueue([{ session, priority: 'active' }])
    desk.queue.start()
    await desk.answer('check', session, status)
    await desk.queue.idle()
    expect(desk.begun).toEqual(['check one'])
  },
)

test('a repair is told with its report, after the verdict that asked for it', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  const heard: [RepairReport, Verdict][] = []
  desk.queue.on('repaired', (...details) => heard.push(details))
  desk.queue.enqueue([{ session, priority: 'active' }])
  desk.queue.start()
  await desk.answer('check', session, 'corrupted')
  await desk.answer('repair', session)
  await desk.queue.idle()
  expect(desk.told).toEqual(['scanned one corrupted', 'repaired one'])
  expect(heard).toEqual([[expect.objectContaining({ status: 'repaired', edits: 1 }), verdictFor(session)]])
})

test('a corrupted session that becomes active while it is checked is repaired', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  desk.queue.enqueue([{ session, priority: 'disk' }])
  desk.queue.start()
  await desk.until('check one')
  desk.queue.enqueue([{ session, priority: 'active' }])
  await desk.answer('check', session, 'corrupted')
  await desk.answer('repair', session)
  await desk.queue.idle()
  expect(desk.begun).toEqual(['check one', 'repair one'])
})

test('a session that is made active by whoever hears that it is corrupted is repaired', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  desk.queue.on('scanned', () => desk.queue.enqueue([{ session, priority: 'active' }]))
  desk.queue.enqueue([{ session, priority: 'disk' }])
  desk.queue.start()
  await desk.answer('check', session, 'corrupted')
  await desk.answer('repair', session)
  await desk.queue.idle()
  expect(desk.told).toContain('repaired one')
})

test('a session that is remembered as corrupted is repaired without another check', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  desk.verdicts.set(session, verdictFor(session, 'corrupted'), originOf(session))
  desk.queue.enqueue([{ session, priority: 'active' }])
  desk.queue.start()
  await desk.until('repair one')
  // Should we be killed now, nothing may claim to know the file.
  expect(desk.verdicts.get(session)).toBeUndefined()
  await desk.answer('repair', session)
  await desk.queue.idle()
  expect(desk.begun).toEqual(['repair one'])
})

/** A session that was found corrupted, and whose repair has begun. */
async function beginRepair() {
  const desk = new Desk()
  const session = desk.session('one')
  desk.queue.enqueue([{ session, priority: 'active' }])
  desk.queue.start()
  await desk.answer('check', session, 'corrupted')
  await desk.until('repair one')
  return { desk, session }
}

test('what the repair remembers stays', async () => {
  const { desk, session } = await beginRepair()
  desk.verdicts.set(session, verdictFor(session), originOf(session))
  await desk.answer('repair', session)
  await desk.queue.idle()
  expect(desk.verdicts.get(session)?.status).toBe('healthy')
})

test('a repair that throws is an error; the session stays corrupted, and that is not remembered', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  const verdict = desk.queue.waitFor(session, { timeout: 60_000 })
  desk.queue.start()
  await desk.answer('check', session, 'corrupted')
  await desk.answer('repair', session, new Error('disk on fire'))
  expect((await verdict).status).toBe('corrupted')
  expect(desk.told).toEqual(['scanned one corrupted', 'error one: disk on fire'])
  expect(desk.verdicts.get(session)).toBeUndefined()
})

test('a repair that reports a failure is an error with its text and hint, and forgets what it remembered', async () => {
  const desk = new Desk()
  const session = desk.session('one')
  const errors: Error[] = []
  desk.queue.on('error', (_, error) => errors.push(error))
  desk.report = { status: 'failed', error: { code: 'no-space', text: 'The disk is full.', hint: 'df -h' } }
  const verdict = desk.queue.waitFor(session, { timeout: 60_000 })
  desk.queue.start()
  await desk.answer('check', session, 'corrupted')
  await desk.until('repair one')
  desk.verdicts.set(session, verdictFor(session, 'corrupted'), originOf(session))
  await desk.answer('repair', session, 'corrupted')
  expect((await verdict).status).toBe('corrupted')
  expect(errors).toMatchObject([{ code: 'repair-failed', message: 'The disk is full.', hint: 'df -h' }])
  expect(desk.verdicts.get(session)).toBeUndefined()
})

test.each(['refused', 'already_healthy'] as const)(
  'a repair that is %s tells the verdict it ended with',
  async status => {
    const desk = new Desk()
    const session = desk.session('one')
    desk.report = { status }
    desk.queue.enqueue([{ session, priority: 'active' }])
    desk.queue.start()
    await desk.answer('check', session, 'corrupted')
    await desk.answer('repair', session, 'busy')
    await desk.queue.idle()
    expect(desk.told).toEqual(['scanned one corrupted', 'scanned one busy'])
  },
)

test('sessions in one file are repaired one after the other, those in others meanwhile', async () => {
  const desk = new Desk({ concurrency: 3, policy: 'all' })
  const a = desk.session('a')
  const b = { ...a, sessionId: 'b' }
  const c = desk.session('c')
  for (const session of [a, b, c]) desk.queue.enqueue([{ session, priority: 'disk' }])
  desk.queue.start()
  await desk.answer('check', a, 'corrupted')
  await desk.until('repair a')
  await desk.answer('check', b, 'corrupted')
  await desk.answer('check', c, 'corrupted')
  await desk.until('repair c')
  await settled()
  expect(desk.begun.filter(what => what.startsWith('repair'))).toEqual(['repair a', 'repair c'])
  await desk.answer('repair', a, new Error('broken'))
  await desk.answer('repair', b)
  await desk.answer('repair', c)
  await desk.queue.idle()
  const ends = desk.told.filter(what => !what.startsWith('scanned'))
  expect(ends).toEqual(['error a: broken', 'repaired b', 'repaired c'])
})

test('whoever asks while a repair writes gets the verdict on what it wrote', async () => {
  const { desk, session } = await beginRepair()
  appendFileSync(session.filePath, '\n')
  const verdict = desk.queue.waitFor(session, { timeout: 60_000 })
  await desk.answer('repair', session)
  await desk.answer('check', session, verdictFor(session, 'healthy', { messageCount: 7 }))
  expect((await verdict).messageCount).toBe(7)
})

test('repairs that are asked for by name take their turn, the most urgent first', async () => {
  const desk = new Desk({ repairsAtOnce: 1, policy: 'all' })
  const [found, named, resumed] = [desk.session('a'), desk.session('b'), desk.session('c')]
  const order: string[] = []
  desk.queue.enqueue([{ session: found, priority: 'disk' }])
  desk.queue.start()
  await desk.answer('check', found, 'corrupted')
  await desk.until('repair a')
  const repairs = [
    desk.queue.repair(named, 'background', async () => order.push('named')),
    desk.queue.repair(resumed, 'active', async () => order.push('resumed')),
  ]
  await settled()
  expect(order).toEqual([])
  await desk.answer('repair', found)
  await Promise.all(repairs)
  expect(order).toEqual(['resumed', 'named'])
})

test('a repair that was accepted is carried out before the queue has stopped, and none is accepted afterwards', async () => {
  const desk = new Desk({ repairsAtOnce: 1 })
  const session = desk.session('one')
  const accepted = desk.queue.repair(session, 'visible', async () => 'done')
  await desk.queue.stop()
  await expect(accepted).resolves.toBe('done')
  await expect(desk.queue.repair(session, 'active', async () => 'late')).rejects.toMatchObject({ code: 'stopped' })
})
