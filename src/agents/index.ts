// THE LIST of agents: one line each. No other shared code names an agent.
import type { Agent } from './agent.ts'
import { amp } from './amp/index.ts'
import { claudeCode } from './claude-code/index.ts'
import { codex } from './codex/index.ts'
import { cursor } from './cursor/index.ts'
import { geminiCli } from './gemini-cli/index.ts'
import { jp } from './jp/index.ts'
import { kiro } from './kiro/index.ts'
import { opencode } from './opencode/index.ts'
import { warp } from './warp/index.ts'

export const agents: readonly Agent[] = [claudeCode, codex, geminiCli, opencode, amp, warp, kiro, cursor, jp]
