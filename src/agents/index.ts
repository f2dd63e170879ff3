// THE LIST: every agent rethread knows. One line each; nothing else in shared code names one.
import type { Agent } from './agent.ts'
import { claudeCode } from './claude-code/index.ts'

export const agents: readonly Agent[] = [claudeCode]
