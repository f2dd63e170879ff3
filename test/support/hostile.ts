// Sessions whose ids were chosen to become something else: options, commands, paths, escape sequences. And agents that write down how they were started.
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { putConversation } from './conversations.ts'
import { lines, put } from './home.ts'

export interface Hostile {
  agent: string
  id: string
}

export const TITLE = 'Fix the basket total'
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

/** What can stand in the name of a file. `CANARY` is there if anything was run. */
const NAMES = [
  '--settings={"apiKeyHelper":"touch CANARY; echo x"}',
  '--dangerously-skip-permissions',
  '-p',
  '..hidden',
  'a b',
  'a\nb --yolo',
  '\u001b]52;c;eA==\u0007\u001b[31mred',
  '$(touch CANARY)',
  '`touch CANARY`',
  "a';touch CANARY;'",
  'x: rethread show y; touch CANARY #',
  '\u2010\u2010yolo',
  '\u202eabc',
  '\uff0d\uff0dyolo',
  'x'.repeat(200),
]
/** What can stand in a file, too. */
const INSIDE = [...NAMES, '--yolo', '../../../etc/passwd', 'a/b', '/etc/passwd', 'x'.repeat(5000), 'lone \ud800']
/** Longer than what is read of a file to find it: then it is known by its name. */
export const TOO_LONG = { name: '00000099', id: 'x'.repeat(10_000) }

const AGENTS = ['claude', 'codex', 'gemini', 'opencode', 'amp', 'kiro-cli', 'cursor-agent', 'jp']

/** Stand-ins for all agents. Each appends what it was started with to a file. */
export function putRecorders(home: string): string {
  const record = join(home, 'started')
  const script = `#!/bin/sh\nfor word in "$0" "$@"; do printf '%s\\0' "$word" >> '${record}'; done\necho "started: $*"\n`
  for (const name of AGENTS) chmodSync(put(home, `bin/${name}`, script), 0o755)
  return join(home, 'bin')
}

/** The command lines, one behind the other; empty where nothing was started. */
export function startedIn(home: string): string[] {
  const record = join(home, 'started')
  return existsSync(record) ? readFileSync(record, 'utf8').split('\0').slice(0, -1) : []
}

export function putHostile(home: string): Hostile[] {
  mkdirSync(join(home, 'work', 'shop'), { recursive: true })
  const folder = join(home, 'work', 'shop')
  for (const [index, id] of NAMES.entries()) putConversation(home, 1000 + index, { id, text: TITLE, messages: 2 })
  for (const [index, id] of INSIDE.entries()) putLog(home, `000000${10 + index}`, id, folder)
  putLog(home, TOO_LONG.name, TOO_LONG.id, folder)
  const tree = ['--prompt=touch CANARY', ...NAMES]
  for (const id of tree) putTree(home, id, folder)
  const threads = NAMES.map(name => `T-${name}`)
  for (const id of threads) putThread(home, id, folder)
  return [
    ...NAMES.map(id => ({ agent: 'claude-code', id })),
    ...INSIDE.map(id => ({ agent: 'gemini-cli', id })),
    ...tree.map(id => ({ agent: 'opencode', id })),
    ...threads.map(id => ({ agent: 'amp', id })),
  ]
}

function putLog(home: string, name: string, sessionId: string, folder: string): void {
  const time = '2026-01-01T09:00:00.000Z'
  const header = {
    sessionId,
    projectHash: 'h',
    startTime: time,
    lastUpdated: time,
    kind: 'main',
    directories: [folder],
  }
  const path = put(
    home,
    `.gemini/tmp/shop${name}/chats/session-2026-01-01T09-00-${name}.jsonl`,
    lines(
      header,
      { id: 'm1', timestamp: time, type: 'user', content: [{ text: TITLE }] },
      { id: 'm2', timestamp: time, type: 'gemini', content: 'Done.', model: 'm' },
    ),
  )
  put(home, `.gemini/tmp/shop${name}/.project_root`, folder)
  utimesSync(path, LONG_AGO, LONG_AGO)
}

function putTree(home: string, id: string, directory: string): void {
  const storage = '.local/share/opencode/storage'
  const time = { created: LONG_AGO.getTime(), updated: LONG_AGO.getTime() }
  const session = { id, projectID: 'global', directory, title: TITLE, version: '1.1.65', time }
  const message = { id: 'msg_1', sessionID: id, role: 'user', time }
  const part = { id: 'prt_1', messageID: `msg_1`, sessionID: id, type: 'text', text: TITLE }
  for (const [name, value] of [
    [`session/global/${id}.json`, session],
    [`message/${id}/msg_1.json`, message],
    ['part/msg_1/prt_1.json', part],
  ] as const)
    utimesSync(put(home, `${storage}/${name}`, JSON.stringify(value)), LONG_AGO, LONG_AGO)
}

function putThread(home: string, id: string, folder: string): void {
  const messages = [{ role: 'user', messageId: 0, content: [{ type: 'text', text: TITLE }] }]
  const env = { initial: { trees: [{ uri: `file://${folder}`, displayName: 'shop' }] } }
  const path = put(
    home,
    `.local/share/amp/threads/${id}.json`,
    JSON.stringify({ v: 1, id, created: LONG_AGO.getTime(), title: TITLE, messages, env }),
  )
  utimesSync(path, LONG_AGO, LONG_AGO)
}
