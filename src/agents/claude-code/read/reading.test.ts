import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inFull } from '../../../../test/support/full.ts'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { discoverSessions, findSession, readFrom, said } from '../../../../test/support/reading.ts'
import { recordedHome } from '../../../../test/support/recorded.ts'
import { collect } from '../../../model/reading.ts'
import type { ReadOptions } from '../../store.ts'
import { claudeCode } from '../index.ts'

const SESSION = 'cccccccc-0000-4000-8000-000000000000'
const FOLDER = '.claude/projects/-home-dev-shop'

type Body = Record<string, unknown>

/** A record of the chain: `link(3, 2, …)` is number 3 with number 2 as its parent. */
function link(own: number, parent: number | string | null, body: Body): Body {
  const uuid = (n: number) => `u${String(n).padStart(3, '0')}`
  return {
    parentUuid: typeof parent === 'number' ? uuid(parent) : parent,
    isSidechain: false,
    cwd: '/home/dev/shop',
    sessionId: SESSION,
    version: '2.1.25',
    ...body,
    uuid: uuid(own),
    timestamp: new Date(Date.UTC(2026, 10, 1) + own * 1000).toISOString(),
  }
}
const user = (own: number, parent: number | string | null, content: unknown, more: Body = {}) =>
  link(own, parent, { type: 'user', message: { role: 'user', content }, ...more })
const model = (own: number, parent: number | string | null, id: string, block: unknown, more: Body = {}) =>
  link(own, parent, { type: 'assistant', message: { id, role: 'assistant', model: 'm', content: [block], ...more } })
const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } })
const result = (own: number, parent: number, id: string) =>
  user(own, parent, [{ type: 'tool_result', tool_use_id: id, content: `result of ${id}` }])

async function readRecords(records: (Body | string)[], options: ReadOptions = {}) {
  const bytes = records.map(record => (typeof record === 'string' ? record : `${JSON.stringify(record)}\n`)).join('')
  return await readBytes(Buffer.from(bytes), options)
}

async function readBytes(bytes: Buffer, options: ReadOptions = {}) {
  const home = temporaryHome()
  put(home, `${FOLDER}/${SESSION}.jsonl`, bytes)
  const session = await findSession(claudeCode, environmentOf(home), SESSION)
  const { messages, end } = await collect(readFrom(claudeCode, session, options))
  const texts = messages.map(message => message.parts.map(part => ('text' in part ? part.text : part.type)).join('|'))
  return { home, session, messages, texts, end }
}

describe('messages', () => {
  test('several lines of one model message are one message, with the largest token counts', async () => {
    const { messages } = await readRecords([
      user(1, null, 'hi'),
      model(2, 1, 'msg_1', { type: 'thinking', thinking: 'hm' }, { usage: { input_tokens: 5, output_tokens: 1 } }),
      model(3, 2, 'msg_1', text('hello'), { usage: { input_tokens: 5, output_tokens: 7 } }),
    ])
    expect(messages).toHaveLength(2)
    expect(messages[1]?.parts).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'hello' },
    ])
    expect(messages[1]?.usage).toEqual({ input: 5, output: 7 })
  })

  test('results that stand between the lines of one model message do not split it', async () => {
    const { messages } = await readRecords([
      user(1, null, 'hi'),
      model(2, 1, 'msg_1', call('a')),
      result(3, 2, 'a'),
      model(4, 2, 'msg_1', call('b')),
      result(5, 4, 'b'),
      model(6, 5, 'msg_2', text('done')),
    ])
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
    expect(messages[1]?.parts).toHaveLength(2)
  })

  test('very many lines of one model message take no longer than as many messages', async () => {
    const count = inFull(100_000, 20_000)
    const records = Array.from({ length: count }, (_, i) => model(i + 1, i === 0 ? null : i, 'msg_1', text('x')))
    const { messages } = await readRecords(records)
    expect(messages).toHaveLength(1)
    expect(messages[0]?.parts).toHaveLength(count)
  })

  test('a prompt that was typed while the agent worked is a message', async () => {
    const attachment = { type: 'queued_command', prompt: 'and tests' }
    const { messages } = await readRecords([user(1, null, 'hi'), link(2, 1, { type: 'attachment', attachment })])
    expect(messages.map(message => message.role)).toEqual(['user', 'user'])
  })

  test('a record of an unknown type is shown as such and counted', async () => {
    const { messages, end } = await readRecords([
      user(1, null, 'hi'),
      { type: 'hologram', sessionId: SESSION, beam: 1 },
    ])
    expect(messages[1]?.parts[0]).toMatchObject({ type: 'unknown', recordType: 'hologram' })
    expect(end.counts.unknown).toBe(1)
    expect(end.type).toBe('complete')
  })

  test('content of the wrong form is shown unchanged', async () => {
    const { messages } = await readRecords([user(1, null, { 0: 'h', 1: 'i' })])
    expect(messages[0]?.parts[0]).toEqual({ type: 'unknown', recordType: 'user', value: { 0: 'h', 1: 'i' } })
  })

  test('an image is a reference, not its bytes', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const { messages } = await readRecords([user(1, null, [image, text('see')])])
    expect(messages[0]?.parts[0]).toEqual({
      type: 'file',
      name: null,
      mime: 'image/png',
      source: 'inline',
      reference: null,
    })
  })
})

