import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance } from '../../../test/support/agent-conformance.ts'
import { put } from '../../../test/support/home.ts'
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
