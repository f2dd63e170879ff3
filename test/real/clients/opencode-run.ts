// `opencode run --attach`: one message and its answer, printed. It exits as soon as its request is answered.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { agentNamed, binaryOf } from '../restores/acp-agents.ts'
import { type RealClient, require } from './client.ts'
import { OTHER_AGENT, type Stage, TOKEN } from './stage.ts'

const RUNS = 20
/** Programs that keep the processors busy meanwhile. */
const BUSY = 4
const installed = process.env['RETHREAD_TEST_REAL_AGENTS'] ?? ''
export const program = binaryOf(agentNamed('opencode'), installed)
export const quiet = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }

export const opencodeRun: RealClient = {
  name: 'opencode-run',
  title: 'OpenCode, `opencode run --attach`',
  version: '1.18.33',
  install: 'npm install opencode-ai@1.18.33',
  missing: () => (existsSync(program) ? undefined : `${program} is not installed`),
  cases: [
    { name: 'a message is answered, every time', run: async stage => await countAnswers(stage, RUNS) },
    {
      name: 'the same while other programs keep the processors busy',
      run: async stage => {
        const busy = Array.from({ length: BUSY }, () => spawn(process.execPath, ['-e', 'for (;;);']))
        try {
          return await countAnswers(stage, RUNS)
        } finally {
          for (const child of busy) child.kill('SIGKILL')
        }
      },
    },
    {
      name: 'a permission that the client rejects ends the turn',
      run: async stage => {
        const { output } = await run(stage, 'permission')
        require(output.includes('permission requested: bash (echo permission)'), output)
        return 'It prints the permission as `bash (echo permission)` and rejects it.'
      },
    },
    {
      name: 'a permission that the client grants (--auto)',
      run: async stage => {
        const { status, output } = await run(stage, '--auto', '-m', `${OTHER_AGENT}/default`, 'permission')
        const [session] = sessionsSchema.parse(await stage.get('/session'))
        const messages = JSON.stringify(await stage.get(`/session/${session?.id}/message`))
        require(status === 0 && messages.includes('"status":"completed"'), output)
        return 'The client exits at the end of the turn, when the tool has run.'
      },
    },
    {
      name: 'a conversation goes on with --continue',
      run: async stage => {
        await run(stage, 'first words')
        const before = await count(stage)
        const { output } = await run(stage, '--continue', 'second words')
        require(output.includes('second words') && (await count(stage)) === before, output)
        return 'The second answer is in the same session.'
      },
    },
  ],
}

const sessionsSchema = z.array(z.object({ id: z.string() }))

async function countAnswers(stage: Stage, runs: number): Promise<string> {
  let printed = 0
  for (let at = 1; at <= runs; at++) {
    const { output } = await run(stage, `hello-${at}`)
    if (output.split('\n').includes(`hello-${at}`)) printed++
  }
  require(printed === runs, `${printed} of ${runs} answers were printed.`)
  return `${printed} of ${runs} answers were printed.`
}

async function count(stage: Stage): Promise<number> {
  return sessionsSchema.parse(await stage.get('/session')).length
}

async function run(stage: Stage, ...args: string[]): Promise<{ status: number | null; output: string }> {
  const command = ['run', '--attach', stage.baseUrl, '-p', TOKEN, ...args]
  const env = { ...stage.variables, ...quiet }
  const child = spawn(program, command, { env, cwd: stage.project, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk
    })
  await once(child, 'close')
  return { status: child.exitCode, output }
}
