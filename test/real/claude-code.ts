// Claude Code: the first two versions break easily, the last one heals much by itself.
import type { AgentCommands } from './real-agent.ts'

export const claudeCode: AgentCommands = {
  id: 'claude-code',
  versions: ['2.0.14', '2.1.25', '2.1.325'],
  command: 'claude',
  variables: port => ({
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  prepare() {},
  args(prompt, session) {
    const which = session === undefined ? [] : session === 'latest' ? ['--continue'] : ['--resume', session]
    return ['-p', prompt, ...which, '--output-format', 'json', '--allowedTools', 'Bash', 'Task', 'Agent']
  },
  sessionOf: ran => /"session_id":"([^"]+)"/.exec(ran.stdout)?.[1],
}
