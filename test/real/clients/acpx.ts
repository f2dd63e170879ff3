// acpx, an ACP client that nobody here wrote, against `rethread acp` with the mock agent. It keeps an agent's
// process for a while, loads its session when that is gone, and prints what the agent says.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface AcpxRow {
  what: string
  /** What was seen, with figures, or why it failed. */
  result: string
  isFine: boolean
  version: string
}

const BIN = fileURLToPath(new URL('../../../bin/rethread.js', import.meta.url))
/** Prompts one after the other in one session. */
const RUNS = 10
/** acpx keeps the agent this long. With less, its own owner process refuses prompts while it shuts down. */
const TTL_SECONDS = '30'

/** `program`: the path of acpx. Its files are in a temporary home, which is removed. */
export async function verifyAcpx(program: string): Promise<AcpxRow[]> {
  const version = versionOf(program)
  const rows: AcpxRow[] = []
  for (const [what, run] of Object.entries(CASES)) {
    const stage = new Stage(program)
    try {
      rows.push({ what, result: await run(stage), isFine: true, version })
    } catch (error) {
      rows.push({ what, result: error instanceof Error ? error.message : String(error), isFine: false, version })
    } finally {
      await stage.close()
    }
  }
  return rows
}

type Case = (stage: Stage) => Promise<string>

const CASES: Record<string, Case> = {
  'one prompt in a session of its own (exec)': async stage => {
    const { status, output } = await stage.run('exec', 'hello there')
    expect(status === 0 && output.includes('hello there'), output)
    return 'The answer is printed, status 0.'
  },
  'prompts in one session': async stage => {
    await stage.run('sessions', 'new')
    let answered = 0
    for (let at = 1; at <= RUNS; at++)
      if ((await stage.run('prompt', `words ${at}`)).output.includes(`words ${at}`)) answered++
    expect(answered === RUNS, `${answered} of ${RUNS} prompts were answered.`)
    return `${answered} of ${RUNS} prompts were answered.`
  },
  'a session goes on after its agent and rethread have ended': async stage => {
    await stage.run('sessions', 'new')
    await stage.run('prompt', 'remember the apple')
    await stage.run('sessions', 'close')
    const listed = await stage.run('sessions', 'list')
    expect(listed.output.includes('remember the apple'), listed.output)
    const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(listed.output) ?? []
    await stage.run('sessions', 'new', '--resume-session', id)
    const { output } = await stage.run('prompt', 'history')
    expect(output.includes('remember the apple') || /replays=1|turns?=/.test(output), output)
    return 'It is listed by its first words, resumed by its id, and the agent knows what was said.'
  },
  'a permission that the client denies': async stage => {
    const { output } = await stage.run('--deny-all', 'exec', 'permission please')
    expect(/\[tool\][^\n]*\(failed\)/.test(output), output)
    return 'The tool fails, and the turn ends.'
  },
  'a permission that the client grants': async stage => {
    const { status, output } = await stage.run('--approve-all', 'exec', 'permission please')
    expect(status === 0 && /allow|granted|completed/i.test(output), output)
    return 'The agent goes on with the tool.'
  },
  'an agent that is not installed': async stage => {
    const { status, output } = await stage.runWith('not-there', 'exec', 'hello')
    expect(status !== 0 && /not configured|No agent is configured|not installed/i.test(output), output)
    return 'The reason is printed, with another status than 0.'
  },
}

class Stage {
  readonly #home = mkdtempSync(join(tmpdir(), 'rethread-acpx-'))
  readonly #folder = join(this.#home, 'shop')
  readonly #program: string

  constructor(program: string) {
    this.#program = program
    mkdirSync(this.#folder)
  }

  async run(...args: string[]): Promise<{ status: number | null; output: string }> {
    return await this.runWith('mock', ...args)
  }

  async runWith(agent: string, ...args: string[]): Promise<{ status: number | null; output: string }> {
    const own = ['--home', this.#home, '--state', join(this.#home, 'state')]
    // acpx splits this line into words. None of these has a space.
    const line = [process.execPath, BIN, ...own, 'acp', '--agent', agent].join(' ')
    const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
    const child = spawn(this.#program, ['--agent', line, '--cwd', this.#folder, '--ttl', TTL_SECONDS, ...args], {
      cwd: this.#folder,
      env: { HOME: this.#home, PATH: path, TMPDIR: tmpdir(), LANG: 'C.UTF-8' },
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

  /** The process that acpx keeps ends with its session. */
  async close(): Promise<void> {
    await this.run('sessions', 'close')
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

function versionOf(program: string): string {
  const file = join(dirname(program), '..', 'acpx', 'package.json')
  if (!existsSync(file)) return 'unknown'
  return String(JSON.parse(readFileSync(file, 'utf8')).version)
}

function expect(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise)
}

// As a program: prints the rows. RETHREAD_TEST_ACPX names acpx.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const program = process.env['RETHREAD_TEST_ACPX']
  if (program === undefined) throw new Error('RETHREAD_TEST_ACPX is not set: the path of acpx.')
  for (const { what, result, isFine, version } of await verifyAcpx(program))
    process.stdout.write(`${isFine ? 'ok  ' : 'FAIL'} acpx ${version}: ${what}: ${result}\n`)
}
