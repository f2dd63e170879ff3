// The real command where nobody can be asked: whether that is reported, and why.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CliResult, rethreadInTurnWith } from '../../../test/support/cli.ts'
import { BAD_EVENTS, makeSanitizeStage, type SanitizeStage } from '../../../test/support/sanitize-stage.ts'

const DAMAGED = { 'events.json': BAD_EVENTS }

/** Without a terminal. */
function alone(stage: SanitizeStage, env: Record<string, string>, ...flags: string[]): Promise<CliResult> {
  const args = ['--state', join(stage.home, 'state'), 'sanitize', stage.folder, ...flags]
  return rethreadInTurnWith(stage.home, { CI: '', TERM: 'xterm', ...env }, ...args)
}

describe('where something was trashed, and nobody was asked', () => {
  test.each([
    ['TERM is dumb. To be asked next time, set it to what your terminal is.', { TERM: 'dumb' }],
    ['CI is set. To be asked next time, unset it.', { CI: '1' }],
  ])('at a terminal: %s', async (notified, env) => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const screen = stage.inTerminal(['sanitize'], { env })
    await screen.sees(`No questions were asked: ${notified}`)
    await screen.sees(`Trashed corrupt conversation ${name}`)
    expect(await screen.ended).toBe(4)
  })

  test.each([
    ['there is no terminal. To be asked next time, run it in one.', {}],
    ['CI is set.', { CI: '1' }],
  ])('without a terminal, and nothing is advised that would not help: %s', async (notified, env) => {
    const stage = makeSanitizeStage()
    stage.add(DAMAGED)
    const { status, stderr, stdout } = await alone(stage, env, '--json')
    expect(stderr.split('\n').filter(line => line.includes('asked'))).toEqual([`No questions were asked: ${notified}`])
    expect(stdout).not.toContain('No questions were asked')
    expect(status).toBe(4)
  })

  test('it reports flags that are done without, too', async () => {
    const stage = makeSanitizeStage()
    stage.add({ 'init_config.json': '{"delta":' })
    const { status, stderr } = await alone(stage, {})
    expect([status, stderr]).toEqual([3, expect.stringContaining('No questions were asked: there is no terminal.')])
  })
})

describe('it is not reported', () => {
  test.each([
    ['where the person chose it', '--non-interactive', 4],
    ['where nothing was lost', '--salvage', 0],
    ['by a check', '--check', 5],
  ])('%s', async (_, flag, expected) => {
    const stage = makeSanitizeStage()
    stage.add(DAMAGED)
    const { status, stderr } = await alone(stage, {}, flag)
    expect(stderr).not.toContain('No questions were asked')
    expect(status).toBe(expected)
  })
})
