import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { QueueStage, settled } from '../../../test/support/queue-stage.ts'
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
  const stage = new QueueStage({
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
    stage.queue.enqueue([{ session: stage.session(priority), priority }])
  stage.queue.start()
  await stage.queue.idle()
  expect(repaired.map(({ sessionId }) => sessionId)).toEqual(expected)
})

test.each(['healthy', 'missing', 'unreadable', 'busy'] as const)(
  'a session that is %s is not repaired',
  async status => {
    const stage = new QueueStage({ policy: 'all' })
    const session = stage.session('one')
    stage.queue.enqueue([{ session, priority: 'active' }])
    stage.queue.start()
    await stage.answer('check', session, status)
    await stage.queue.idle()
    expect(stage.begun).toEqual(['check one'])
  },
)

test('a repair is reported after the verdict that asked for it', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  const heard: [RepairReport, Verdict][] = []
  stage.queue.on('repaired', (...details) => heard.push(details))
  stage.queue.enqueue([{ session, priority: 'active' }])
  stage.queue.start()
  await stage.answer('check', session, 'corrupted')
  await stage.answer('repair', session)
  await stage.queue.idle()
  expect(stage.events).toEqual(['scanned one corrupted', 'repaired one'])
  expect(heard).toEqual([[expect.objectContaining({ status: 'repaired', edits: 1 }), verdictFor(session)]])
})

test('a corrupted session that becomes active while it is checked is repaired', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  stage.queue.enqueue([{ session, priority: 'disk' }])
  stage.queue.start()
  await stage.until('check one')
  stage.queue.enqueue([{ session, priority: 'active' }])
  await stage.answer('check', session, 'corrupted')
  await stage.answer('repair', session)
  await stage.queue.idle()
  expect(stage.begun).toEqual(['check one', 'repair one'])
})

test('a session that is made active by a listener that hears that it is corrupted is repaired', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  stage.queue.on('scanned', () => stage.queue.enqueue([{ session, priority: 'active' }]))
  stage.queue.enqueue([{ session, priority: 'disk' }])
  stage.queue.start()
  await stage.answer('check', session, 'corrupted')
  await stage.answer('repair', session)
  await stage.queue.idle()
  expect(stage.events).toContain('repaired one')
})

test('a session that is remembered as corrupted is repaired without another check', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  stage.verdicts.set(session, verdictFor(session, 'corrupted'), originOf(session))
  stage.queue.enqueue([{ session, priority: 'active' }])
  stage.queue.start()
  await stage.until('repair one')
  // Should we be killed now, nothing may claim to know the file.
  expect(stage.verdicts.get(session)).toBeUndefined()
  await stage.answer('repair', session)
  await stage.queue.idle()
  expect(stage.begun).toEqual(['repair one'])
})

/** A session that was found corrupted, and whose repair has begun. */
async function beginRepair() {
  const stage = new QueueStage()
  const session = stage.session('one')
  stage.queue.enqueue([{ session, priority: 'active' }])
  stage.queue.start()
  await stage.answer('check', session, 'corrupted')
  await stage.until('repair one')
  return { stage, session }
}

test('what the repair remembers stays', async () => {
  const { stage, session } = await beginRepair()
  stage.verdicts.set(session, verdictFor(session), originOf(session))
  await stage.answer('repair', session)
  await stage.queue.idle()
  expect(stage.verdicts.get(session)?.status).toBe('healthy')
})

test('a repair that throws is an error; the session stays corrupted, and that is not remembered', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  const verdict = stage.queue.waitFor(session, { timeout: 60_000 })
  stage.queue.start()
  await stage.answer('check', session, 'corrupted')
  await stage.answer('repair', session, new Error('disk on fire'))
  expect((await verdict).status).toBe('corrupted')
  expect(stage.events).toEqual(['scanned one corrupted', 'error one: disk on fire'])
  expect(stage.verdicts.get(session)).toBeUndefined()
})

