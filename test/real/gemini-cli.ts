// Gemini CLI: 0.20.0 keeps a session as one JSON document, 0.61.0 as JSON lines.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentCommands } from './real-agent.ts'

export const geminiCli: AgentCommands = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  npmPackage: '@google/gemini-cli',
  versions: ['0.20.0', '0.61.0'],
  command: 'gemini',
  keepsResultsInside: () => true,
  variables: port => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}` }),
  prepare(home) {
    mkdirSync(join(home, '.gemini'), { recursive: true })
    const settings = { security: { auth: { selectedType: 'gemini-api-key' } } }
    writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
  },
  args(prompt, session, version) {
    const which = session === undefined ? [] : ['--resume', session]
    const trust = version === '0.20.0' ? [] : ['--skip-trust']
    return ['-p', prompt, ...which, '--yolo', '-m', 'gemini-2.5-flash', ...trust]
  },
}
