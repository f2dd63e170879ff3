import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance, SECOND_LARGE } from '../../../test/support/agent-conformance.ts'
import { inFull } from '../../../test/support/full.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../test/support/home.ts'
import {
  addRow,
  answer,
  CLI,
  CLI_LOG,
  CLI_METADATA,
  DATABASE,
  event,
  fixture,
  IDE,
  LONG,
  prompt,
  putKiroDatabase,
  ROW,
  readSession,
  turnOf,
  V3,
  V3_FOLDER,
  WORKSPACE,
  writeLarge,
} from '../../../test/support/kiro/store.ts'
import { discoverAll, recognisedBy } from '../../../test/support/reading.ts'
import type { Environment } from '../environment.ts'
import { locationsOf } from '../store.ts'
import { kiro } from './index.ts'

conformance({
  name: 'kiro database',
  agent: kiro,
  store: 'database',
  make(home) {
    const value = fixture('database-value.json').toString()
    return { sessionId: ROW, file: putKiroDatabase(home, database => addRow(database, value)), messages: 4 }
  },
  large: {
    bytes: inFull(120, 16) * 1024 * 1024,
    reason: 'the conversation is one value, and SQLite gives a value only whole',
  },
  makeLarge(home, bytes) {
    const turn = JSON.stringify(turnOf(LONG))
    const count = Math.ceil(bytes / turn.length)
    const value = `{"conversation_id":"${ROW}","history":[${new Array(count).fill(turn).join(',')}]}`
    const file = putKiroDatabase(home, database => addRow(database, value), DATABASE, 4096)
    return { sessionId: ROW, file, messages: count * 2 }
  },
  afterCut: 'error-or-all',
})

conformance({
  name: 'kiro cli',
  agent: kiro,
  store: 'cli',
  make(home) {
    put(home, CLI_METADATA, fixture('cli-complete.json'))
    return { sessionId: CLI, file: put(home, CLI_LOG, fixture('cli-complete.jsonl')), messages: 4 }
  },
  growth: () => Buffer.from(lines(prompt('And a test, please'))),
  makeLarge(home, bytes) {
    const file = join(home, CLI_LOG)
    const messages = writeLarge(file, bytes, i => lines(i % 2 === 0 ? prompt(LONG) : answer(LONG)))
    return { sessionId: CLI, file, messages }
  },
  afterCut: 'prefix',
})

conformance({
  name: 'kiro v3',
  agent: kiro,
  store: 'v3',
  make(home) {
    put(home, `${V3_FOLDER}/session.json`, fixture('v3-session.json'))
    return { sessionId: V3, file: put(home, `${V3_FOLDER}/messages.jsonl`, fixture('v3-messages.jsonl')), messages: 5 }
  },
  growth: () => Buffer.from(lines(event({ type: 'user', content: 'And a test, please' }))),
  large: SECOND_LARGE,
  makeLarge(home, bytes) {
    const file = join(home, `${V3_FOLDER}/messages.jsonl`)
    const roles = ['user', 'assistant'] as const
    const messages = writeLarge(file, bytes, i => lines(event({ type: roles[i % 2], content: LONG })))
    return { sessionId: V3, file, messages }
  },
  afterCut: 'prefix',
})

conformance({
  name: 'kiro ide',
  agent: kiro,
  store: 'ide',
  make(home) {
    put(home, `${WORKSPACE}/sessions.json`, fixture('ide-sessions.json'))
    return { sessionId: IDE, file: put(home, `${WORKSPACE}/${IDE}.json`, fixture('ide-session.json')), messages: 4 }
  },
  large: SECOND_LARGE,
  makeLarge(home, bytes): MadeSession {
    const file = put(home, `${WORKSPACE}/${IDE}.json`, `{"sessionId":"${IDE}","history":[\n`)
    const one = (role: string) => JSON.stringify({ message: { role, content: LONG } })
    const messages = writeLarge(file, bytes, i => `${i === 0 ? '' : ',\n'}${one(i % 2 === 0 ? 'user' : 'assistant')}`)
    writeLarge(file, 1, () => ']}')
    return { sessionId: IDE, file, messages }
  },
  afterCut: 'prefix',
})

describe('kiro stores', () => {
  const pathsOn = (platform: Environment['platform'], variables = {}) =>
    locationsOf(kiro, { home: platform === 'win32' ? 'C:\\Users\\dev' : '/home/dev', platform, variables }).map(
      ({ location }) => location.path,
    )

  test('are known on each platform', () => {
    expect(pathsOn('linux')).toEqual([
      '/home/dev/.kiro/data.sqlite3',
      '/home/dev/.amazonq/data.sqlite3',
      '/home/dev/.local/share/kiro-cli/data.sqlite3',
      '/home/dev/.local/share/amazon-q/data.sqlite3',
      '/home/dev/.local/share/amazonq/data.sqlite3',
      '/home/dev/.config/kiro-cli/data.sqlite3',
      '/home/dev/.kiro/sessions/cli',
      '/home/dev/.kiro/sessions',
      '/home/dev/.config/Kiro/User/globalStorage/kiro.kiroagent',
      '/home/dev/.kiro-server/data/User/globalStorage/kiro.kiroagent',
    ])
    expect(pathsOn('darwin')).toContain('/home/dev/Library/Application Support/kiro-cli/data.sqlite3')
    expect(pathsOn('darwin')).toContain('/home/dev/Library/Application Support/Kiro/User/globalStorage/kiro.kiroagent')
    expect(pathsOn('win32')).toContain('C:\\Users\\dev\\AppData\\Roaming\\kiro-cli\\data.sqlite3')
    expect(pathsOn('win32', { LOCALAPPDATA: 'D:\\Local' })).toContain('D:\\Local\\kiro-cli\\data.sqlite3')
  })

  test('are where KIRO_HOME says', async () => {
    const home = temporaryHome()
    put(home, `moved/sessions/cli/${CLI}.jsonl`, fixture('cli-complete.jsonl'))
    expect((await readSession(home, CLI, { KIRO_HOME: join(home, 'moved') })).messages).toHaveLength(4)
    expect(pathsOn('linux', { KIRO_HOME: '/moved' })).toContain('/moved/data.sqlite3')
  })

  test('the cli folder is not taken for a workspace', async () => {
    const home = temporaryHome()
    put(home, CLI_LOG, fixture('cli-complete.jsonl'))
    expect(await discoverAll(kiro, environmentOf(home))).toHaveLength(1)
  })

  test('a copy of a session is known by its first bytes', () => {
    const adopt = (name: string, fixtureName: string) => recognisedBy(kiro, name, fixture(fixtureName))
    expect(adopt('/tmp/a.jsonl', 'cli-complete.jsonl')).toEqual({ sessionId: 'a', generation: 'cli' })
    expect(adopt('/tmp/sess_1/messages.jsonl', 'v3-messages.jsonl')).toEqual({ sessionId: 'sess_1', generation: 'v3' })
    expect(adopt('/tmp/b.chat', 'ide.chat')).toEqual({ sessionId: 'b', generation: 'ide' })
    expect(adopt('/tmp/c.json', 'ide-session.json')).toEqual({ sessionId: 'c', generation: 'ide' })
    expect(recognisedBy(kiro, '/tmp/d.jsonl', Buffer.from('{"type":"user","uuid":"u"}'))).toBeUndefined()
  })
})
