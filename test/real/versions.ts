// Every version of every real agent.
import { REAL_AGENTS } from './index.ts'
import type { AgentCommands } from './real-agent.ts'

export interface Version {
  id: string
  version: string
  commands: AgentCommands
}

export const versions: Version[] = REAL_AGENTS.flatMap(commands =>
  commands.versions.map(version => ({ id: commands.id, version, commands })),
)
