import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance, LARGE, SECOND_LARGE } from '../../../test/support/agent-conformance.ts'
import { environmentOf, lines, put } from '../../../test/support/home.ts'
import { discoverSessions, readFrom } from '../../../test/support/reading.ts'
import { recordedHome } from '../../../test/support/recorded.ts'
import { isConversation } from '../../model/message.ts'
import { collect } from '../../model/reading.ts'
import { codex } from './index.ts'

const SESSION = '0199aaaa-0000-7000-8000-000000000001'
const PLACE = `.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${SESSION}.jsonl`
const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name))

const SAME_READER = [
  {
    test: LARGE,
    reason: 'the same file and reader as codex 0.166, only other records',
  },
]

conformance({
  name: 'codex 0.166',
  agent: codex,
  store: 'rollouts',
  make: home => ({ sessionId: SESSION, file: put(home, PLACE, fixture('complete-0.166.jsonl')), messages: 5 }),
  growth: () => Buffer.from(lines(talk('user', 'And a test, please'))),
  makeLarge: (home, bytes) => writeLarge(join(home, PLACE), bytes, text => text),
  afterCut: 'prefix',
})

conformance({
  name: 'codex 0.40',
  agent: codex,
  store: 'rollouts',
  make: home => ({ sessionId: SESSION, file: put(home, PLACE, fixture('complete-0.40.jsonl')), messages: 4 }),
  growth: () => Buffer.from(lines(talk('user', 'And a test, please'))),
  makeLarge: (home, bytes) => writeLarge(join(home, PLACE), bytes, text => text),
  afterCut: 'prefix',
  skips: SAME_READER,
})

conformance({
  name: 'codex before envelopes',
  agent: codex,
  store: 'rollouts',
  make: home => ({ sessionId: SESSION, file: put(home, PLACE, fixture('bare-2025.jsonl')), messages: 5 }),
  growth: () => Buffer.from(lines(talk('user', 'And a test, please').payload)),
  makeLarge: (home, bytes) => writeLarge(join(home, PLACE), bytes, text => text),
  afterCut: 'prefix',
  skips: SAME_READER,
})

conformance({
  name: 'codex compressed',
  agent: codex,
  store: 'compressed',
  make: home => ({
    sessionId: SESSION,
    file: put(home, `${PLACE}.zst`, compress(fixture('complete-0.166.jsonl'))),
    messages: 5,
  }),
  makeLarge: (home, bytes) => writeLarge(join(home, `${PLACE}.zst`), bytes, compress),
  large: SECOND_LARGE,
  afterCut: 'prefix',
})

function talk(role: 'user' | 'assistant', text: string) {
  const type = role === 'user' ? 'input_text' : 'output_text'
  return {
    timestamp: '2026-11-01T11:00:00.000Z',
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  }
}

function compress(text: Buffer): Buffer {
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
}

/** Half-random text, so that a compressed file is large too. */
function writeLarge(file: string, bytes: number, encode: (text: Buffer) => Buffer): MadeSession {
  mkdirSync(dirname(file), { recursive: true })
  const fd = openSync(file, 'w')
  let written = 0
  let messages = 0
  let state = 1
  const random = Buffer.alloc(3000)
  while (written < bytes) {
    let block = ''
    for (let i = 0; i < 100; i++) {
      for (let at = 0; at < random.length; at += 4) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0
        random.writeUInt32LE(state, at)
      }
      block += lines(talk(messages % 2 === 0 ? 'user' : 'assistant', random.toString('base64')))
      messages++
    }
    written += writeSync(fd, encode(Buffer.from(block)))
  }
  closeSync(fd)
  return { sessionId: SESSION, file, messages }
}

describe('recorded from the real agent', () => {
  test.each([
    ['codex-0.40.0', '0.40.0', 2, 0],
    ['codex-0.166.0', '0.166.0', 16, 2],
  ])('%s is read completely', async (folder, agentVersion, count, calls) => {
    const [session, ...others] = await discoverSessions(codex, environmentOf(recordedHome(folder)))
    if (session === undefined) throw new Error('not found')
    expect(others).toEqual([])
    const { messages, end } = await collect(readFrom(codex, session))
    expect(end.type).toBe('complete')
    expect(messages.filter(isConversation)).toHaveLength(count)
    const parts = messages.flatMap(message => message.parts)
    const ids = (type: string) => parts.flatMap(part => (part.type === type && 'id' in part ? [part.id] : []))
    expect(ids('tool-call')).toHaveLength(calls)
    expect(ids('tool-result')).toEqual(ids('tool-call'))
    expect(end.facts).toMatchObject({
      sessionId: session.sessionId,
      title: 'Please add a price field to the cart',
      project: '/home/dev/shop',
      model: 'mock',
      agentVersion,
    })
    expect(end.counts.unknown).toBe(0)
    const answers = messages.filter(message => message.role === 'assistant')
    expect(answers.every(message => message.usage?.input === 10)).toBe(true)
  })
})