describe('branches', () => {
  const rewound = [
    user(1, null, 'one'),
    model(2, 1, 'm2', text('two')),
    user(3, 2, 'a wrong turn'),
    model(4, 3, 'm4', text('wrong')),
    user(5, 2, 'three'),
    model(6, 5, 'm6', text('four')),
  ]

  test('after a rewind the new branch is shown; the old one is counted and can be read', async () => {
    const { texts, end } = await readRecords(rewound)
    expect(texts).toEqual(['one', 'two', 'three', 'four'])
    expect(end.branches).toEqual([{ id: 'u003', kind: 'abandoned', messages: 2, title: 'a wrong turn' }])
    const branch = await readRecords(rewound, { branch: 'u003' })
    expect(branch.texts).toEqual(['one', 'two', 'a wrong turn', 'wrong'])
  })

  test('a sub-agent inside the file is beside the conversation and can be read', async () => {
    const side = { isSidechain: true }
    const records = [
      user(1, null, 'hi'),
      { ...user(2, null, 'look around'), ...side },
      { ...model(3, 2, 's3', text('seen')), ...side },
      model(4, 1, 'm4', text('bye')),
    ]
    expect((await readRecords(records)).texts).toEqual(['hi', 'bye'])
    expect((await readRecords(records)).end.branches).toMatchObject([{ id: 'u002', kind: 'sidechain', messages: 2 }])
    expect((await readRecords(records, { branch: 'u002' })).texts).toEqual(['look around', 'seen'])
  })

  test('before and after a compaction, all is shown', async () => {
    const { messages, texts } = await readRecords([
      user(1, null, 'one'),
      model(2, 1, 'm2', text('two')),
      link(3, null, {
        type: 'system',
        subtype: 'compact_boundary',
        logicalParentUuid: 'u-not-here',
        content: 'Compacted',
      }),
      user(4, 3, 'This session is being continued…', { isCompactSummary: true }),
      model(5, 4, 'm5', text('three')),
    ])
    expect(texts[0]).toBe('one')
    expect(texts.at(-1)).toBe('three')
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'system', 'system', 'assistant'])
  })

  test('a parent that does not exist hides nothing', async () => {
    const { texts, end } = await readRecords([
      user(1, null, 'one'),
      model(2, 1, 'm2', text('two')),
      user(3, 'nowhere', 'three'),
      model(4, 3, 'm4', text('four')),
    ])
    expect(texts).toEqual(['one', 'two', 'three', 'four'])
    expect(end.branches).toEqual([])
  })

  test('parents in a circle, and a record that is its own parent, end and hide nothing', async () => {
    const { texts } = await readRecords([
      user(1, 3, 'one'),
      model(2, 1, 'm2', text('two')),
      user(3, 2, 'three'),
      model(4, 4, 'm4', text('four')),
    ])
    expect(texts).toEqual(['one', 'two', 'three', 'four'])
  })

  test('a record that was written again under its old uuid counts once', async () => {
    const { texts, end } = await readRecords([
      user(1, null, 'one'),
      model(2, 1, 'm2', text('two')),
      user(1, null, 'one'),
      model(2, 1, 'm2', text('two')),
      user(3, 2, 'three'),
    ])
    expect(texts.filter(words => words === 'one')).toHaveLength(1)
    expect(end.branches).toEqual([])
  })

  test('a message that others continue is not the end, even where it is the last in the file', async () => {
    const one = user(1, null, 'one')
    const [two, three, four] = [model(2, 1, 'm2', text('two')), user(3, 2, 'three'), model(4, 3, 'm4', text('four'))]
    const inAnyOrder = await readRecords([one, two, four, three])
    expect(inAnyOrder.texts).toEqual(['one', 'two', 'four', 'three'])
    expect(inAnyOrder.end.branches).toEqual([])
    const [note, five] = [link(4, 3, { type: 'system', subtype: 'turn_duration' }), model(5, 4, 'm5', text('five'))]
    expect((await readRecords([one, two, five, note, three])).texts).toEqual(['one', 'two', 'five', 'three'])
  })

  test('a message that was written again with a later time is the end, as for the agent', async () => {
    const again = { ...user(3, 2, 'three again'), timestamp: new Date(Date.UTC(2026, 10, 2)).toISOString() }
    const records = [
      user(1, null, 'one'),
      model(2, 1, 'm2', text('two')),
      user(3, 2, 'three'),
      model(4, 3, 'm4', text('four')),
    ]
    expect((await readRecords([...records, again])).texts).toEqual(['one', 'two', 'three again'])
  })

  test('a copy with blanks around one of the two is not a later version', async () => {
    const lines = [user(1, null, 'one'), model(2, 1, 'm2', text('two')), user(3, 2, 'three')].map(record =>
      JSON.stringify(record),
    )
    const [one = '', two = '', three = ''] = lines
    const { messages, texts } = await readRecords([`${one}\n   ${two}\n${three}\n`, `${two}\n`])
    expect(texts).toEqual(['one', 'two', 'three'])
    expect(messages[1]?.at).toMatchObject({ start: one.length + 1 })
  })

  test('where a link is broken, reading does not continue at a version that was replaced', async () => {
    const { texts } = await readRecords([
      model(2, 'nowhere', 'm2', text('two')),
      model(3, 2, 'm2', text('three')),
      user(4, 3, 'four'),
      model(2, null, 'm2', text('two')),
    ])
    expect(texts).toEqual(['three|two', 'four'])
  })

  test('a session that went back since the last reading is read again', async () => {
    const { session, end } = await readRecords(rewound.slice(0, 4))
    appendFileSync(
      session.filePath,
      rewound
        .slice(4)
        .map(record => `${JSON.stringify(record)}\n`)
        .join(''),
    )
    const again = await collect(readFrom(claudeCode, session, { after: end.checkpoint }))
    expect(again.end.continued).toBe(false)
    expect(again.messages).toHaveLength(4)
  })
})

