// A resume waits for its check and its repair, and starts with what they came to. The agent is a stand-in in a real PTY.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { firstWords, GatePage, makeGateStage, STAND_IN } from '../../../test/support/gate.ts'

const LOST = { loads: { now: 0, afterRepair: 0 } }

describe('a resume', () => {
  test('waits for the check and the repair, says so, and starts the agent only then', async () => {
    const desk = makeGateStage()
    const page = new GatePage()
    desk.addSession('s1', { project: join(desk.home, 'project') })
    desk.create(page)
    expect(page.story).toEqual(['checking'])
    desk.checks.beginRepair('s1')
    expect(page.story).toEqual(['checking', 'repairing'])
    expect(desk.started).toEqual([])
    desk.checks.end('s1', 'healthy', { loads: { now: 25, afterRepair: 25 } }, { status: 'repaired' })
    const { terminal, notice, isExisting } = await page.sees('terminal.created')
    expect(notice).toEqual({
      kind: 'repaired',
      status: 'repaired',
      text: 'Repaired: 25 of 25 messages; undo any time',
    })
    expect(isExisting).toBe(false)
    expect(terminal).toMatchObject({ agent: STAND_IN, sessionId: 'id-s1', sessionKey: 's1', exit: null })
    expect(await firstWords(desk.terminals, terminal.terminalId)).toBe(
      `started: --resume id-s1 in ${join(desk.home, 'project')}`,
    )
    expect(page.story).toEqual(['checking', 'repairing', 'terminal.created'])
  })

  test('holds the session as long as its terminal runs, and no longer', async () => {
    const desk = makeGateStage()
    const page = new GatePage()
    desk.addSession('s1')
    desk.create(page)
    desk.checks.end('s1', 'healthy')
    const { terminal, notice } = await page.sees('terminal.created')
    expect(notice).toBeNull()
    expect(desk.checks.beginRepair('s1')).toBe(false)
    expect(desk.sessions.terminalOf.get('s1')).toBe(terminal.terminalId)
    desk.terminals.input(terminal.terminalId, 'end\r')
    await expect.poll(() => desk.sessions.terminalOf.size).toBe(0)
    expect(desk.checks.held.size).toBe(0)
    expect(desk.checks.beginRepair('s1')).toBe(true)
  })

  test.each([
    ['missing', {}, 'missing'],
    ['unreadable', { reason: { code: 'x', text: 'No permission.', hint: '' } }, 'unreadable'],
    ['corrupted', LOST, 'unrecoverable'],
  ] as const)('of a session that is %s starts the agent again, without it, and says so', async (status, more, told) => {
    const desk = makeGateStage()
    const page = new GatePage()
    desk.addSession('s1', { project: join(desk.home, 'project') })
    desk.create(page)
    desk.checks.end('s1', status, more)
    const { terminal, notice } = await page.sees('terminal.created')
    expect(notice).toMatchObject({ kind: 'not-resumed', status: told })
    expect(notice?.text).toContain('Stand-In started a new conversation')
    if ('reason' in more) expect(notice?.text).toContain('No permission.')
    expect(terminal).toMatchObject({ agent: STAND_IN, sessionId: null, sessionKey: null })
    expect(desk.started).toEqual(['stand-in-agent in ~/project'])
    expect([desk.checks.held.size, desk.sessions.terminalOf.size]).toEqual([0, 0])
  })

  test('that cannot be is started in the home where its folder is gone', async () => {
    const desk = makeGateStage()
    const page = new GatePage()
    desk.addSession('s1', { project: join(desk.home, 'gone') })
    desk.create(page)
    desk.checks.end('s1', 'missing')
    await page.sees('terminal.created')
    expect(desk.started).toEqual(['stand-in-agent in ~'])
  })

  test('of what nobody can repair goes on with what is left, and says why', async () => {
    const desk = makeGateStage()
    const page = new GatePage()
    desk.addSession('s1')
    desk.create(page)
    const error = { code: 'unsupported', text: 'Encrypted.', hint: '' }
    desk.checks.end('s1', 'corrupted', { loads: { now: 3, afterRepair: 3 } }, { status: 'refused', error })
    const { notice } = await page.sees('terminal.created')
    expect(notice).toEqual({ kind: 'without-repair', status: 'corrupted', text: 'Not repaired: Encrypted.' })
    expect(desk.started).toEqual(['stand-in-agent --resume id-s1 in ~'])
  })

  test('of a session that the library does not have starts the named agent again', async () => {
    const desk = makeGateStage()
    const page = new GatePage()
    desk.create(page, { resumeSessionId: 'long-gone', agent: STAND_IN, cwd: join(desk.home, 'nowhere') })
    expect((await page.sees('terminal.created')).notice).toMatchObject({ kind: 'not-resumed', status: 'missing' })
    expect(desk.started).toEqual(['stand-in-agent in ~'])
    desk.create(page, { requestId: 'r2', resumeSessionId: 'long-gone' })
    expect(await page.sees('error')).toMatchObject({ code: 'session-not-found', requestId: 'r2' })
  })

  test('waits while the library is still being looked for', async () => {
    const desk = makeGateStage()
    const [page, other] = [new GatePage(), new GatePage()]
    desk.sessions.progress = { ...desk.sessions.progress, phase: 'finding' }
    desk.create(page)
    desk.create(other, { resumeSessionId: 's2', agent: STAND_IN })
    desk.sessions.tell()
    expect([page.story, other.story, desk.started]).toEqual([['checking'], ['checking'], []])
    desk.addSession('s1')
    desk.sessions.tell()
    desk.checks.end('s1', 'healthy')
    expect((await page.sees('terminal.created')).notice).toBeNull()
    desk.sessions.progress = { ...desk.sessions.progress, phase: 'reading' }
    desk.sessions.tell()
    expect((await other.sees('terminal.created')).notice).toMatchObject({ status: 'missing' })
    expect(desk.sessions.listeners.size).toBe(0)
  })
})

