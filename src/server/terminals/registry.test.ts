import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { put } from '../../../test/support/home.ts'
import { makeStage, running, watch } from '../../../test/support/terminals.ts'
import { program, words } from '../../model/program.ts'
import type { TerminalInfo } from '../protocol.ts'

describe('the terminals', () => {
  test('are listed with what they are, and tell when they change', async () => {
    const stage = makeStage()
    let changes = 0
    const exits: TerminalInfo[] = []
    stage.terminals.on('changed', () => changes++)
    stage.terminals.on('exit', terminal => exits.push(terminal))
    const session = { agent: 'an-agent', sessionId: 's 1', sessionKey: 'k1' }
    const terminal = stage.terminals.create(running(stage, 'exit 3', session))
    expect(terminal).toEqual({
      ...session,
      terminalId: terminal.terminalId,
      title: 'a test',
      command: "sh -c 'exit 3'",
      folder: stage.home,
      exit: null,
    })
    expect([stage.terminals.list(), stage.terminals.ofSession('k1'), changes]).toEqual([[terminal], terminal, 1])
    await expect.poll(() => exits.length).toBe(1)
    expect(exits[0]).toEqual({ ...terminal, exit: { code: 3, signal: null } })
    expect([stage.terminals.list(), stage.terminals.ofSession('k1')]).toEqual([exits, undefined])
    stage.terminals.close(terminal.terminalId)
    expect([stage.terminals.list(), changes]).toEqual([[], 3])
  })

  test('refuse a command that is not there, before anything is started', () => {
    const stage = makeStage()
    put(stage.home, 'bin/not-executable', '#!/bin/sh\n')
    put(stage.home, 'bin/a-folder/file', '')
    for (const command of ['no-such-agent', 'not-executable', 'a-folder', './here', join(stage.home, 'nothing')])
      expect(() => stage.terminals.create(running(stage, '', { program: program(command, words()) }))).toThrow(
        expect.objectContaining({ code: 'unsupported', hint: expect.stringContaining('which') }),
      )
    expect(stage.terminals.list()).toEqual([])
  })

  test('refuse a folder that is gone', () => {
    const stage = makeStage()
    const file = put(stage.home, 'file', '')
    const refusals = [
      [join(stage.home, 'gone'), 'not-found', 'mkdir -p'],
      [file, 'usage', stage.home],
      ['relative', 'unsafe-argument', 'by hand'],
    ] as const
    for (const [folder, code, hint] of refusals)
      expect(() => stage.terminals.create(running(stage, '', { folder }))).toThrow(
        expect.objectContaining({ code, hint: expect.stringContaining(hint) }),
      )
    expect(stage.terminals.list()).toEqual([])
  })

  test('take a program of the session folder only by its path', async () => {
    const stage = makeStage({ variables: { PATH: ':.:/usr/bin:/bin' } })
    stage.standIn('../mine', '#!/bin/sh\necho mine\n')
    expect(() => stage.terminals.create(running(stage, '', { program: program('mine', words()) }))).toThrow(
      /not installed/,
    )
    expect(stage.terminals.create(running(stage, '', { program: program('./mine', words()) })).exit).toBeNull()
  })

  test('are not more than the limit at once', async () => {
    const stage = makeStage({ limits: { running: 2 } })
    const { id, watcher } = watch(stage, 'read word')
    watch(stage, 'read word')
    expect(() => watch(stage, 'exit 0')).toThrow(/2 terminals are already running/)
    stage.terminals.input(id, 'x\r')
    await watcher.seesExit()
    expect(await watch(stage, 'exit 5').watcher.seesExit()).toMatchObject({ code: 5 })
  })

  test('are not made faster than the limit', async () => {
    const stage = makeStage({ limits: { createsPerMinute: 2 } })
    await watch(stage, 'exit 0').watcher.seesExit()
    await watch(stage, 'exit 0').watcher.seesExit()
    expect(() => watch(stage, 'exit 0')).toThrow(/within a minute/)
  })

  test('forget the oldest of those that ended', async () => {
    const stage = makeStage({ limits: { ended: 2 } })
    const ids: string[] = []
    for (let count = 0; count < 3; count++) {
      const { id, watcher } = watch(stage, 'exit 0')
      await watcher.seesExit()
      ids.push(id)
    }
    expect(stage.terminals.list().map(({ terminalId }) => terminalId)).toEqual(ids.slice(1))
  })
})
