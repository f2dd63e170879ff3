// Terminals with real processes: their output, how they end, and that no process is left.
import { chmodSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TerminalOutputResponse } from '@agentclientprotocol/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { type SampleAgent, sampleAgent } from '../../../test/support/journal/requests.ts'
import { isRunning } from '../../disk/processes/process-identity.ts'
import { type ClientSideOptions, makeClientSide } from './index.ts'
import { MAX_TERMINALS_PER_SESSION } from './limits.ts'

function makeStage(more: Partial<ClientSideOptions> = {}) {
  const folder = join(temporaryHome(), 'shop')
  mkdirSync(folder)
  const client = makeClientSide({ foldersOf: async () => [folder], endGraceMs: 100, ...more })
  onTestFinished(() => client.close())
  return { folder, client, agent: sampleAgent(client, 'one'), other: sampleAgent(client, 'two') }
}

const refused = (code: number, text = '') =>
  expect.objectContaining({ name: 'RequestError', code, message: expect.stringContaining(text) })

async function create(agent: SampleAgent, params: object): Promise<{ terminalId: string }> {
  return (await agent.ask('terminal/create', params)) as { terminalId: string }
}

const run = (agent: SampleAgent, script: string, more: object = {}) =>
  create(agent, { command: 'sh', args: ['-c', script], ...more })

const lookup = async (agent: SampleAgent, terminal: object) =>
  (await agent.ask('terminal/output', terminal)) as TerminalOutputResponse

async function outputOf(agent: SampleAgent, params: object): Promise<TerminalOutputResponse> {
  const terminal = await create(agent, params)
  await agent.ask('terminal/wait_for_exit', terminal)
  return lookup(agent, terminal)
}

const scriptOutput = async (agent: SampleAgent, script: string, more: object = {}) =>
  (await outputOf(agent, { command: 'sh', args: ['-c', script], ...more })).output

/** The numbers that a script printed as `pid N`, once it says that it is ready. */
async function pidsOf(agent: SampleAgent, terminal: object): Promise<number[]> {
  await expect.poll(async () => (await lookup(agent, terminal)).output, { interval: 5 }).toContain('ready')
  return [...(await lookup(agent, terminal)).output.matchAll(/pid (\d+)/g)].map(match => Number(match[1]))
}