describe('facts', () => {
  const titles = [
    user(1, null, '<system-reminder>noise</system-reminder>'),
    user(2, 1, 'Add a price field'),
    { type: 'summary', summary: 'Made for this one', leafUuid: 'u002' },
    { type: 'ai-title', aiTitle: 'Made by the agent', sessionId: SESSION },
    { type: 'custom-title', customTitle: 'Made by hand', sessionId: SESSION },
  ]

  test.each([
    [5, 'Made by hand'],
    [4, 'Made by the agent'],
    [3, 'Made for this one'],
    [2, 'Add a price field'],
  ])('the title of the first %i records is "%s"', async (count, title) => {
    expect((await readRecords(titles.slice(0, count))).end.facts.title).toBe(title)
  })

  test('a summary that was made for a record of another session is not the title', async () => {
    const { end } = await readRecords([
      { type: 'summary', summary: 'Another', leafUuid: 'elsewhere' },
      user(1, null, 'Mine'),
    ])
    expect(end.facts.title).toBe('Mine')
  })

  test('a fork says where it came from', async () => {
    const { end } = await readRecords([
      user(1, null, 'hi', { forkedFrom: { sessionId: 'parent', messageUuid: 'u001' } }),
    ])
    expect(end.facts).toMatchObject({ forkedFrom: 'parent', project: '/home/dev/shop', agentVersion: '2.1.25' })
  })

  test('CLAUDE_CONFIG_DIR moves the store', async () => {
    const home = temporaryHome()
    put(home, `moved/projects/-p/${SESSION}.jsonl`, `${JSON.stringify(user(1, null, 'hi'))}\n`)
    const moved = environmentOf(home, { CLAUDE_CONFIG_DIR: join(home, 'moved') })
    expect(await discoverSessions(claudeCode, moved)).toHaveLength(1)
    expect(await discoverSessions(claudeCode, environmentOf(home))).toHaveLength(0)
  })

  test('a sub-agent names its session, also below a workflow', async () => {
    const home = temporaryHome()
    const line = `${JSON.stringify(user(1, null, 'hi', { isSidechain: true }))}\n`
    put(home, `${FOLDER}/${SESSION}/subagents/agent-a1.jsonl`, line)
    put(home, `${FOLDER}/${SESSION}/subagents/workflows/wf/agent-a2.jsonl`, line)
    const sessions = await discoverSessions(claudeCode, environmentOf(home))
    expect(sessions.map(session => [session.sessionId, session.subagentOf])).toEqual([
      ['agent-a1', SESSION],
      ['agent-a2', SESSION],
    ])
  })
})

