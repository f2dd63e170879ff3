// The list of the real agents that the tests can drive.
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import { opencode } from './opencode.ts'
import type { AgentCommands } from './real-agent.ts'

export const REAL_AGENTS: readonly AgentCommands[] = [claudeCode, codex, geminiCli, opencode]
