import { appendFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  call,
  fixture,
  HASH,
  header,
  LOG,
  model,
  PROJECT,
  readLog,
  response,
  SESSION,
  set,
  texts,
  time,
  user,
} from '../../../../test/support/gemini-cli/make.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { discoverSessions, findSession, readFrom, said } from '../../../../test/support/reading.ts'
import type { Part } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import { brokenLines } from '../../../repair/damage/lines/index.ts'
import { Random } from '../../samples/random.ts'
import { geminiCli } from '../index.ts'

describe('the log of changes', () => {
  test('a message that is written again keeps its first place and has its last content', async () => {
    const { messages, end } = await readLog(
      lines(header, user('a', 'one'), model('b', 'tw'), user('c', 'three'), model('b', 'two')),
    )
    expect(texts(messages)).toEqual(['one', 'two', 'three'])
    expect(end.counts).toEqual({ records: 5, bookkeeping: 2, unknown: 0, skipped: 0 })
  })

  test('a rewind drops the message it names and all behind it, as a branch that can be read', async () => {
    const log = lines(
      header,
      user('a', 'keep'),
      model('b', 'kept'),
      user('c', 'taken back'),
      model('d', 'too'),
      { $rewindTo: 'c' },
      user('e', 'instead'),
    )
    const { messages, end, session } = await readLog(log)
    expect(texts(messages)).toEqual(['keep', 'kept', 'instead'])
    expect(end.branches).toEqual([{ id: 'c', kind: 'abandoned', messages: 2, title: 'taken back' }])
    expect(end.findings).toEqual([])
    const branch = await collect(readFrom(geminiCli, session, { branch: 'c' }))
    expect(texts(branch.messages)).toEqual(['keep', 'kept', 'taken back', 'too'])
    await expect(collect(readFrom(geminiCli, session, { branch: 'nowhere' }))).rejects.toMatchObject({ code: 'usage' })
  })

  test('a rewind to a message that is not there keeps everything and says so', async () => {
    const { messages, end } = await readLog(lines(header, user('a', 'still here'), { $rewindTo: 'gone' }))
    expect(texts(messages)).toEqual(['still here'])
    expect(end.type).toBe('complete')
    expect(end.findings).toMatchObject([{ damage: 'lost-rewind-target', severity: 'survived' }])
  })

  test('a list of messages replaces the conversation, and the messages it drops are a branch', async () => {
    const log = lines(header, user('a', 'long ago'), model('b', 'yes'), set({ messages: [user('s', 'a summary')] }))
    const { messages, end, session } = await readLog(log + lines(user('c', 'go on')))
    expect(texts(messages)).toEqual(['a summary', 'go on'])
    expect(end.branches).toEqual([{ id: 'a', kind: 'abandoned', messages: 2, title: 'long ago' }])
    expect(texts((await collect(readFrom(geminiCli, session, { branch: 'a' }))).messages)).toEqual(['long ago', 'yes'])
  })

  test('a conversation that a resume emptied and did not write again is shown all the same, and pointed out', async () => {
    const complete = fixture('resumed.jsonl').toString().split('\n')
    const { messages, end } = await readLog(`${complete.slice(0, 13).join('\n')}\n`)
    expect(said(messages)).toEqual(said((await readLog(fixture('complete.jsonl'))).messages))
    expect(end.branches).toEqual([])
    expect(end.findings).toMatchObject([{ damage: 'emptied-history', severity: 'survived' }])
  })

  test('a resume that writes everything again does not change the conversation', async () => {
    const { messages, end } = await readLog(fixture('resumed.jsonl'))
    const before = await readLog(fixture('complete.jsonl'))
    expect(said(messages).slice(0, -2)).toEqual(said(before.messages))
    expect(texts(messages).slice(-2)).toEqual(['And a test', 'Done.'])
    expect(messages.map(message => message.time)).toEqual([1, 2, 3, 5, 21, 22].map(time))
    expect(messages.find(message => message.id === 'm4')?.usage?.output).toBe(12)
    expect(end.facts.model).toBe('gemini-2.5-pro')
    expect(end.branches).toEqual([])
  })

  test('changes of the facts are merged, and the title the agent made is preferred', async () => {
    const log = lines(header, user('a', 'hello'), set({ summary: 'Prices in the cart', lastUpdated: time(9) }))
    const { end } = await readLog(log)
    expect(end.facts).toEqual({
      sessionId: SESSION,
      title: 'Prices in the cart',
      project: PROJECT,
      startedAt: time(0),
      updatedAt: time(9),
    })
  })

  test('a raw U+2028 ends no line', async () => {
    const { messages, end } = await readLog(lines(header, user('a', 'one\u2028two')))
    expect(texts(messages)).toEqual(['one\u2028two'])
    expect(end.type).toBe('complete')
  })

  test('a lost header is pointed out, and the session goes by the name of its file', async () => {
    const home = temporaryHome()
    const file = put(home, LOG, lines(user('a', 'hello'), set({ lastUpdated: time(1) })))
    const session = await findSession(geminiCli, environmentOf(home), '22222222')
    const { messages, end } = await collect(readFrom(geminiCli, session))
    expect(texts(messages)).toEqual(['hello'])
    expect(end.findings).toMatchObject([{ damage: 'lost-header', severity: 'survived' }])
    appendFileSync(file, lines(set({ sessionId: SESSION, projectHash: HASH })))
    expect((await discoverSessions(geminiCli, environmentOf(home)))[0]?.sessionId).toBe(SESSION)
  })

  test.each(brokenLines)('a log with $id is read in the second pass as it was in the first', async line => {
    const log = Buffer.from(lines(header, ...['a', 'b', 'c', 'd'].map(id => user(id, `says ${id}\nover two lines`))))
    for (let seed = 1; seed <= 8; seed++) {
      const broken = line.inflict(log, new Random(`${seed}`), 1)
      const home = temporaryHome()
      put(home, LOG, broken?.bytes ?? log)
      // If the first record cannot be read, the session is identified by the name of its file.
      const [session] = await discoverSessions(geminiCli, environmentOf(home))
      const { messages, end } = await collect(readFrom(geminiCli, session ?? expect.unreachable()))
      expect(messages.length, broken?.what).toBeGreaterThanOrEqual(4 - (broken?.destroyed ?? 0))
      expect(end.findings.filter(({ damage }) => damage === 'changed-while-reading')).toEqual([])
    }
  })

  test('records and messages of unknown kinds are given as such, where they stand', async () => {
    const log = lines(header, user('a', 'one'), { $future: 1 }, { ...user('x', '?'), type: 'oracle' }, user('b', 'two'))
    const { messages, end } = await readLog(log)
    expect(messages.map(message => message.parts[0]?.type)).toEqual(['text', 'unknown', 'unknown', 'text'])
    expect(messages.map(message => message.role)).toEqual(['user', 'system', 'system', 'user'])
    expect(end.counts).toMatchObject({ records: 5, unknown: 2, bookkeeping: 1 })
  })
})

