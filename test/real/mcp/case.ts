// One case: a real agent with rethread among its MCP servers calls a tool, because its model asks for that, and gives the
// model what the tool returned.
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rethread } from '../../support/cli.ts'
import type { ModelServer } from '../model-server.ts'
import { openAgent } from '../real-agent.ts'
import type { Version } from '../workshop.ts'

const RECORDED = join(import.meta.dirname, '../../fixtures/recorded')
/** A conversation of another agent: what is looked up was said elsewhere. */
const OTHERS: Record<string, { recording: string; agent: string }> = {
  'claude-code': { recording: 'codex-0.166.0', agent: 'codex' },
}
const OTHER = { recording: 'claude-code-2.0.14', agent: 'claude-code' }

/** Some agents ask their model before a server has started, and offer its tools a moment later. */
const TURNS = 5

export const CALLS: Record<string, (session: string) => object> = {
  list_conversations: () => ({ limit: 5 }),
  search_conversations: () => ({ query: 'price field' }),
  read_conversation: session => ({ session, limit: 4 }),
}

export interface Seen {
  tool: string
  /** Under which name the agent offered the tool to its model; undefined where it did not. */
  offered: string | undefined
  /** What the tool returned reached the model, with the mark of a quotation. */
  isReturned: boolean
  /** The agent finished its turn. */
  isAnswered: boolean
  /** The last lines that the agent wrote, where something is missing. */
  trouble: string
}

export async function verifyMcp(version: Version, agents: string, server: ModelServer): Promise<Seen[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rethread-mcp-'))
  try {
    const project = join(folder, 'shop')
    const home = join(folder, 'home')
    mkdirSync(project)
    mkdirSync(home)
    const other = OTHERS[version.id] ?? OTHER
    adopt(home, project, other.recording)
    const real = openAgent(version.commands, version.version, { agents, project, server })
    real.prepare(home, server.port)
    const state = join(folder, 'state')
    const run = (...args: string[]) => rethread(home, '--state', state, '--json', ...args)
    const written = await run('mcp', '--install', version.id, '--write')
    if (written.status !== 0) throw new Error(`The setting was not written: ${written.stderr}`)
    const { sessions } = JSON.parse((await run('list', '--agent', other.agent)).stdout)
    const seen: Seen[] = []
    for (const [tool, input] of Object.entries(CALLS)) {
      const call = JSON.stringify(input(sessions[0].sessionId))
      const offeredIn = () => server.asked.flatMap(({ tools }) => tools).find(name => name.endsWith(tool))
      let turn = await real.turn(home, `MCP ${tool} ${call}`)
      for (let again = 1; again < TURNS && offeredIn() === undefined; again++)
        turn = await real.turn(home, `MCP ${tool} ${call}`)
      const offered = offeredIn()
      const returned = JSON.stringify(server.asked.at(-1)?.messages ?? [])
      const isReturned = returned.includes('Quoted history') && returned.includes('Please add a price field')
      const isFine = offered !== undefined && isReturned && turn.isAnswered
      const said = `${turn.ran.stdout}\n${turn.ran.stderr}`.trim().split('\n').slice(-5).join('\n')
      seen.push({ tool, offered, isReturned, isAnswered: turn.isAnswered, trouble: isFine ? '' : said.slice(-800) })
    }
    return seen
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** The recorded conversation, as if it had been held in this project. */
function adopt(home: string, project: string, recording: string): void {
  cpSync(join(RECORDED, recording), home, { recursive: true })
  for (const file of globSync(join(home, '**/*.jsonl'), { exclude: [] }).concat(globSync(join(home, '.*/**/*.jsonl'))))
    if (statSync(file).isFile()) writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/home/dev/shop', project))
}
