// Codex.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf } from './models/values.ts'
import type { AgentCommands } from './real-agent.ts'
import { piecesOf } from './sent.ts'

export const codex: AgentCommands = {
  id: 'codex',
  title: 'Codex',
  npmPackage: '@openai/codex',
  versions: ['0.40.0', '0.166.0'],
  command: 'codex',
  isExtra: (messages, place) => isMadeUp(messages[place]) || isContext(messages[place]),
  variables: () => ({ STAND_IN_KEY: 'x' }),
  prepare(home, port) {
    mkdirSync(join(home, '.codex'), { recursive: true })
    writeFileSync(join(home, '.codex', 'config.toml'), configuration(port))
  },
  args(prompt, session) {
    const exec = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
    if (session === undefined) return [...exec, prompt]
    // 0.40.0 does not say its id, and takes the prompt of the last session only in this place.
    return session === 'latest' ? [...exec, prompt, 'resume', '--last'] : [...exec, 'resume', session, prompt]
  },
  sessionOf: ran => /session id: ([0-9a-f-]{36})/.exec(ran.stderr + ran.stdout)?.[1],
}

function configuration(port: number): string {
  return `model = "stand-in"
model_provider = "stand-in"
[model_providers.stand-in]
name = "stand-in"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "STAND_IN_KEY"
wire_api = "responses"
`
}

/** It answers by itself for a call whose output is not there. */
function isMadeUp(message: unknown): boolean {
  return fieldsOf(message)['output'] === 'aborted'
}

/** What it tells the model of the machine, and tells again where it is lost. */
function isContext(message: unknown): boolean {
  return fieldsOf(message)['role'] === 'user' && piecesOf([message]).length === 0
}
