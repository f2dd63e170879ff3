// A person who does not want to wait may choose; what they choose never lets an agent and a repair write at the same time.
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { GateStage } from '../../../test/support/gate.ts'
import { GatePage, makeGateStage } from '../../../test/support/gate.ts'

const ALL = ['wait', 'without-repair', 'cancel']

async function slowStage(): Promise<{ stage: GateStage; page: GatePage }> {
  const stage = makeGateStage({ slowCheckMs: 1 })
  const page = new GatePage()
  stage.sessions.progress = { phase: 'checking', done: 412, total: 1204, bytesDone: 1, bytesTotal: 2 }
  stage.addSession('s1', { fileSize: 2_140_000_000 })
  stage.create(page)
  const { text } = await page.seesPhase('slow-check', ALL)
  expect(text).toMatch(/2\.1 GB.* 412 of 1,204 conversations/)
  return { stage, page }
}

describe('a check that takes long', () => {
  test('goes on when the person waits, and they can still decide otherwise', async () => {
    const { stage, page } = await slowStage()
    stage.choose(page, 'wait')
    expect(page.got.at(-1)).toMatchObject({ phase: 'checking', choices: ['without-repair', 'cancel'] })
    expect(stage.started).toEqual([])
    stage.checks.beginRepair('s1')
    stage.checks.end('s1', 'healthy', {}, {})
    expect((await page.sees('terminal.created')).notice).toMatchObject({ kind: 'repaired' })
  })

  test('is left when the person starts without repair: no repair begins before the terminal ends', async () => {
    const { stage, page } = await slowStage()
    stage.choose(page, 'without-repair')
    // Not even between the choice and the start.
    expect(stage.checks.beginRepair('s1')).toBe(false)
    const { terminal, notice } = await page.sees('terminal.created')
    expect(notice).toMatchObject({ kind: 'without-repair', status: 'busy' })
    expect(stage.started).toEqual(['stand-in-agent --resume id-s1 in ~'])
    expect(stage.checks.asked.length).toBe(0)
    expect(stage.checks.beginRepair('s1')).toBe(false)
    stage.terminals.input(terminal.terminalId, 'end\r')
    await expect.poll(() => stage.checks.held.size).toBe(0)
    expect(stage.checks.beginRepair('s1')).toBe(true)
  })

  test('tells the status that was known before', async () => {
    const { stage, page } = await slowStage()
    const served = stage.sessions.get('s1')
    if (served !== undefined) served.row.status = 'corrupted'
    stage.choose(page, 'without-repair')
    expect((await page.sees('terminal.created')).notice).toMatchObject({ status: 'corrupted' })
  })

  test('is left when the person cancels, and nothing is started', async () => {
    const { stage, page } = await slowStage()
    stage.choose(page, 'cancel')
    expect(page.got.at(-1)).toMatchObject({ type: 'error', code: 'stopped', requestId: 'r1' })
    await expect.poll(() => stage.checks.asked.length).toBe(0)
    expect([stage.started, stage.checks.held.size]).toEqual([[], 0])
    stage.choose(page, 'wait')
    expect(page.got.at(-1)).toMatchObject({ type: 'error', code: 'usage' })
  })

  test('starts nothing where they choose and leave in one breath', async () => {
    const { stage, page } = await slowStage()
    stage.choose(page, 'without-repair')
    stage.gate.leave(page)
    await expect.poll(() => stage.checks.held.size).toBe(0)
    expect(stage.started).toEqual([])
  })

  test('is not left once the repair writes: the agent starts when it has finished, and the person is informed', async () => {
    const { stage, page } = await slowStage()
    stage.checks.beginRepair('s1')
    expect(page.got.at(-1)).toMatchObject({ phase: 'repairing', choices: [] })
    stage.choose(page, 'wait')
    stage.choose(page, 'without-repair')
    expect(page.got.at(-1)).toMatchObject({ phase: 'repairing', text: expect.stringContaining('already writing') })
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(stage.started).toEqual([])
    stage.checks.end('s1', 'healthy', {}, {})
    expect((await page.sees('terminal.created')).notice).toMatchObject({ kind: 'repaired' })
  })

  test('is not explained when it is a repair that takes long', async () => {
    const stage = makeGateStage({ slowCheckMs: 1 })
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.checks.beginRepair('s1')
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(page.story).toEqual(['checking', 'repairing'])
  })

  test('offers nothing before, and never what was not offered', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    for (const choice of ['wait', 'without-repair'] as const) stage.choose(page, choice)
    expect(page.got.slice(1)).toMatchObject(Array(2).fill({ type: 'error', code: 'usage', requestId: 'r1' }))
    expect(stage.started).toEqual([])
  })
})

