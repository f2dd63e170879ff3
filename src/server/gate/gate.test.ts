// A resume waits for its check and its repair, and starts with what they came to. The agent is a stand-in in a real PTY.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { firstWords, GatePage, makeGateStage, STAND_IN } from '../../../test/support/gate.ts'

const LOST = { loads: { now: 0, afterRepair: 0 } }

describe('a resume', () => {
  test('waits for the check and the repair, says so, and starts the agent only then', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1', { project: join(stage.home, 'project') })
    stage.create(page)
    expect(page.story).toEqual(['checking'])
    stage.checks.beginRepair('s1')
    expect(page.story).toEqual(['checking', 'repairing'])
    expect(stage.started).toEqual([])
    stage.checks.end('s1', 'healthy', { loads: { now: 25, afterRepair: 25 } }, { status: 'repaired' })
    const { terminal, notice, isExisting } = await page.sees('terminal.created')
    expect(notice).toEqual({
      kind: 'repaired',
      status: 'repaired',
      text: 'Repaired: 25 of 25 messages; undo any time',
    })
    expect(isExisting).toBe(false)
    expect(terminal).toMatchObject({ agent: STAND_IN, sessionId: 'id-s1', sessionKey: 's1', exit: null })
    expect(await firstWords(stage.terminals, terminal.terminalId)).toBe(
      `started: --resume id-s1 in ${join(stage.home, 'project')}`,
    )
    expect(page.story).toEqual(['checking', 'repairing', 'terminal.created'])
  })

  test('holds the session as long as its terminal runs, and no longer', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.checks.end('s1', 'healthy')
    const { terminal, notice } = await page.sees('terminal.created')
    expect(notice).toBeNull()
    expect(stage.checks.beginRepair('s1')).toBe(false)
    expect(stage.sessions.terminalOf.get('s1')).toBe(terminal.terminalId)
    stage.terminals.input(terminal.terminalId, 'end\r')
    await expect.poll(() => stage.sessions.terminalOf.size).toBe(0)
    expect(stage.checks.held.size).toBe(0)
    expect(stage.checks.beginRepair('s1')).toBe(true)
  })

  test.each([
    ['missing', {}, 'missing'],
    ['unreadable', { reason: { code: 'x', text: 'No permission.', hint: '' } }, 'unreadable'],
    ['corrupted', LOST, 'unrecoverable'],
  ] as const)(
    'of a session that is %s starts the agent again, without it, and says so',
    async (status, more, notified) => {
      const stage = makeGateStage()
      const page = new GatePage()
      stage.addSession('s1', { project: join(stage.home, 'project') })
      stage.create(page)
      stage.checks.end('s1', status, more)
      const { terminal, notice } = await page.sees('terminal.created')
      expect(notice).toMatchObject({ kind: 'not-resumed', status: notified })
      expect(notice?.text).toContain('Stand-In started a new conversation')
      if ('reason' in more) expect(notice?.text).toContain('No permission.')
      expect(terminal).toMatchObject({ agent: STAND_IN, sessionId: null, sessionKey: null })
      expect(stage.started).toEqual(['stand-in-agent in ~/project'])
      expect([stage.checks.held.size, stage.sessions.terminalOf.size]).toEqual([0, 0])
    },
  )

  test('that cannot be is started in the home where its folder is gone', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1', { project: join(stage.home, 'gone') })
    stage.create(page)
    stage.checks.end('s1', 'missing')
    await page.sees('terminal.created')
    expect(stage.started).toEqual(['stand-in-agent in ~'])
  })

  test('of what nobody can repair goes on with what is left, and says why', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    const error = { code: 'unsupported', text: 'Encrypted.', hint: '' }
    stage.checks.end('s1', 'corrupted', { loads: { now: 3, afterRepair: 3 } }, { status: 'refused', error })
    const { notice } = await page.sees('terminal.created')
    expect(notice).toEqual({ kind: 'without-repair', status: 'corrupted', text: 'Not repaired: Encrypted.' })
    expect(stage.started).toEqual(['stand-in-agent --resume id-s1 in ~'])
  })

  test('of a session that the catalog does not have starts the named agent again', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.create(page, { resumeSessionId: 'long-gone', agent: STAND_IN, cwd: join(stage.home, 'nowhere') })
    expect((await page.sees('terminal.created')).notice).toMatchObject({ kind: 'not-resumed', status: 'missing' })
    expect(stage.started).toEqual(['stand-in-agent in ~'])
    stage.create(page, { requestId: 'r2', resumeSessionId: 'long-gone' })
    expect(await page.sees('error')).toMatchObject({ code: 'session-not-found', requestId: 'r2' })
  })

  test('waits for the first scan of the catalog', async () => {
    const stage = makeGateStage()
    const [page, other] = [new GatePage(), new GatePage()]
    stage.sessions.progress = { ...stage.sessions.progress, phase: 'finding' }
    stage.create(page)
    stage.create(other, { resumeSessionId: 's2', agent: STAND_IN })
    stage.sessions.notify()
    expect([page.story, other.story, stage.started]).toEqual([['checking'], ['checking'], []])
    stage.addSession('s1')
    stage.sessions.notify()
    stage.checks.end('s1', 'healthy')
    expect((await page.sees('terminal.created')).notice).toBeNull()
    stage.sessions.progress = { ...stage.sessions.progress, phase: 'reading' }
    stage.sessions.notify()
    expect((await other.sees('terminal.created')).notice).toMatchObject({ status: 'missing' })
    expect(stage.sessions.listeners.size).toBe(0)
  })
})

