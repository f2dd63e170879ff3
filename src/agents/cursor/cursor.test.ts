import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance, SECOND_LARGE } from '../../../test/support/agent-conformance.ts'
import {
  BUBBLES,
  CHAT,
  chatPlace,
  chatTables,
  composerValue,
  json,
  PROJECT,
  putChat,
  putFacts,
  putState,
  putWindow,
  STATE,
  transcriptPlace,
} from '../../../test/support/cursor/store-maker.ts'
import { putDatabase } from '../../../test/support/database.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../test/support/home.ts'
import { recognisedBy, resumeFrom } from '../../../test/support/reading.ts'
import { encodeProto } from '../../bytes/protobuf.ts'
import type { SessionRef } from '../../model/session.ts'
import { resumeOf } from '../resume.ts'
import { locationsOf } from '../store.ts'
import { cursor } from './index.ts'

const SESSION = '22222222-2222-4222-8222-222222222222'
const LARGE_PAGE_BYTES = 4096
const LONG_TEXT = 'All work and no play makes a long conversation. '.repeat(640)
const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name))
const NO_RESULTS = { test: 'calls are paired with their results', reason: 'transcripts hold no results' }

conformance({
  name: 'cursor cli',
  agent: cursor,
  store: 'cli',
  make: home => ({ sessionId: SESSION, file: putChat(home, { id: SESSION }).file, messages: CHAT.length - 2 }),
  makeLarge: makeLargeChat,
  afterCut: 'subset',
})

conformance({
  name: 'cursor transcripts',
  agent: cursor,
  store: 'transcripts',
  make: home => ({
    sessionId: SESSION,
    file: put(home, transcriptPlace(`${SESSION}/${SESSION}.jsonl`), fixture('transcript-complete.jsonl')),
    messages: 3,
  }),
  growth: () =>
    Buffer.from(lines({ role: 'user', message: { content: [{ type: 'text', text: 'And a test, please' }] } })),
  makeLarge: makeLargeTranscript,
  large: SECOND_LARGE,
  afterCut: 'prefix',
  skips: [NO_RESULTS],
})

conformance({
  name: 'cursor transcripts-text',
  agent: cursor,
  store: 'transcripts-text',
  make: home => ({
    sessionId: SESSION,
    file: put(home, transcriptPlace(`${SESSION}.txt`), fixture('transcript-complete.txt')),
    messages: 5,
  }),
  makeLarge: makeLargeText,
  large: SECOND_LARGE,
  afterCut: 'prefix',
  skips: [
    {
      test: 'cut at any byte, the reading is what was before the cut, or an honest error',
      reason: 'nothing marks the end of a message in plain text; transcripts.test.ts has what can be asked of it',
    },
  ],
})

conformance({
  name: 'cursor ide',
  agent: cursor,
  store: 'ide',
  make: home => ({ sessionId: SESSION, file: putState(home, [{ id: SESSION }]), messages: 4 }),
  makeLarge: makeLargeState,
  large: SECOND_LARGE,
  afterCut: 'subset',
})

conformance({
  name: 'cursor chats',
  agent: cursor,
  store: 'chats',
  make: home => ({ sessionId: SESSION, file: putWindow(home, chatRow(BUBBLES)), messages: 4 }),
  makeLarge(home, bytes) {
    const count = Math.ceil(bytes / LONG_TEXT.length)
    const bubbles = Array.from({ length: count }, (_, i) => ({ type: i % 2 === 0 ? 'user' : 'ai', text: LONG_TEXT }))
    return { sessionId: SESSION, file: putWindow(home, chatRow(bubbles)), messages: count }
  },
  large: { bytes: 6 * 1024 * 1024, reason: 'the tabs are one value, and SQLite gives a value only whole' },
  afterCut: 'subset',
})

function chatRow(bubbles: object[]): Record<string, unknown> {
  return { 'workbench.panel.aichat.view.aichat.chatdata': { tabs: [{ tabId: SESSION, bubbles }] } }
}

function makeLargeChat(home: string, bytes: number): MadeSession {
  const ids: Buffer[] = []
  const fill = (database: Parameters<typeof chatTables>[0]) => {
    const insert = chatTables(database)
    for (let written = 0; written < bytes; written += LONG_TEXT.length) {
      const role = ids.length % 2 === 0 ? 'user' : 'assistant'
      const text = `${ids.length} ${LONG_TEXT}`
      ids.push(Buffer.from(insert(json({ id: '1', role, content: [{ type: 'text', text }] })), 'hex'))
    }
    putFacts(database, { id: SESSION }, insert(encodeProto(ids.map(id => [1, id]))))
  }
  const file = putDatabase(home, chatPlace(SESSION), fill, LARGE_PAGE_BYTES)
  put(dirname(file), 'meta.json', JSON.stringify({ title: 'Long', cwd: PROJECT }))
  return { sessionId: SESSION, file, messages: ids.length }
}

function makeLargeState(home: string, bytes: number): MadeSession {
  const bubbles: { bubbleId: string; type: number }[] = []
  const fill = (database: Parameters<typeof chatTables>[0]) => {
    database.exec('CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
    const insert = database.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)')
    for (let written = 0; written < bytes; written += LONG_TEXT.length) {
      const bubble = { bubbleId: `b${bubbles.length}`, type: 1 + (bubbles.length % 2) }
      insert.run(`bubbleId:${SESSION}:${bubble.bubbleId}`, JSON.stringify({ ...bubble, text: LONG_TEXT }))
      bubbles.push(bubble)
    }
    insert.run(`composerData:${SESSION}`, composerValue({ id: SESSION, bubbles }))
  }
  return { sessionId: SESSION, file: putDatabase(home, STATE, fill, LARGE_PAGE_BYTES), messages: bubbles.length }
}

