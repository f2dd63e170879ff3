// A client that leaves while waiting leaves nothing behind; and what goes wrong is said and leaves nothing either.
import { describe, expect, test } from 'vitest'
import type { GateStage } from '../../../test/support/gate.ts'
import { GatePage, makeGateStage, STAND_IN } from '../../../test/support/gate.ts'
import { MAX_WAITING_RESUMES } from '../limits.ts'

/** Long enough for everything that was about to happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
}

function expectNothing(stage: GateStage): void {
  expect([stage.started, stage.terminals.list()]).toEqual([[], []])
  expect([stage.checks.held.size, stage.sessions.terminalOf.size, stage.sessions.listeners.size]).toEqual([0, 0, 0])
}

describe('who leaves', () => {
  test('during the check ends it, and nothing is started', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.gate.leave(page)
    await settle()
    expect(stage.checks.asked.length).toBe(0)
    expect(page.story).toEqual(['checking'])
    expectNothing(stage)
  })

  test('during the repair lets it finish, and nothing is started', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.checks.beginRepair('s1')
    stage.gate.leave(page)
    await settle()
    expect([stage.checks.asked.length, stage.checks.repairing.size]).toEqual([1, 1])
    stage.checks.end('s1', 'healthy', {}, {})
    await settle()
    expect(page.story).toEqual(['checking', 'repairing'])
    expectNothing(stage)
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('%i steps after the end of the check', async steps => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.checks.end('s1', 'healthy')
    for (let step = 0; step < steps; step++) await undefined
    stage.gate.leave(page)
    await settle()
    // Either it was started and they were informed, or it was not.
    if (page.story.includes('terminal.created')) expect([stage.started.length, stage.checks.held.size]).toEqual([1, 1])
    else expectNothing(stage)
  })

  test('does not take it away from others', async () => {
    const stage = makeGateStage()
    const [first, second] = [new GatePage(), new GatePage()]
    stage.addSession('s1')
    stage.create(first)
    stage.create(second)
    stage.gate.leave(first)
    stage.checks.end('s1', 'healthy')
    expect((await second.sees('terminal.created')).isExisting).toBe(false)
    expect(first.story).toEqual(['checking'])
  })

  test('and comes back begins again', async () => {
    const stage = makeGateStage()
    const [before, after] = [new GatePage(), new GatePage()]
    stage.addSession('s1')
    stage.create(before)
    stage.gate.leave(before)
    stage.create(after)
    await settle()
    stage.checks.end('s1', 'healthy')
    expect((await after.sees('terminal.created')).isExisting).toBe(false)
    expect(stage.started.length).toBe(1)
  })

  test('while the session is looked for is forgotten', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.sessions.progress = { ...stage.sessions.progress, phase: 'finding' }
    stage.create(page)
    stage.gate.leave(page)
    stage.addSession('s1')
    stage.sessions.notify()
    expect(stage.checks.asked.length).toBe(0)
    expectNothing(stage)
  })
})

describe('what goes wrong', () => {
  test('is reported: an agent that cannot do it, at once and without a check', () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1', { generation: 'old' })
    stage.create(page)
    expect(page.got).toEqual([
      { type: 'error', code: 'unsupported', text: 'Too old.', hint: expect.any(String), requestId: 'r1' },
    ])
    expectNothing(stage)
  })

  test('is reported: a command that is not installed, and the session is free again', async () => {
    const stage = makeGateStage({ isInstalled: false })
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.checks.end('s1', 'healthy')
    expect(await page.sees('error')).toMatchObject({ code: 'unsupported', requestId: 'r1' })
    expect(stage.checks.held.size).toBe(0)
    expect(stage.terminals.list()).toEqual([])
  })

  test('is reported: a folder that is gone', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1', { project: '/no/such/folder' })
    stage.create(page)
    stage.checks.end('s1', 'healthy')
    const error = await page.sees('error')
    expect(error).toMatchObject({ code: 'not-found', hint: expect.stringContaining('mkdir -p /no/such/folder') })
    expect(stage.checks.held.size).toBe(0)
  })

  test.each([
    ['an agent that nobody knows', { agent: 'nobody', resumeSessionId: undefined }],
    ['a session of another agent', { agent: 'codex' }],
  ])('is reported: %s', (_, more) => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page, more)
    expect(page.got).toMatchObject([{ type: 'error', code: 'usage', requestId: 'r1' }])
    expectNothing(stage)
  })

  test('is reported: the same request twice, and too many that wait', () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    for (let count = 0; count < MAX_WAITING_RESUMES; count++) stage.create(page, { requestId: `w${count}` })
    expect(page.story.every(event => event === 'checking')).toBe(true)
    stage.create(page, { requestId: 'w0' })
    stage.create(page, { requestId: 'one more' })
    expect(page.got.slice(-2)).toMatchObject([
      { code: 'usage', requestId: 'w0' },
      { code: 'busy', requestId: 'one more' },
    ])
  })

  test('is reported: the server stops, and nothing starts after it', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.gate.stop()
    expect(page.got.at(-1)).toMatchObject({ type: 'error', code: 'stopped', requestId: 'r1' })
    stage.create(page, { requestId: 'r2', agent: STAND_IN })
    expect(page.got.at(-1)).toMatchObject({ type: 'error', code: 'stopped', requestId: 'r2' })
    await settle()
    expectNothing(stage)
  })
})