describe('a log that has grown', () => {
  test('a known message that is written again is given again', async () => {
    const { second } = await grow(lines(header, user('a', 'q'), model('b', 'tw')), lines(model('b', 'two')))
    expect(second.end.continued).toBe(true)
    expect(texts(second.messages)).toEqual(['two'])
  })

  test('read in two steps, wherever it was cut, it is the same as read at once', async () => {
    const log = fixture('resumed.jsonl')
    const { messages, end, session } = await readLog(log)
    for (let length = 230; length < log.length; length += 10) {
      writeFileSync(session.filePath, log.subarray(0, length))
      const first = await collect(readFrom(geminiCli, session))
      appendFileSync(session.filePath, log.subarray(length))
      const second = await collect(readFrom(geminiCli, session, checkpointOf(first.end)))
      const known = second.end.continued ? first.messages : []
      const merged = new Map([...known, ...second.messages].map(message => [message.id, message]))
      expect([...merged.values()], `cut at ${length}`).toEqual(messages)
      expect(second.end.counts, `cut at ${length}`).toEqual(end.counts)
    }
  })

  test('a result whose call was given before is not given twice', async () => {
    const log = lines(header, user('a', 'q'), { ...model('b', ''), toolCalls: [call('t1', 'out')] })
    const { second } = await grow(log, lines(user('c', [response('t1', 'out')]), model('d', 'done')))
    expect(second.end.continued).toBe(true)
    expect(texts(second.messages)).toEqual(['done'])
  })

  test.each([
    ['a rewind', lines({ $rewindTo: 'a' })],
    ['a list of messages', lines(set({ messages: [user('s', 'summary')] }))],
  ])('%s makes it be read again', async (_, added) => {
    const { second, session } = await grow(lines(header, user('a', 'q'), model('b', 'r')), added)
    expect(second.end.continued).toBe(false)
    expect(said(second.messages)).toEqual(said((await collect(readFrom(geminiCli, session))).messages))
    expect(second.end.branches).toHaveLength(1)
  })
})

