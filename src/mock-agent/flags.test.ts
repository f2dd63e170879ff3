// The flags that are about the process, not about sessions.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { spawnMockAgent, startMockAgent, textOf } from '../../test/support/mock-agent.ts'
import { mockAgentCommand } from './command.ts'
import { readOptions } from './options.ts'

test('the command is this Node and the program', () => {
  const { command, args } = mockAgentCommand()
  expect(command).toBe(process.execPath)
  expect(args).toEqual([join(import.meta.dirname, 'main.ts')])
})

test('with --log, every line that was received is kept as it came, over two processes', async () => {
  const log = join(temporaryHome(), 'deep', 'log')
  const sent = []
  for (const text of ['stream 1 \u2028 ä', 'plan']) {
    const mock = await startMockAgent({ args: ['--log', log] })
    const session = await mock.newSession()
    await mock.prompt(session, text)
    await mock.kill()
    sent.push(
      expect.objectContaining({ method: 'initialize' }),
      expect.objectContaining({ method: 'session/new', params: { cwd: '/project', mcpServers: [] } }),
      expect.objectContaining({
        method: 'session/prompt',
        params: { sessionId: session, prompt: [{ type: 'text', text }] },
      }),
    )
  }
  const lines = readFileSync(log, 'utf8').split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.map(line => JSON.parse(line))).toEqual(sent)
})

test('with --fault-once, the first process has the fault and the next does not', async () => {
  const once = join(temporaryHome(), 'fired')
  const args = ['--fault-once', once]
  const env = { MOCK_AGENT_FAULTS: 'die-mid-stream,refuse-prompt-after-load' }
  const first = await startMockAgent({ args, env })
  expect(existsSync(once)).toBe(false)
  await expect(first.prompt(await first.newSession(), 'stream 5')).rejects.toThrow()
  expect(await first.exit()).toMatchObject({ code: 1 })
  expect(readFileSync(once, 'utf8')).toBe('die-mid-stream\n')
  const second = await startMockAgent({ args, env })
  expect(textOf((await second.prompt(await second.newSession(), 'stream 5')).updates)).toContain('word5')
})

test.each([
  [['--fault', 'no-such'], /--fault takes one of die-on-initialize, .*, not "no-such"/],
  [['--without', 'breakfast'], /--without takes one of load, .*, not "breakfast"/],
  [['--unheard-of'], /--unheard-of/],
])('%j is wrong', (args, words) => expect(() => readOptions(args, {})).toThrow(words))

test('wrong usage is reported on standard error', async () => {
  const mock = spawnMockAgent({ args: ['--fault', 'zombie-child=1', '--without', 'x'] })
  expect(await mock.exit()).toEqual({ code: 2, signal: null })
  expect(mock.errors).toMatch(/^mock agent: --without takes .*\n$/)
})

test('faults come from the flags and from the environment', () => {
  const { faults } = readOptions(['--fault', 'flood=7', '--fault', 'garbage'], {
    MOCK_AGENT_FAULTS: 'silent, die-on-new',
  })
  expect(faults.map(({ fault, argument }) => [fault.name, argument])).toEqual([
    ['flood', '7'],
    ['garbage', ''],
    ['silent', ''],
    ['die-on-new', ''],
  ])
})
