// acpx, an ACP client that nobody here wrote, against `rethread acp` with the mock agent. It keeps an agent's
// process for a while, loads its session when that is gone, and prints what the agent says.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type RealClient, require } from './client.ts'
import { BIN, type Stage } from './stage.ts'

const VERSION = '0.19.1'
const PROGRAM = join(process.env['RETHREAD_TEST_REAL_AGENTS'] ?? '', `acpx-${VERSION}`, 'node_modules', '.bin', 'acpx')
/** Prompts one after the other in one session. */
const RUNS = 10
/** acpx keeps the agent this long. With less, its own owner process refuses prompts while it shuts down. */
const TTL_SECONDS = '30'

/** One home of acpx. The process that it keeps ends with its session. */
class Acpx {
  readonly #stage: Stage

  constructor(stage: Stage) {
    this.#stage = stage
  }

  async run(...args: string[]): Promise<{ status: number | null; output: string }> {
    return await this.runWith('mock', ...args)
  }

  async runWith(agent: string, ...args: string[]): Promise<{ status: number | null; output: string }> {
    const { home, project, variables } = this.#stage
    const own = ['--home', home, '--state', join(home, 'state')]
    // acpx splits this line into words. None of these has a space.
    const line = [process.execPath, BIN, ...own, 'acp', '--agent', agent].join(' ')
    const child = spawn(PROGRAM, ['--agent', line, '--cwd', project, '--ttl', TTL_SECONDS, ...args], {
      cwd: project,
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        output += chunk
      })
    const [status] = await once(child, 'close')
    return { status: typeof status === 'number' ? status : null, output }
  }
}

const CASES: Record<string, (acpx: Acpx) => Promise<string>> = {
  'one prompt in a session of its own (exec)': async acpx => {
    const { status, output } = await acpx.run('exec', 'hello there')
    require(status === 0 && output.includes('hello there'), output)
    return 'The answer is printed, status 0.'
  },
  'prompts in one session': async acpx => {
    await acpx.run('sessions', 'new')
    let answered = 0
    for (let at = 1; at <= RUNS; at++)
      if ((await acpx.run('prompt', `words ${at}`)).output.includes(`words ${at}`)) answered++
    require(answered === RUNS, `${answered} of ${RUNS} prompts were answered.`)
    return `${answered} of ${RUNS} prompts were answered.`
  },
  'a session goes on after its agent and rethread have ended': async acpx => {
    await acpx.run('sessions', 'new')
    await acpx.run('prompt', 'remember the apple')
    await acpx.run('sessions', 'close')
    const listed = await acpx.run('sessions', 'list')
    require(listed.output.includes('remember the apple'), listed.output)
    const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(listed.output) ?? []
    await acpx.run('sessions', 'new', '--resume-session', id)
    const { output } = await acpx.run('prompt', 'history')
    require(output.includes('remember the apple') || /replays=1|turns?=/.test(output), output)
    return 'It is listed by its first words, resumed by its id, and the agent knows what was said.'
  },
  'a permission that the client denies': async acpx => {
    const { output } = await acpx.run('--deny-all', 'exec', 'permission please')
    require(/\[tool\][^\n]*\(failed\)/.test(output), output)
    return 'The tool fails, and the turn ends.'
  },
  'a permission that the client grants': async acpx => {
    const { status, output } = await acpx.run('--approve-all', 'exec', 'permission please')
    require(status === 0 && /allow|granted|completed/i.test(output), output)
    return 'The agent goes on with the tool.'
  },
  'an agent that is not installed': async acpx => {
    const { status, output } = await acpx.runWith('not-there', 'exec', 'hello')
    require(status !== 0 && /not configured|No agent is configured|not installed/i.test(output), output)
    return 'The reason is printed, with another status than 0.'
  },
}

export const acpx: RealClient = {
  name: 'acpx',
  title: 'acpx, an ACP client',
  version: VERSION,
  install: `npm install acpx@${VERSION}`,
  missing: () => (existsSync(PROGRAM) ? undefined : `${PROGRAM} is not installed`),
  cases: Object.entries(CASES).map(([name, run]) => ({
    name,
    run: async stage => {
      const client = new Acpx(stage)
      try {
        return await run(client)
      } finally {
        await client.run('sessions', 'close')
      }
    },
  })),
}