test('a repair that reports a failure is an error with its text and hint, and forgets what it remembered', async () => {
  const stage = new QueueStage()
  const session = stage.session('one')
  const errors: Error[] = []
  stage.queue.on('error', (_, error) => errors.push(error))
  stage.report = { status: 'failed', error: { code: 'no-space', text: 'The disk is full.', hint: 'df -h' } }
  const verdict = stage.queue.waitFor(session, { timeout: 60_000 })
  stage.queue.start()
  await stage.answer('check', session, 'corrupted')
  await stage.until('repair one')
  stage.verdicts.set(session, verdictFor(session, 'corrupted'), originOf(session))
  await stage.answer('repair', session, 'corrupted')
  expect((await verdict).status).toBe('corrupted')
  expect(errors).toMatchObject([{ code: 'repair-failed', message: 'The disk is full.', hint: 'df -h' }])
  expect(stage.verdicts.get(session)).toBeUndefined()
})

test.each(['refused', 'already_healthy'] as const)(
  'a repair that is %s tells the verdict it ended with',
  async status => {
    const stage = new QueueStage()
    const session = stage.session('one')
    stage.report = { status }
    stage.queue.enqueue([{ session, priority: 'active' }])
    stage.queue.start()
    await stage.answer('check', session, 'corrupted')
    await stage.answer('repair', session, 'busy')
    await stage.queue.idle()
    expect(stage.events).toEqual(['scanned one corrupted', 'scanned one busy'])
  },
)

test('sessions in one file are repaired one after the other, those in others meanwhile', async () => {
  const stage = new QueueStage({ concurrency: 3, policy: 'all' })
  const a = stage.session('a')
  const b = { ...a, sessionId: 'b' }
  const c = stage.session('c')
  for (const session of [a, b, c]) stage.queue.enqueue([{ session, priority: 'disk' }])
  stage.queue.start()
  await stage.answer('check', a, 'corrupted')
  await stage.until('repair a')
  await stage.answer('check', b, 'corrupted')
  await stage.answer('check', c, 'corrupted')
  await stage.until('repair c')
  await settled()
  expect(stage.begun.filter(what => what.startsWith('repair'))).toEqual(['repair a', 'repair c'])
  await stage.answer('repair', a, new Error('broken'))
  await stage.answer('repair', b)
  await stage.answer('repair', c)
  await stage.queue.idle()
  const ends = stage.events.filter(what => !what.startsWith('scanned'))
  expect(ends).toEqual(['error a: broken', 'repaired b', 'repaired c'])
})

test('a caller that asks while a repair writes gets the verdict on what it wrote', async () => {
  const { stage, session } = await beginRepair()
  appendFileSync(session.filePath, '\n')
  const verdict = stage.queue.waitFor(session, { timeout: 60_000 })
  await stage.answer('repair', session)
  await stage.answer('check', session, verdictFor(session, 'healthy', { messageCount: 7 }))
  expect((await verdict).messageCount).toBe(7)
})

test('repairs that are asked for by name take their turn, the most urgent first', async () => {
  const stage = new QueueStage({ repairsAtOnce: 1, policy: 'all' })
  const [found, named, resumed] = [stage.session('a'), stage.session('b'), stage.session('c')]
  const order: string[] = []
  stage.queue.enqueue([{ session: found, priority: 'disk' }])
  stage.queue.start()
  await stage.answer('check', found, 'corrupted')
  await stage.until('repair a')
  const repairs = [
    stage.queue.repair(named, 'background', async () => order.push('named')),
    stage.queue.repair(resumed, 'active', async () => order.push('resumed')),
  ]
  await settled()
  expect(order).toEqual([])
  await stage.answer('repair', found)
  await Promise.all(repairs)
  expect(order).toEqual(['resumed', 'named'])
})

test('a repair that was accepted is carried out before the queue has stopped, and none is accepted afterwards', async () => {
  const stage = new QueueStage({ repairsAtOnce: 1 })
  const session = stage.session('one')
  const accepted = stage.queue.repair(session, 'visible', async () => 'done')
  await stage.queue.stop()
  await expect(accepted).resolves.toBe('done')
  await expect(stage.queue.repair(session, 'active', async () => 'late')).rejects.toMatchObject({ code: 'stopped' })
})
