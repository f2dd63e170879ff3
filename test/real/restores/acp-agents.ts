// The real agents as they are talked to over ACP: how each is installed, set up and started.
import { join } from 'node:path'
import { claudeCode } from '../claude-code.ts'
import { codex } from '../codex.ts'
import { geminiCli } from '../gemini-cli.ts'
import { opencode } from '../opencode.ts'
import type { AgentCommands } from '../real-agent.ts'

export interface AcpAgent {
  /** As rethread names the connection. */
  name: string
  /** The id of the agent whose store it writes. */
  store: string
  title: string
  npmPackage: string
  /** The folder of its installation is `<installed>-<version>`. */
  installed: string
  version: string
  command: string
  args: readonly string[]
  variables(port: number): Record<string, string>
  prepare(home: string, port: number): void
}

type Own = Pick<AcpAgent, 'name' | 'installed' | 'version' | 'npmPackage' | 'title' | 'command' | 'args'>

function over({ id, variables, prepare }: AgentCommands, own: Own): AcpAgent {
  return { store: id, variables, prepare, ...own }
}

export const ACP_AGENTS: readonly AcpAgent[] = [
  over(claudeCode, {
    name: 'claude',
    title: 'Claude Code (claude-agent-acp)',
    npmPackage: '@agentclientprotocol/claude-agent-acp',
    installed: 'claude-agent-acp',
    version: '0.99.1',
    command: 'claude-agent-acp',
    args: [],
  }),
  over(codex, {
    name: 'codex',
    title: 'Codex (codex-acp)',
    npmPackage: '@agentclientprotocol/codex-acp',
    installed: 'codex-acp',
    version: '2.6.0',
    command: 'codex-acp',
    args: [],
  }),
  over(geminiCli, {
    name: 'gemini',
    title: 'Gemini CLI',
    npmPackage: '@google/gemini-cli',
    installed: 'gemini-cli',
    version: '0.61.0',
    command: 'gemini',
    args: ['--acp', '-m', 'gemini-2.5-flash', '--skip-trust'],
  }),
  over(opencode, {
    name: 'opencode',
    title: 'OpenCode',
    npmPackage: 'opencode-ai',
    installed: 'opencode',
    version: '1.18.33',
    command: 'opencode',
    args: ['acp'],
  }),
]

export function binaryOf({ installed, version, command }: AcpAgent, folder: string): string {
  return join(folder, `${installed}-${version}`, 'node_modules', '.bin', command)
}

export function agentNamed(name: string): AcpAgent {
  const agent = ACP_AGENTS.find(candidate => candidate.name === name)
  if (agent === undefined) throw new Error(`No agent is called ${name}.`)
  return agent
}
