import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance } from '../../../test/support/agent-conformance.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../test/support/home.ts'
import { discoverSessions, readNamed, resumeFrom } from '../../../test/support/reading.ts'
import { claudeCode } from './index.ts'

const SESSION = '11111111-1111-4111-8111-111111111111'
const PLACE = `.claude/projects/-home-dev-shop/${SESSION}.jsonl`
const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name))

conformance({
  name: 'claude-code',
  agent: claudeCode,
  store: 'projects',
  make: home => ({ sessionId: SESSION, file: put(home, PLACE, fixture('complete.jsonl')), messages: 4 }),
  growth: () => record(5, 6, { type: 'user', message: { role: 'user', content: 'And a test, please' } }),
  makeLarge,
  afterCut: 'prefix',
})

function record(parent: number, own: number, body: object): Buffer {
  const uuid = (n: number) => `a0000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const value = {
    parentUuid: parent === 0 ? null : uuid(parent),
    isSidechain: false,
    cwd: '/home/dev/shop',
    sessionId: SESSION,
    version: '2.1.25',
    ...body,
    uuid: uuid(own),
    timestamp: new Date(Date.UTC(2026, 10, 1) + own * 1000).toISOString(),
  }
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

function makeLarge(home: string, bytes: number): MadeSession {
  const file = join(home, PLACE)
  mkdirSync(dirname(file), { recursive: true })
  const fd = openSync(file, 'w')
  const text = 'All work and no play makes a long conversation. '.repeat(80)
  let written = 0
  let messages = 0
  while (written < bytes) {
    const isUser = messages % 2 === 0
    const body = isUser
      ? { type: 'user', message: { role: 'user', content: text } }
      : { type: 'assistant', message: { id: `msg_${messages}`, role: 'assistant', content: [{ type: 'text', text }] } }
    written += writeSync(fd, record(messages, messages + 1, body))
    messages++
  }
  closeSync(fd)
  return { sessionId: SESSION, file, messages }
}

test('sessions of the desktop program are found below its folder, at any depth, and resumed there', async () => {
  const home = temporaryHome()
  const id = '22222222-2222-4222-8222-222222222222'
  const record = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: id, message: { role: 'user', content: 'Hi' } }
  const folder = '.config/Claude/local-agent-mode-sessions/org/space/local_1/.claude/projects/-work'
  const file = put(home, `${folder}/${id}.jsonl`, lines(record))
  put(home, `${folder}/${id}/subagents/agent-a1.jsonl`, lines({ ...record, isSidechain: true }))
  const sessions = await discoverSessions(claudeCode, environmentOf(home))
  expect(sessions).toMatchObject([
    { sessionId: id, filePath: file, generation: 'cowork' },
    { sessionId: 'agent-a1', subagentOf: id },
  ])
  const [session] = sessions
  if (session === undefined) throw new Error('no session')
  expect(resumeFrom(claudeCode, session, {})).toMatchObject({ type: 'unsupported' })
})

test('a report of a background task that was queued is a notice, not the words of a person', async () => {
  const home = temporaryHome()
  const id = '33333333-3333-4333-8333-333333333333'
  const report = '<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>'
  const queued = (uuid: string, parentUuid: string, prompt: string) => ({
    ...{ type: 'attachment', uuid, parentUuid, sessionId: id },
    attachment: { type: 'queued_command', commandMode: 'prompt', prompt },
  })
  const user = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: id, message: { role: 'user', content: 'Hi' } }
  put(home, `.claude/projects/-work/${id}.jsonl`, lines(user, queued('u2', 'u1', report), queued('u3', 'u2', 'More')))
  const { messages } = await readNamed(claudeCode, environmentOf(home), id)
  expect(messages.map(({ role, parts }) => [role, parts[0]?.type])).toEqual([
    ['user', 'text'],
    ['system', 'notice'],
    ['user', 'text'],
  ])
})
