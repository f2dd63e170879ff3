import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance, SECOND_LARGE } from '../../../test/support/agent-conformance.ts'
import {
  DOCUMENT,
  fixture,
  header,
  LOG,
  model,
  PROJECT,
  putProjects,
  SESSION,
  texts,
  user,
} from '../../../test/support/gemini-cli/make.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../test/support/home.ts'
import { discoverSessions, findSession, readFrom } from '../../../test/support/reading.ts'
import { recordedHome } from '../../../test/support/recorded.ts'
import type { Part } from '../../model/message.ts'
import { collect, isPartial } from '../../model/reading.ts'
import { geminiCli } from './index.ts'

const TEXT = 'All work and no play makes a long conversation. '.repeat(80)

conformance({
  name: 'gemini-cli json-lines',
  agent: geminiCli,
  store: 'json-lines',
  make: home => {
    putProjects(home)
    return { sessionId: SESSION, file: put(home, LOG, fixture('complete.jsonl')), messages: 3 }
  },
  growth: () => Buffer.from(lines(user('m5', 'And a test, please'))),
  makeLarge: (home, bytes) => makeLarge(home, LOG, bytes, [lines(header), '', '\n', '']),
  afterCut: 'prefix',
})

conformance({
  name: 'gemini-cli document',
  agent: geminiCli,
  store: 'document',
  make: home => {
    putProjects(home)
    return { sessionId: SESSION, file: put(home, DOCUMENT, fixture('complete.json')), messages: 3 }
  },
  large: SECOND_LARGE,
  makeLarge: (home, bytes) =>
    makeLarge(home, DOCUMENT, bytes, [`${JSON.stringify(header).slice(0, -1)},"messages":[`, ',', '\n', ']}']),
  afterCut: 'prefix',
})

test.each(['user', 'gemini', 'info'])('a record of type %s without its content is shown and counted', async type => {
  const home = temporaryHome()
  put(home, LOG, lines(header, { id: 'm1', timestamp: '2026-11-01T09:00:00.000Z', type, message: 'Hello' }))
  const session = await findSession(geminiCli, environmentOf(home), SESSION)
  const { messages, end } = await collect(readFrom(geminiCli, session))
  expect(messages[0]?.parts).toEqual([{ type: 'unknown', recordType: type, value: { message: 'Hello' } }])
  expect(end.counts.unknown).toBe(1)
})

describe('the document', () => {
  test('without its list of messages it is not a session, with an empty one it is an empty session', async () => {
    const home = temporaryHome()
    put(home, DOCUMENT, JSON.stringify({ ...header, mfssages: [] }))
    const session = await findSession(geminiCli, environmentOf(home), SESSION)
    await expect(collect(readFrom(geminiCli, session))).rejects.toMatchObject({ code: 'not-a-session' })
    put(home, DOCUMENT, JSON.stringify({ ...header, messages: [] }))
    expect((await collect(readFrom(geminiCli, session))).end.type).toBe('complete')
  })

  test('two messages of one id are both given', async () => {
    const home = temporaryHome()
    put(home, DOCUMENT, JSON.stringify({ ...header, messages: [user('a', 'one'), user('a', 'two')] }))
    const session = await findSession(geminiCli, environmentOf(home), SESSION)
    expect(texts((await collect(readFrom(geminiCli, session))).messages)).toEqual(['one', 'two'])
  })
})

describe('recorded sessions', () => {
  test.each([
    ['gemini-cli-0.20.0', 2, undefined],
    ['gemini-cli-0.61.0', 1, PROJECT],
  ])('%s is read completely', async (name, count, project) => {
    const sessions = await discoverSessions(geminiCli, environmentOf(recordedHome(name)))
    expect(sessions).toHaveLength(count)
    for (const session of sessions) {
      const { messages, end } = await collect(readFrom(geminiCli, session))
      expect(isPartial(end)).toBe(false)
      expect(end.findings).toEqual([])
      expect(messages.filter(message => message.role === 'user')).toHaveLength(6)
      expect(messages.filter(message => message.role === 'assistant')).toHaveLength(8)
      expect(messages.filter(message => message.role === 'tool')).toHaveLength(0)
      const parts = messages.flatMap(message => message.parts)
      expect(ids(parts, 'tool-call')).toHaveLength(2)
      expect(ids(parts, 'tool-result')).toEqual(ids(parts, 'tool-call'))
      expect(messages.every(message => message.role !== 'assistant' || message.usage?.input === 10)).toBe(true)
      expect(end.facts.title).toBe('Please add a price field to the cart')
      // The early version stores only the hash of the path, and this session mentions no path.
      expect(end.facts.project).toBe(project)
      expect(end.branches).toEqual([])
    }
  })
})

function makeLarge(home: string, place: string, bytes: number, frame: [string, string, string, string]): MadeSession {
  putProjects(home)
  const [opening, separator, newline, closing] = frame
  const file = join(home, place)
  mkdirSync(dirname(file), { recursive: true })
  const fd = openSync(file, 'w')
  let written = writeSync(fd, opening)
  let messages = 0
  while (written < bytes) {
    const body = messages % 2 === 0 ? user(`m${messages}`, TEXT) : model(`m${messages}`, TEXT)
    written += writeSync(fd, (messages === 0 ? '' : separator) + JSON.stringify(body) + newline)
    messages++
  }
  writeSync(fd, closing)
  closeSync(fd)
  return { sessionId: SESSION, file, messages }
}

function ids(parts: Part[], type: 'tool-call' | 'tool-result'): string[] {
  return parts.flatMap(part => (part.type === type && 'id' in part ? [part.id] : []))
}