describe('two creates for one session', () => {
  test('give one terminal, to whoever waits and to whoever comes later', async () => {
    const desk = makeGateStage()
    const [first, second, third] = [new GatePage(), new GatePage(), new GatePage()]
    desk.addSession('s1')
    desk.create(first)
    desk.checks.beginRepair('s1')
    desk.create(second, { requestId: 'other' })
    expect(second.story).toEqual(['repairing'])
    expect(desk.checks.asked.length).toBe(1)
    desk.checks.end('s1', 'healthy', {}, {})
    const one = await first.sees('terminal.created')
    const two = await second.sees('terminal.created')
    desk.create(third)
    const three = await third.sees('terminal.created')
    expect([two.terminal, three.terminal]).toEqual([one.terminal, one.terminal])
    expect([one.isExisting, two.isExisting, three.isExisting]).toEqual([false, true, true])
    expect([one.requestId, two.requestId]).toEqual(['r1', 'other'])
    expect(two.notice).toEqual(one.notice)
    expect([desk.started.length, desk.checks.held.get('s1')]).toEqual([1, 1])
  })

  test('give a new one when the first has ended', async () => {
    const desk = makeGateStage()
    const page = new GatePage()
    desk.addSession('s1')
    desk.create(page)
    desk.checks.end('s1', 'healthy')
    const { terminal } = await page.sees('terminal.created')
    desk.terminals.input(terminal.terminalId, 'end\r')
    await expect.poll(() => desk.checks.held.size).toBe(0)
    desk.create(page, { requestId: 'r2' })
    desk.checks.end('s1', 'healthy')
    const again = await page.sees('terminal.created', ({ requestId }) => requestId === 'r2')
    expect(again.terminal.terminalId).not.toBe(terminal.terminalId)
    expect(again.isExisting).toBe(false)
  })
})

describe('without a session', () => {
  test('an agent begins a new one, and a shell runs without an agent', async () => {
    const desk = makeGateStage()
    const page = new GatePage()
    desk.addSession('s1')
    desk.create(page, { resumeSessionId: undefined, agent: STAND_IN, cwd: join(desk.home, 'project') })
    desk.create(page, { requestId: 'r2', resumeSessionId: undefined, cwd: 'project' })
    const shell = await page.sees('terminal.created', ({ requestId }) => requestId === 'r2')
    expect(shell).toMatchObject({ isExisting: false, notice: null, terminal: { agent: null, sessionId: null } })
    expect(desk.started).toEqual(['stand-in-agent in ~/project', `${process.env['SHELL'] ?? '/bin/sh'} in ~/project`])
    desk.create(page, { requestId: 'r3', resumeSessionId: undefined, cwd: 'nowhere' })
    expect(await page.sees('error')).toMatchObject({ code: 'not-found', requestId: 'r3' })
  })
})
