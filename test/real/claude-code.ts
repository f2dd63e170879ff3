// Claude Code: the first two versions break easily, the last one heals much by itself.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf } from './models/values.ts'
import type { AgentCommands } from './real-agent.ts'
import { piecesOf } from './sent.ts'

export const claudeCode: AgentCommands = {
  id: 'claude-code',
  title: 'Claude Code',
  npmPackage: '@anthropic-ai/claude-code',
  versions: ['2.0.14', '2.1.25', '2.1.325'],
  command: 'claude',
  /** Its own notes go with a prompt; where that is lost, they are sent alone. */
  isExtra: (messages, place) => isOnlyNotes(messages[place]),
  variables: port => ({
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  prepare() {},
  args(prompt, session) {
    const which = session === undefined ? [] : session === 'latest' ? ['--continue'] : ['--resume', session]
    return [
      '-p',
      prompt,
      ...which,
      '--output-format',
      'json',
      '--allowedTools',
      'Bash',
      'Task',
      'Agent',
      'mcp__rethread',
    ]
  },
  sessionOf: ran => /"session_id":"([^"]+)"/.exec(ran.stdout)?.[1],
  /**
   * The last version bridges a gap between records that are at most five seconds apart, as all of a recording are and few of a person's. One minute
   * between neighbours, the last one now: the newest record is where older versions go back from.
   */
  asOneSitting(home) {
    for (const file of globSync(join(home, '.claude', 'projects', '*', '*.jsonl'))) {
      const lines = readFileSync(file, 'latin1').split('\n')
      const start = Date.now() - lines.length * MINUTE_MS
      const aged = lines.map((line, place) => {
        return line.replaceAll(TIMESTAMP, `"timestamp":"${new Date(start + place * MINUTE_MS).toISOString()}"`)
      })
      writeFileSync(file, aged.join('\n'), 'latin1')
    }
  },
}
const MINUTE_MS = 60_000
const TIMESTAMP = /"timestamp":"[^"\\]+"/g

function isOnlyNotes(message: unknown): boolean {
  return fieldsOf(message)['role'] === 'user' && piecesOf([message]).length === 0
}