describe('damage', () => {
  const one = JSON.stringify(user(1, null, 'one'))
  const two = JSON.stringify(model(2, 1, 'm2', text('two')))
  const three = JSON.stringify(user(3, 2, 'three'))

  test.each<[string, string, string[], string[]]>([
    ['a torn last line', `${one}\n${two.slice(0, 50)}`, ['one'], ['torn-tail']],
    ['a malformed line', `${one}\n{"type":"user",,}\n${three}\n`, ['one', 'three'], ['malformed-record']],
    ['carriage returns', `${one}\r\n${two}\r\n`, ['one', 'two'], []],
    ['U+2028 inside a record', `${one.replace('one', 'o\u2028ne')}\n${two}\n`, ['o\u2028ne', 'two'], []],
    ['a lone surrogate', `${one.replace('one', 'o\\ud800ne')}\n${two}\n`, ['o\ud800ne', 'two'], []],
    ['no newline at the end', `${one}\n${two}`, ['one', 'two'], []],
  ])('%s is survived, and said', async (_, bytes, texts, damages) => {
    const reading = await readBytes(Buffer.from(bytes))
    expect(reading.texts).toEqual(texts)
    expect(reading.end.findings.map(finding => finding.damage)).toEqual(damages)
    for (const finding of reading.end.findings) expect(finding.hint).not.toBe('')
  })

  test('a reading that skipped something is partial and says up to where it read', async () => {
    const { end } = await readBytes(Buffer.from(`${one}\n${two.slice(0, 50)}`))
    expect(end).toMatchObject({
      type: 'partial',
      error: { code: 'still-being-written' },
      parsedUpTo: Buffer.byteLength(one),
      recovered: true,
    })
    expect(end.findings[0]?.at).toMatchObject({ start: Buffer.byteLength(one) + 1, end: Buffer.byteLength(one) + 51 })
  })

  test('99 of 100 lines are read while the last is being written', async () => {
    const all = Array.from({ length: 100 }, (_, i) =>
      JSON.stringify(user(i + 1, i === 0 ? null : i, `line ${i}`)),
    ).join('\n')
    const { messages, end } = await readBytes(Buffer.from(all.slice(0, -20)))
    expect(messages).toHaveLength(99)
    expect(end.type).toBe('partial')
  })

  const LONG_MB = inFull(100, 16)

  test(`a line of ${LONG_MB} MB is read`, async () => {
    const long = 'x'.repeat(LONG_MB * 1024 * 1024)
    const { texts, end } = await readBytes(Buffer.from(`${one}\n${JSON.stringify(user(2, 1, long))}\n`))
    expect(texts[1]?.length).toBe(long.length)
    expect(end.type).toBe('complete')
  })
})

describe('recorded sessions', () => {
  test.each([
    ['2.0.14', '3a51537a-cf71-4e56-b43f-6ca3edd97a41', 20],
    ['2.1.25', 'c1e6eee6-58ea-412b-aabe-a681a8609880', 20],
    ['2.1.325', 'ba0497a2-4db8-4066-95b0-639b5b215513', 22],
  ])('the session of %s is read completely', async (version, id, count) => {
    const environment = environmentOf(recordedHome(`claude-code-${version}`))
    const { messages, end } = await collect(readFrom(claudeCode, await findSession(claudeCode, environment, id)))
    expect(messages).toHaveLength(count)
    expect(end).toMatchObject({ type: 'complete', findings: [], counts: { unknown: 0 } })
    expect(end.facts).toMatchObject({
      title: 'Please add a price field to the cart',
      project: '/home/dev/shop',
      agentVersion: version,
    })
    const parts = messages.flatMap(message => message.parts)
    const calls = parts.flatMap(part => (part.type === 'tool-call' ? [part.id] : []))
    expect(parts.flatMap(part => (part.type === 'tool-result' ? [part.id] : []))).toEqual(calls)
    expect(calls).toHaveLength(3)
    expect(said(messages)[0]).toContain('Please add a price field to the cart')
  })
})
