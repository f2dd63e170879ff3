// Gemini CLI: 0.20.0 keeps a session as one JSON document, 0.61.0 as JSON lines.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fieldsOf, listOf } from './models/values.ts'
import type { AgentCommands } from './real-agent.ts'
import { piecesOf } from './sent.ts'

export const geminiCli: AgentCommands = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  npmPackage: '@google/gemini-cli',
  versions: ['0.20.0', '0.61.0'],
  command: 'gemini',
  keepsResultsInside: () => true,
  unmerge: messages => messages.flatMap(message => listOf(fieldsOf(message)['parts']).map(part => ({ parts: [part] }))),
  isExtra: (messages, place) => piecesOf([messages[place]]).length === 0,
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
  listArgs: ['--list-sessions'],
  // Some versions print it as an error.
  listedIn: ran => (ran.stdout + ran.stderr).match(/(?<=\[)[0-9a-f]{8}-[0-9a-f-]{27}(?=\])/g) ?? [],
  /** Each resume of a log writes all that was said once more, which repairs by itself whatever happened before it, and leaves an empty log beside it. */
  asOneSitting(home) {
    const logs = globSync(join(home, '.gemini', 'tmp', '*', 'chats', '*.jsonl')).toSorted()
    for (const [file, ...others] of Map.groupBy(logs, dirname).values()) {
      if (file === undefined) continue
      for (const other of others) rmSync(other)
      const [header, context, ...rest] = readFileSync(file, 'latin1').split('\n')
      const kept = rest.filter(line => !/^\{("sessionId"|"\$set":\{"(messages|sessionId)")/.test(line))
      writeFileSync(file, [header, context, ...kept].join('\n'), 'latin1')
    }
  },
}
