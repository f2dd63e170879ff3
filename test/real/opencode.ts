// OpenCode: 1.1.65 keeps a tree of JSON files, 1.18.33 an SQLite database.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentCommands } from './real-agent.ts'

export const opencode: AgentCommands = {
  id: 'opencode',
  title: 'OpenCode',
  npmPackage: 'opencode-ai',
  versions: ['1.1.65', '1.18.33'],
  command: 'opencode',
  keepsResultsInside: () => true,
  variables: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  prepare(home, port) {
    const folder = join(home, '.config', 'opencode')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'opencode.json'), JSON.stringify(configuration(port)))
  },
  args(prompt, session) {
    const which = session === undefined ? [] : session === 'latest' ? ['-c'] : ['-s', session]
    return ['run', ...which, prompt]
  },
  listArgs: ['session', 'list', '--format', 'json'],
  listedIn: ran => ran.stdout.match(/(?<="id": ?")ses_\w+/g) ?? [],
}

function configuration(port: number) {
  const model = { name: 'stand-in', tool_call: true, reasoning: true }
  return {
    model: 'stand-in/stand-in',
    permission: 'allow',
    autoupdate: false,
    provider: {
      'stand-in': {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'x' },
        models: { 'stand-in': model },
      },
    },
  }
}