describe('a session that somebody else writes to', () => {
  const reason = { code: 'busy', text: 'Process 12 has it open.', hint: 'End it first.' }

  async function busyStage(more: object = {}, options = {}): Promise<{ stage: GateStage; page: GatePage }> {
    const stage = makeGateStage(options)
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.checks.end('s1', 'busy', { reason: { ...reason, ...more } })
    return { stage, page }
  }

  test('is checked again by itself, and the person need not choose', async () => {
    const { stage, page } = await busyStage()
    const { text } = await page.seesPhase('busy', ['without-repair', 'cancel'])
    expect(text).toBe('Process 12 has it open. Stand-In starts once that has ended. End it first.')
    stage.choose(page, 'wait')
    await expect.poll(() => stage.checks.asked.length).toBe(1)
    stage.checks.end('s1', 'healthy')
    expect((await page.sees('terminal.created')).notice).toBeNull()
    const [first, ...others] = page.story
    expect([first, new Set(others)]).toEqual(['checking', new Set(['busy', 'terminal.created'])])
  })

  test('has a countdown where only a recent change says so', async () => {
    const { stage, page } = await busyStage({ retryAfterMs: 1500 })
    await page.sees('terminal.waiting', ({ secondsLeft }) => secondsLeft === 1)
    expect(page.got.slice(1)).toMatchObject([
      { phase: 'busy', secondsLeft: 2, text: expect.stringMatching(/Stand-In starts in 2 seconds\.$/) },
      { phase: 'busy', secondsLeft: 1, text: expect.stringMatching(/Stand-In starts in 1 second\.$/) },
    ])
    await expect.poll(() => stage.checks.asked.length).toBe(1)
    stage.checks.end('s1', 'healthy', {}, {})
    expect((await page.sees('terminal.created')).notice).toMatchObject({ kind: 'repaired' })
  })

  test('is given up when that takes too long, with words for it', async () => {
    const { stage, page } = await busyStage({}, { maxQuietWaitMs: 0 })
    const { code, text, hint } = await page.sees('error')
    expect([code, text]).toEqual([
      'busy',
      expect.stringContaining('Process 12 has it open. This was still the case after'),
    ])
    expect(hint).not.toContain('--')
    expect([stage.started, stage.checks.held.size]).toEqual([[], 0])
  })

  test('is started without a repair also while it is checked again', async () => {
    const { stage, page } = await busyStage({ retryAfterMs: 1 })
    await expect.poll(() => stage.checks.asked.length).toBe(1)
    stage.choose(page, 'without-repair')
    expect((await page.sees('terminal.created')).notice).toMatchObject({ kind: 'without-repair' })
    expect(stage.checks.beginRepair('s1')).toBe(false)
  })

  test('is resumed all the same when they say so', async () => {
    const { stage, page } = await busyStage()
    await page.seesPhase('busy')
    stage.choose(page, 'without-repair')
    const { notice, terminal } = await page.sees('terminal.created')
    expect(notice).toEqual({ kind: 'without-repair', status: 'busy', text: 'Not repaired: Process 12 has it open.' })
    expect(terminal.sessionKey).toBe('s1')
  })

  test('is left alone when they cancel', async () => {
    const { stage, page } = await busyStage()
    await page.seesPhase('busy')
    stage.choose(page, 'cancel')
    expect(page.got.at(-1)).toMatchObject({ type: 'error', code: 'stopped' })
    expect([stage.started, stage.checks.held.size]).toEqual([[], 0])
  })

  test('is not asked about twice where they had decided before', async () => {
    const { stage, page } = await slowStage()
    stage.checks.beginRepair('s1')
    stage.choose(page, 'without-repair')
    stage.checks.end('s1', 'busy', { reason }, { status: 'refused', error: reason })
    expect((await page.sees('terminal.created')).notice).toMatchObject({ kind: 'without-repair', status: 'busy' })
  })
})

describe('a repair that somebody else begins', () => {
  test('between the check and the start is waited for, and the session is checked again', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.checks.end('s1', 'healthy')
    stage.checks.repairing.add('s1')
    await page.seesPhase('repairing')
    expect([stage.started, stage.checks.held.size]).toEqual([[], 0])
    stage.checks.repairing.delete('s1')
    await expect.poll(() => stage.checks.asked.length).toBe(1)
    stage.checks.end('s1', 'healthy', {}, {})
    expect((await page.sees('terminal.created')).notice).toMatchObject({ kind: 'repaired' })
  })
})