/** Gone, or a zombie that its parent has not reaped. */
function isEnded(pid: number): boolean {
  if (!isRunning(pid)) return true
  return process.platform === 'linux' && /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

/** A child and a grandchild that do not hear the question. */
const STUBBORN =
  'trap "" TERM HUP INT; echo pid $$; (trap "" TERM HUP INT; echo pid $(sh -c "echo \\$PPID"); (echo pid $(sh -c "echo \\$PPID"); echo ready; while :; do sleep 1; done); :) & while :; do sleep 1; done'

describe('a command', () => {
  test('gives what it wrote to both outputs, and how it ended', async () => {
    const { agent } = makeStage()
    const terminal = await run(agent, 'echo out; echo err >&2; exit 3')
    expect(await agent.ask('terminal/wait_for_exit', terminal)).toEqual({ exitCode: 3, signal: null })
    const { output, ...rest } = await lookup(agent, terminal)
    expect(output.split('\n').sort()).toEqual(['', 'err', 'out'])
    expect(rest).toEqual({ truncated: false, exitStatus: { exitCode: 3, signal: null } })
  })

  test('has all of its output when its exit is reported, however much it is', async () => {
    const { agent } = makeStage()
    const script = 'process.stdout.write("x".repeat(300000) + "end")'
    const output = await outputOf(agent, { command: process.execPath, args: ['-e', script] })
    expect([output.output.length, output.output.slice(-3)]).toEqual([300_003, 'end'])
  })

  test('ends although a process it left behind holds its output open', async () => {
    const { agent } = makeStage()
    const terminal = await run(agent, 'sleep 60 & echo pid $!; echo ready')
    expect(await agent.ask('terminal/wait_for_exit', terminal)).toEqual({ exitCode: 0, signal: null })
    const [left = 0] = await pidsOf(agent, terminal)
    expect(isEnded(left)).toBe(false)
    await agent.ask('terminal/release', terminal)
    expect(isEnded(left)).toBe(true)
  })

  test('is cut at the beginning, at a character', async () => {
    const { agent } = makeStage()
    const script = "printf 'a\\360\\237\\247\\265b'"
    const expected = [
      [0, '', true],
      [3, 'b', true],
      [5, '\u{1F9F5}b', true],
      [6, 'a\u{1F9F5}b', false],
    ] as const
    for (const [outputByteLimit, output, truncated] of expected)
      expect(await outputOf(agent, { command: 'sh', args: ['-c', script], outputByteLimit })).toMatchObject({
        output,
        truncated,
      })
  })

  test('that does not exist, may not be run or is nothing is refused, and takes no place', async () => {
    const { folder, agent } = makeStage()
    const plain = put(folder, 'plain', '#!/bin/sh\n')
    chmodSync(plain, 0o644)
    const wrong = [{ command: 'no-such-program-here' }, { command: plain }, { command: '' }, { command: 'a\0b' }]
    for (const params of [...wrong, { command: 'sh', args: ['a\0b'] }])
      await expect(create(agent, params)).rejects.toEqual(refused(-32602))
    for (let n = 0; n < MAX_TERMINALS_PER_SESSION; n++)
      await expect(create(agent, { command: 'no-such-program-here' })).rejects.toEqual(refused(-32602, 'was not found'))
    expect(await scriptOutput(agent, 'echo fine')).toBe('fine\n')
  })

  test('is not given to a shell', async () => {
    const { folder, agent } = makeStage()
    await expect(create(agent, { command: 'echo hello' })).rejects.toEqual(refused(-32602, 'without a shell'))
    const echoed = await outputOf(agent, { command: 'echo', args: ['$HOME; `id`', '*'] })
    expect(echoed.output).toBe('$HOME; `id` *\n')
    const odd = put(folder, 'two words', '#!/bin/sh\necho ran\n')
    chmodSync(odd, 0o755)
    expect((await outputOf(agent, { command: './two words', args: null })).output).toBe('ran\n')
  })
})

describe('where it runs', () => {
  test('is the first folder, or one inside', async () => {
    const { folder, agent } = makeStage()
    mkdirSync(join(folder, 'sub'))
    expect(await scriptOutput(agent, 'pwd -P')).toBe(`${realpathSync(folder)}\n`)
    expect(await scriptOutput(agent, 'pwd -P', { cwd: join(folder, 'sub') })).toBe(`${realpathSync(folder)}/sub\n`)
  })

  test('is not outside, and has to be there', async () => {
    const { folder, agent } = makeStage()
    symlinkSync('..', join(folder, 'up'))
    for (const cwd of [join(folder, '..'), join(folder, 'up'), `${folder}/../shop`, 'sub', '/'])
      await expect(run(agent, 'pwd', { cwd })).rejects.toEqual(refused(-32602, folder))
    await expect(run(agent, 'pwd', { cwd: join(folder, 'gone') })).rejects.toEqual(refused(-32002, 'gone'))
  })

  test("has the person's variables and those of the agent, and none of ours", async () => {
    const variables = {
      PATH: process.env['PATH'],
      LANG: 'C',
      RETHREAD_TOKEN: 'secret',
      npm_config_x: 'secret',
      EDITOR: 'vi',
    }
    const { folder, agent } = makeStage({ variables })
    const env = [
      { name: 'LANG', value: 'de' },
      { name: 'MORE', value: 'a=b\nc' },
    ]
    const script = 'process.stdout.write(JSON.stringify(process.env))'
    const { output } = await outputOf(agent, { command: process.execPath, args: ['-e', script], env })
    expect(JSON.parse(output)).toEqual({
      RETHREAD_CONNECTION: 'connection-1',
      PATH: process.env['PATH'],
      LANG: 'de',
      EDITOR: 'vi',
      MORE: 'a=b\nc',
      PWD: folder,
    })
    for (const name of ['', 'A=B', 'A\0'])
      await expect(run(agent, 'env', { env: [{ name, value: 'x' }] })).rejects.toEqual(refused(-32602, 'name'))
  })
})

describe('ending', () => {
  test('kill lets it say its last words, and the terminal stays until it is released', async () => {
    const { agent } = makeStage({ endGraceMs: 10_000 })
    const terminal = await run(agent, 'trap "echo good bye; exit 7" TERM; echo ready; while :; do sleep 0.02; done')
    await pidsOf(agent, terminal)
    const waiting = agent.ask('terminal/wait_for_exit', terminal)
    expect(await agent.ask('terminal/kill', terminal)).toEqual({})
    expect(await waiting).toEqual({ exitCode: 7, signal: null })
    const { output, exitStatus } = await lookup(agent, terminal)
    expect([output.match(/good bye/g)?.length, exitStatus]).toEqual([1, { exitCode: 7, signal: null }])
    expect(await agent.ask('terminal/kill', terminal)).toEqual({})
    expect(await agent.ask('terminal/release', terminal)).toEqual({})
    await expect(lookup(agent, terminal)).rejects.toEqual(refused(-32002))
  })

  test.each(['terminal/kill', 'terminal/release'])('%s leaves nobody, not even those who ignore it', async method => {
    const { agent } = makeStage()
    const terminal = await run(agent, STUBBORN)
    const pids = await pidsOf(agent, terminal)
    expect([pids.length, pids.some(isEnded)]).toEqual([3, false])
    const waiting = agent.ask('terminal/wait_for_exit', terminal)
    await agent.ask(method, terminal)
    expect(pids.filter(pid => !isEnded(pid))).toEqual([])
    expect(await waiting).toEqual({ exitCode: null, signal: 'SIGKILL' })
  })

  test.skipIf(process.platform !== 'linux')(
    'reaches jobs in groups of their own, and one that was stopped',
    async () => {
      const { agent } = makeStage()
      // With job control, which this shell has also without a terminal, each job is a process group.
      const script = 'set -m; (trap "" TERM; exec sleep 60) & echo pid $!; echo ready; wait'
      const job = await create(agent, { command: 'bash', args: ['-c', script] })
      const stopped = await run(agent, 'echo pid $$; echo ready; kill -STOP $$')
      const pids = [...(await pidsOf(agent, job)), ...(await pidsOf(agent, stopped))]
      expect([pids.length, pids.some(isEnded)]).toEqual([2, false])
      await Promise.all([job, stopped].map(terminal => agent.ask('terminal/kill', terminal)))
      expect(pids.filter(pid => !isEnded(pid))).toEqual([])
    },
  )

  test('a waiting request can be cancelled, and the command continues', async () => {
    const { agent } = makeStage()
    const terminal = await run(agent, 'echo pid $$; echo ready; sleep 60')
    const [pid = 0] = await pidsOf(agent, terminal)
    const controller = new AbortController()
    const waiting = agent.ask('terminal/wait_for_exit', terminal, { signal: controller.signal })
    controller.abort()
    await expect(waiting).rejects.toEqual(refused(-32800))
    expect(isEnded(pid)).toBe(false)
  })
})

describe('sessions', () => {
  test('do not see the terminals of each other', async () => {
    const { agent, other } = makeStage()
    const terminal = await run(agent, 'echo pid $$; echo ready; sleep 60')
    for (const method of ['output', 'wait_for_exit', 'kill', 'release'])
      await expect(other.ask(`terminal/${method}`, terminal)).rejects.toEqual(refused(-32002))
    const [pid = 0] = await pidsOf(agent, terminal)
    expect(isEnded(pid)).toBe(false)
  })

  test('that are released or closed end all that runs; a cancelled turn ends nothing', async () => {
    const { client, agent, other } = makeStage()
    const start = async (one: SampleAgent) => pidsOf(one, await run(one, 'echo pid $$; echo ready; sleep 60'))
    const [first = 0, second = 0] = [...(await start(agent)), ...(await start(other))]
    client.cancel('one')
    expect([first, second].map(isEnded)).toEqual([false, false])
    await client.release('one')
    expect([first, second].map(isEnded)).toEqual([true, false])
    expect(await scriptOutput(agent, 'echo back again')).toBe('back again\n')
    await client.close()
    expect(isEnded(second)).toBe(true)
    await expect(run(agent, 'echo')).rejects.toEqual(refused(-32603))
  })

  test('that are released while a terminal is being made get none', async () => {
    const looked = Promise.withResolvers<string[]>()
    const { folder, client, agent } = makeStage({ foldersOf: () => looked.promise })
    const creating = run(agent, 'sleep 60')
    await client.release('one')
    looked.resolve([folder])
    await expect(creating).rejects.toEqual(refused(-32800))
  })

  test('have so many terminals and no more, until one is released', async () => {
    const { agent, other } = makeStage()
    const made = await Promise.all(
      [...Array(MAX_TERMINALS_PER_SESSION).keys()].map(() => create(agent, { command: 'true' })),
    )
    await expect(create(agent, { command: 'true' })).rejects.toEqual(refused(-32600, String(MAX_TERMINALS_PER_SESSION)))
    await create(other, { command: 'true' })
    await agent.ask('terminal/release', made[0])
    await create(agent, { command: 'true' })
  })
})