describe('two creates for one session', () => {
  test('give one terminal, to all who wait and to all who come later', async () => {
    const stage = makeGateStage()
    const [first, second, third] = [new GatePage(), new GatePage(), new GatePage()]
    stage.addSession('s1')
    stage.create(first)
    stage.checks.beginRepair('s1')
    stage.create(second, { requestId: 'other' })
    expect(second.story).toEqual(['repairing'])
    expect(stage.checks.asked.length).toBe(1)
    stage.checks.end('s1', 'healthy', {}, {})
    const one = await first.sees('terminal.created')
    const two = await second.sees('terminal.created')
    stage.create(third)
    const three = await third.sees('terminal.created')
    expect([two.terminal, three.terminal]).toEqual([one.terminal, one.terminal])
    expect([one.isExisting, two.isExisting, three.isExisting]).toEqual([false, true, true])
    expect([one.requestId, two.requestId]).toEqual(['r1', 'other'])
    expect(two.notice).toEqual(one.notice)
    expect([stage.started.length, stage.checks.held.get('s1')]).toEqual([1, 1])
  })

  test('give a new one when the first has ended', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page)
    stage.checks.end('s1', 'healthy')
    const { terminal } = await page.sees('terminal.created')
    stage.terminals.input(terminal.terminalId, 'end\r')
    await expect.poll(() => stage.checks.held.size).toBe(0)
    stage.create(page, { requestId: 'r2' })
    stage.checks.end('s1', 'healthy')
    const again = await page.sees('terminal.created', ({ requestId }) => requestId === 'r2')
    expect(again.terminal.terminalId).not.toBe(terminal.terminalId)
    expect(again.isExisting).toBe(false)
  })
})

describe('without a session', () => {
  test('an agent begins a new one, and a shell runs without an agent', async () => {
    const stage = makeGateStage()
    const page = new GatePage()
    stage.addSession('s1')
    stage.create(page, { resumeSessionId: undefined, agent: STAND_IN, cwd: join(stage.home, 'project') })
    stage.create(page, { requestId: 'r2', resumeSessionId: undefined, cwd: 'project' })
    const shell = await page.sees('terminal.created', ({ requestId }) => requestId === 'r2')
    expect(shell).toMatchObject({ isExisting: false, notice: null, terminal: { agent: null, sessionId: null } })
    expect(stage.started).toEqual(['stand-in-agent in ~/project', `${process.env['SHELL'] ?? '/bin/sh'} in ~/project`])
    stage.create(page, { requestId: 'r3', resumeSessionId: undefined, cwd: 'nowhere' })
    expect(await page.sees('error')).toMatchObject({ code: 'not-found', requestId: 'r3' })
  })
})
