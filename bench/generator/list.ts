// THE LIST: every agent the generator can write sessions of, one line each.
import { amp } from './agents/amp.ts'
import { claudeCode } from './agents/claude-code.ts'
import { codex } from './agents/codex.ts'
import { cursor } from './agents/cursor.ts'
import { geminiCli } from './agents/gemini-cli.ts'
import { kiro } from './agents/kiro.ts'
import { opencode } from './agents/opencode.ts'
import { warp } from './agents/warp.ts'
import type { Maker } from './maker.ts'

export const makers: readonly Maker[] = [
  ...claudeCode,
  ...codex,
  ...geminiCli,
  ...opencode,
  ...amp,
  ...warp,
  ...kiro,
  ...cursor,
]