function makeLargeTranscript(home: string, bytes: number): MadeSession {
  const file = join(home, transcriptPlace(`${SESSION}/${SESSION}.jsonl`))
  const record = (role: string) => lines({ role, message: { content: [{ type: 'text', text: LONG_TEXT }] } })
  return { sessionId: SESSION, file, messages: writeTurns(file, bytes, record('user'), record('assistant')) }
}

function makeLargeText(home: string, bytes: number): MadeSession {
  const file = join(home, transcriptPlace(`${SESSION}.txt`))
  const turn = (speaker: string) => `${speaker}:\n${LONG_TEXT}\n\n`
  return { sessionId: SESSION, file, messages: writeTurns(file, bytes, turn('user'), turn('assistant')) }
}

function writeTurns(file: string, bytes: number, ...turns: string[]): number {
  mkdirSync(dirname(file), { recursive: true })
  const fd = openSync(file, 'w')
  let messages = 0
  for (let written = 0; written < bytes; messages++) written += writeSync(fd, turns[messages % turns.length] ?? '')
  closeSync(fd)
  return messages
}

describe('stores', () => {
  test('are searched below ~/.cursor and in the application folder of each platform', () => {
    const paths = (platform: 'linux' | 'darwin' | 'win32', home: string) =>
      locationsOf(cursor, { home, platform, variables: {} }).map(({ location }) => location.path)
    expect(paths('linux', '/home/dev')).toEqual([
      '/home/dev/.cursor/chats',
      '/home/dev/.cursor/projects',
      '/home/dev/.config/Cursor/User/globalStorage/state.vscdb',
      '/home/dev/.config/Cursor/User/workspaceStorage',
      '/home/dev/.config/Cursor/User/globalStorage/state.vscdb',
    ])
    expect(paths('darwin', '/Users/dev')[2]).toBe(
      '/Users/dev/Library/Application Support/Cursor/User/globalStorage/state.vscdb',
    )
    expect(paths('win32', 'C:\\Users\\dev')[2]).toBe(
      'C:\\Users\\dev\\AppData\\Roaming\\Cursor\\User\\globalStorage\\state.vscdb',
    )
  })

  test('CURSOR_DATA_DIR moves chats and transcripts', () => {
    const stores = locationsOf(cursor, environmentOf('/home/dev', { CURSOR_DATA_DIR: '/data/cursor' }))
    expect(stores.map(({ location }) => location.path).slice(0, 2)).toEqual([
      '/data/cursor/chats',
      '/data/cursor/projects',
    ])
  })

  test('CURSOR_CONFIG_DIR moves them where CURSOR_DATA_DIR does not', () => {
    const paths = (variables: Record<string, string>) =>
      locationsOf(cursor, environmentOf('/home/dev', variables)).map(({ location }) => location.path)
    expect(paths({ CURSOR_CONFIG_DIR: '/config/cursor' }).slice(0, 2)).toEqual([
      '/config/cursor/chats',
      '/config/cursor/projects',
    ])
    expect(paths({ CURSOR_CONFIG_DIR: '/config/cursor', CURSOR_DATA_DIR: '/data/cursor' })[0]).toBe(
      '/data/cursor/chats',
    )
  })
})

describe('resuming', () => {
  const session = (generation: string): SessionRef => ({
    agent: 'cursor',
    sessionId: SESSION,
    filePath: '/nowhere',
    generation,
    storeRoot: '/',
    updatedAt: 0,
    fileSize: 0,
    identity: '',
  })

  test('a chat is resumed by the command line agent in its folder', () => {
    expect(resumeOf(cursor, session('cli'), { project: PROJECT })).toEqual({
      type: 'command',
      program: { command: 'cursor-agent', args: ['--resume', SESSION] },
      folder: PROJECT,
    })
  })

  test.each(['ide', 'transcripts', 'transcripts-text'])(
    'a session of %s is not, and the reason is given',
    generation => {
      const resume = resumeFrom(cursor, session(generation), { project: PROJECT })
      expect(resume.type === 'unsupported' && resume.reason).toBeTruthy()
    },
  )
})

describe('a file outside any store', () => {
  test.each([
    [
      'a transcript',
      '/tmp/a.jsonl',
      fixture('transcript-complete.jsonl'),
      { sessionId: 'a', generation: 'transcripts' },
    ],
    [
      'a text transcript',
      '/tmp/a.txt',
      fixture('transcript-complete.txt'),
      { sessionId: 'a', generation: 'transcripts-text' },
    ],
    ['another log', '/tmp/a.jsonl', Buffer.from('{"type":"user","uuid":"u"}\n'), undefined],
    ['a text', '/tmp/a.txt', Buffer.from('A letter to a user:\n'), undefined],
  ])('%s is known by how it begins', (_name, path, head, adopted) => {
    expect(recognisedBy(cursor, path, head)).toEqual(adopted)
  })

  test("a copy of a chat database is recognised by its tables, and a copy of the editor's database is not a session", () => {
    const home = temporaryHome()
    const head = (path: string) => readFileSync(path).subarray(0, 4096)
    const { file } = putChat(home, { id: SESSION })
    expect(recognisedBy(cursor, file, head(file))).toEqual({ sessionId: SESSION, generation: 'cli' })
    expect(recognisedBy(cursor, '/tmp/copy.db', head(file))).toEqual({ sessionId: 'copy', generation: 'cli' })
    expect(recognisedBy(cursor, '/tmp/state.vscdb', head(putState(home, [{ id: SESSION }])))).toBeUndefined()
  })
})
