import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance, LARGE, MEMORY_BOUND_BYTES, SECOND_LARGE } from '../../../test/support/agent-conformance.ts'
import { environmentOf, temporaryHome } from '../../../test/support/home.ts'
import { measureReading } from '../../../test/support/memory.ts'
import type { Exported, ExportedMessage } from '../../../test/support/opencode/made-sessions.ts'
import { exported, insertMessage, putSessions, putTree } from '../../../test/support/opencode/made-sessions.ts'
import { discoverSessions, readFrom } from '../../../test/support/reading.ts'
import { recordedHome } from '../../../test/support/recorded.ts'
import { collect } from '../../model/reading.ts'
import { opencode } from './index.ts'

const SESSION = exported().info.id
const TEXT = 'All work and no play makes a long conversation. '

conformance({
  name: 'opencode database',
  agent: opencode,
  store: 'database',
  make: home => ({ sessionId: SESSION, file: putSessions(home, [exported()]), messages: 4 }),
  makeLarge: makeLargeDatabase,
  afterCut: 'error-or-all',
})

const ELSEWHERE = 'no file of a tree is that large; the test below reads a large session in parts'
const VANISHES = 'a session that vanishes between discovery and reading is "not-found"'
const EMPTY = 'an empty file is an error, not an empty conversation'

conformance({
  name: 'opencode tree, its session file damaged',
  agent: opencode,
  store: 'tree',
  make: home => ({ sessionId: SESSION, file: putTree(home, exported()).session, messages: 4 }),
  makeLarge: () => {
    throw new Error(ELSEWHERE)
  },
  afterCut: 'subset',
  skips: [
    { test: VANISHES, reason: 'the conversation is in other files, and is read with a finding' },
    { test: EMPTY, reason: 'the conversation is in other files, and is read with a finding' },
    { test: LARGE, reason: ELSEWHERE },
  ],
})

conformance({
  name: 'opencode tree, one part file damaged',
  agent: opencode,
  store: 'tree',
  make: home => ({ sessionId: SESSION, file: putTree(home, exported()).parts[1]?.[2] ?? '', messages: 4 }),
  makeLarge: () => {
    throw new Error(ELSEWHERE)
  },
  afterCut: 'subset',
  skips: [
    { test: VANISHES, reason: 'a part that is gone leaves no trace: nothing else names it' },
    { test: EMPTY, reason: 'the other parts are read, with a finding for this one' },
    { test: LARGE, reason: ELSEWHERE },
  ],
})

conformance({
  name: 'opencode tree, one message file damaged',
  agent: opencode,
  store: 'tree',
  make: home => ({ sessionId: SESSION, file: putTree(home, exported()).messages[1] ?? '', messages: 4 }),
  makeLarge: () => {
    throw new Error(ELSEWHERE)
  },
  afterCut: 'subset',
  skips: [
    { test: VANISHES, reason: 'a message that is gone leaves no trace: nothing else names it' },
    { test: EMPTY, reason: 'its parts and the other messages are read, with a finding' },
    { test: LARGE, reason: ELSEWHERE },
  ],
})

test.runIf(SECOND_LARGE.bytes > 0)(`opencode tree: ${LARGE}`, async () => {
  const home = temporaryHome()
  const text = TEXT.repeat(20_000)
  let written = 0
  // One at a time, because this process must not hold them all either.
  while (written * text.length < SECOND_LARGE.bytes)
    putTree(home, { ...exported(), messages: [longMessage(written++, text)] })
  const { messages, grownBytes } = await measureReading('opencode', home, SESSION)
  expect(messages).toBe(written)
  expect(grownBytes).toBeLessThan(MEMORY_BOUND_BYTES)
})

describe('the sessions that the real agent wrote', () => {
  test.each([
    ['opencode-1.1.65', 'tree', 'ses_e21e2ffb8ffeFcRcXyGyxuHmGi'],
    ['opencode-1.18.33', 'database', 'ses_e21e2cffaffeOqUfubaxnip3fX'],
  ])('%s is read completely from its %s', async (folder, generation, sessionId) => {
    const sessions = await discoverSessions(opencode, environmentOf(recordedHome(folder)))
    expect(sessions).toMatchObject([
      { sessionId, generation, title: 'reply history=3', project: '/home/dev/shop', messageCount: 14 },
    ])
    const [session] = sessions
    if (session === undefined) throw new Error('not found')
    const { messages, end } = await collect(readFrom(opencode, session))
    expect(messages.map(message => message.role[0]).join('')).toBe('uauaauauaauaua')
    const parts = messages.flatMap(message => message.parts)
    const ids = (type: string) => parts.flatMap(part => (part.type === type && 'id' in part ? [part.id] : []))
    expect(ids('tool-call')).toHaveLength(2)
    expect(ids('tool-result')).toEqual(ids('tool-call'))
    expect(end).toMatchObject({
      type: 'complete',
      facts: { sessionId, title: 'reply history=3', project: '/home/dev/shop', model: 'mock' },
      counts: { records: 45, bookkeeping: 16, unknown: 0, skipped: 0 },
    })
  })
})

function makeLargeDatabase(home: string, bytes: number): MadeSession {
  const session: Exported = { ...exported(), messages: [] }
  const file = putSessions(home, [session], undefined, 4096)
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE; BEGIN')
  const text = TEXT.repeat(640)
  let messages = 0
  for (let written = 0; written < bytes; written += text.length)
    insertMessage(database, SESSION, longMessage(messages++, text))
  database.exec('COMMIT; PRAGMA journal_mode = WAL')
  database.close()
  return { sessionId: SESSION, file, messages }
}

function longMessage(number: number, text: string): ExportedMessage {
  const id = `msg_${(0x1de1d0071001 + number * 4096).toString(16).padStart(12, '0')}LongLongLong01`
  const role = number % 2 === 0 ? 'user' : 'assistant'
  const part = { id: id.replace('msg', 'prt'), type: 'text', text }
  return { info: { id, role, time: { created: 1794727805041 + number } }, parts: [part] }
}