describe('messages', () => {
  test('the context that the agent sends first is not part of the conversation', async () => {
    const { messages } = await readLog(fixture('complete.jsonl'))
    expect(messages[0]).toMatchObject({ role: 'system', parts: [{ type: 'notice' }] })
  })

  test('thoughts, calls, results and tokens of the model are parts of its message', async () => {
    const { messages } = await readLog(fixture('complete.jsonl'))
    expect(messages[2]).toMatchObject({
      role: 'assistant',
      model: 'gemini-2.5-flash',
      usage: { input: 100, output: 20, cacheRead: 3, reasoning: 2 },
      parts: [
        { type: 'thinking', text: 'Looking\nThe cart comes first.' },
        { type: 'tool-call', id: 't1', name: 'read_file', input: { file_path: '/home/dev/shop/cart.ts' } },
        { type: 'tool-result', id: 't1', output: 'export const cart = []', isError: false },
      ],
    })
  })

  test('calls and responses in the content are paired, and a message of responses alone is of a tool', async () => {
    const log = lines(
      header,
      user('a', 'q'),
      model('b', [{ text: 'hm', thought: true }, { functionCall: { id: 't1', name: 'ls', args: { dir: '.' } } }]),
      user('c', [response('t1', undefined, 'no such folder')]),
    )
    const { messages } = await readLog(log)
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'tool'])
    expect(messages.flatMap(message => message.parts).slice(1)).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'tool-call', id: 't1', name: 'ls', input: { dir: '.' } },
      { type: 'tool-result', id: 't1', output: 'no such folder', isError: true },
    ])
  })

  test('several calls of one message keep their order, and each has its own result', async () => {
    const both = [response('t1', 'one'), response('t2', 'two')]
    const toolCalls = [
      { ...call('t1', ''), result: both },
      { ...call('t2', ''), result: both },
      { ...call('t3', ''), result: null, status: 'cancelled', resultDisplay: 'stopped' },
      { ...call('t4', ''), result: undefined, status: 'executing' },
    ]
    const { messages } = await readLog(lines(header, { ...model('b', ''), toolCalls }, user('c', both)))
    expect(messages).toHaveLength(1)
    expect(messages[0]?.parts.map(brief)).toEqual([
      'call t1',
      'result t1 one',
      'call t2',
      'result t2 two',
      'call t3',
      'result t3 stopped',
      'call t4',
    ])
  })

  test('notices of the agent and files are distinguished from the conversation', async () => {
    const log = lines(
      header,
      { ...user('i', 'Request cancelled.'), type: 'info' },
      user('a', [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }, { text: 'see image' }]),
      user('b', { fileData: { fileUri: 'https://example.com/a.pdf', mimeType: 'application/pdf' } }),
    )
    const { messages } = await readLog(log)
    expect(messages[0]).toMatchObject({ role: 'system', parts: [{ type: 'notice', text: 'Request cancelled.' }] })
    expect(messages[1]?.parts[0]).toMatchObject({ type: 'file', mime: 'image/png', source: 'inline', reference: null })
    expect(messages[2]?.parts[0]).toMatchObject({ source: 'url', reference: 'https://example.com/a.pdf' })
  })

  test('the title is the typed text, without the files that the agent added', async () => {
    const content = [{ text: 'explain @cart.ts' }, { text: 'export const cart = []' }]
    const { end } = await readLog(lines(header, { ...user('a', content), displayContent: 'explain @cart.ts' }))
    expect(end.facts.title).toBe('explain @cart.ts')
  })
})

async function grow(log: string, added: string) {
  const first = await readLog(log)
  appendFileSync(first.session.filePath, added)
  const second = await collect(readFrom(geminiCli, first.session, checkpointOf(first.end)))
  return { session: first.session, second }
}

function checkpointOf(end: Awaited<ReturnType<typeof collect>>['end']) {
  return end.checkpoint === undefined ? {} : { after: end.checkpoint }
}

function brief(part: Part): string {
  if (part.type === 'tool-call') return `call ${part.id}`
  return part.type === 'tool-result' ? `result ${part.id} ${part.output}` : part.type
}
