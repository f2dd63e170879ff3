// The real agent and a session whose id is an option that runs a program: given to it directly, it runs; through rethread it never reaches it.

import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rethreadBin } from '../support/package.ts'
import { runInTerminal, type Screen } from '../support/pty.ts'
import { claudeCode } from './claude-code.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { openAgent } from './real-agent.ts'
import { agentsFolder } from './workshop.ts'

const VERSION = claudeCode.versions.at(-1) ?? ''
const HOSTILE = '--settings={"apiKeyHelper":"touch CANARY; echo x"}'
const KEY = 'sk-ant-api03-stand-in-key-of-this-test-000000000000'
const WORDS = 'The basket total is wrong'
const TIMEOUT_MS = 300_000

const bin = join(agentsFolder ?? '', `${claudeCode.id}-${VERSION}`, 'node_modules', '.bin')
const isMissing = agentsFolder === undefined || !existsSync(join(bin, claudeCode.command))
if (isMissing)
  process.stderr.write('An id that is an option is not tried: RETHREAD_TEST_REAL_AGENTS has no agent for it.\n')

interface Stage {
  home: string
  project: string
  canary: string
  /** The session that was recorded. */
  id: string
  run(command: string, args: string[], variables?: Record<string, string>): Screen
}

/** A home in which the agent has been used before, with one conversation and a copy of it under the hostile name. */
async function makeStage(server: ModelServer): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'rethread-hostile-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
  const [home, project] = [join(folder, 'home'), join(folder, 'shop')]
  for (const made of [home, project]) mkdirSync(made)
  const agent = openAgent(claudeCode, VERSION, { agents: agentsFolder ?? '', project, server })
  const { session: id } = await agent.turn(home, WORDS)
  const [file] = globSync(join(home, '.claude', 'projects', '*', `${id}.jsonl`))
  if (id === undefined || file === undefined) throw new Error('Nothing was recorded.')
  copyFileSync(file, join(dirname(file), `${HOSTILE}.jsonl`))
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }),
  )
  const path = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
  const env = { ...claudeCode.variables(server.port), HOME: home, PATH: path, ANTHROPIC_API_KEY: KEY, NODE_OPTIONS: '' }
  return {
    ...{ home, project, id, canary: join(project, 'CANARY') },
    run: (command, args, variables) => runInTerminal(command, args, { folder: project, env: { ...env, ...variables } }),
  }
}

test.skipIf(isMissing)(
  'a command in the id of a session is run by the agent that is given it, and never through rethread',
  async () => {
    const server = await startModelServer()
    onTestFinished(async () => await server.stop())
    const { home, id, canary, run } = await makeStage(server)
    const rethread = (...args: string[]) =>
      run(process.execPath, [rethreadBin, '--home', home, '--state', join(home, 'state'), ...args])

    // That it would be: otherwise the rest proves nothing.
    const direct = run(join(bin, claudeCode.command), ['--resume', HOSTILE], { ANTHROPIC_API_KEY: '' })
    await expect.poll(() => existsSync(canary), { timeout: 120_000 }).toBe(true)
    direct.kill('SIGKILL')
    await direct.ended
    rmSync(canary)

    for (const options of [[], ['--no-repair'], ['--force'], ['--print']]) {
      const refused = rethread('resume', ...options, '--', HOSTILE)
      expect(await refused.ended, refused.text()).toBe(1)
      expect(refused.text()).toMatch(/not have the form that Claude Code uses/)
      expect(existsSync(canary)).toBe(false)
    }

    const resumed = rethread('resume', id)
    await resumed.sees(WORDS)
    resumed.kill('SIGKILL')
    await resumed.ended
    expect(existsSync(canary)).toBe(false)
  },
  TIMEOUT_MS,
)
