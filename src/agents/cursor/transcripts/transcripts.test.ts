import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { md5, PROJECT, putChat, putState, transcriptPlace } from '../../../../test/support/cursor/store-maker.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { discoverAll, discoverSessions, findSession, readFrom } from '../../../../test/support/reading.ts'
import { collect } from '../../../model/reading.ts'
import { cursor } from '../index.ts'
import { transcripts } from './index.ts'

const ID = '44444444-4444-4444-8444-444444444444'
const SUB = '55555555-5555-4555-8555-555555555555'
const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name), 'utf8')
const say = (role: string, text: string) => ({ role, message: { content: [{ type: 'text', text }] } })

async function readAt(place: string, content: string) {
  const home = temporaryHome()
  const file = put(home, place, content)
  const session = await findSession(cursor, environmentOf(home), ID)
  return { file, session, ...(await collect(readFrom(cursor, session))) }
}

describe('a transcript of JSON lines', () => {
  const nested = transcriptPlace(`${ID}/${ID}.jsonl`)

  test('gives messages, calls without results, and its marks as bookkeeping', async () => {
    const { messages, end } = await readAt(nested, fixture('transcript-complete.jsonl'))
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'assistant'])
    expect(messages[1]?.parts[1]).toMatchObject({ type: 'tool-call', name: 'Read' })
    expect(end.counts).toEqual({ records: 4, bookkeeping: 1, unknown: 0, skipped: 0 })
    expect(end.facts).toMatchObject({ title: 'Add a discount to the cart', sessionId: ID })
  })

  test('gives each call an id of its own', async () => {
    const call = { type: 'tool_use', name: 'Read', input: {} }
    const { messages } = await readAt(nested, lines({ role: 'assistant', message: { content: [call, call] } }))
    const ids = messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'tool-call' ? part.id : [])))
    expect(new Set(ids).size).toBe(2)
  })

  test('is found flat in the older place too', async () => {
    const { session } = await readAt(transcriptPlace(`${ID}.jsonl`), lines(say('user', 'Hello')))
    expect(session.generation).toBe('transcripts')
  })

  test('shows context that the agent wrote as such', async () => {
    const { messages } = await readAt(
      nested,
      lines(say('user', '<user_info>\nlinux\n</user_info>\n<rules>\nx\n</rules>'), say('user', '<b>')),
    )
    expect(messages.map(message => message.role)).toEqual(['system', 'user'])
  })

  test('shows a message whose content has another name as unknown, and counts it', async () => {
    const { messages, end } = await readAt(nested, lines({ role: 'user', message: { rawText: 'Hello' } }))
    expect(messages).toMatchObject([{ role: 'user', parts: [{ type: 'unknown', value: { rawText: 'Hello' } }] }])
    expect(end.counts.unknown).toBe(1)
  })

  test('shows records that it does not know, and counts them', async () => {
    const { messages, end } = await readAt(nested, lines(say('user', 'Hello'), { type: 'weather', sky: 'blue' }))
    expect(messages[1]?.parts).toEqual([
      { type: 'unknown', recordType: 'weather record', value: { type: 'weather', sky: 'blue' } },
    ])
    expect(end.counts.unknown).toBe(1)
  })

  test('does not take a block of a torn record for a record', async () => {
    const torn = JSON.stringify(say('user', 'torn')).slice(0, -3)
    const { messages, end } = await readAt(nested, `${torn}\n${lines(say('user', 'Hello'))}`)
    expect(messages).toHaveLength(1)
    expect(end.findings.map(finding => finding.damage)).toEqual(['malformed-record'])
  })
})

describe('the project of a transcript', () => {
  const place = transcriptPlace(`${ID}/${ID}.jsonl`)
  const projectOf = async (prepare: (home: string) => void, content = lines(say('user', 'Hello'))) => {
    const home = temporaryHome()
    put(home, place, content)
    prepare(home)
    const session = await findSession(cursor, environmentOf(home), ID)
    return (await collect(readFrom(cursor, session))).end.facts.project
  }
  const putMeta = (home: string, cwd: string) =>
    put(home, `.cursor/chats/${md5(cwd)}/other/meta.json`, JSON.stringify({ cwd, hasConversation: false }))
  const putWorkspace = (home: string, folder: string) =>
    put(home, '.config/Cursor/User/workspaceStorage/abc/workspace.json', JSON.stringify({ folder }))

  test('is what the meta.json of another chat names', async () => {
    expect(await projectOf(home => putMeta(home, PROJECT))).toBe(PROJECT)
  })

  test('is what a window of the editor had open', async () => {
    expect(await projectOf(home => putWorkspace(home, 'file:///home/dev/shop'))).toBe(PROJECT)
  })

  test('is unknown where two folders have the same dashed name', async () => {
    const both = (home: string) => {
      putMeta(home, PROJECT)
      putMeta(home, '/home/dev-shop')
    }
    expect(await projectOf(both)).toBeUndefined()
  })

  test('is what a tool was given a path in', async () => {
    expect(await projectOf(() => {}, fixture('transcript-complete.jsonl'))).toBe(PROJECT)
  })

  test('is absent if no record names it', async () => {
    expect(await projectOf(() => {})).toBeUndefined()
  })
})

describe('listing', () => {
  const listed = async (home: string) =>
    (await discoverSessions(cursor, environmentOf(home))).map(({ sessionId, generation }) => [sessionId, generation])

  test('names the session a sub-agent belongs to', async () => {
    const home = temporaryHome()
    put(home, transcriptPlace(`${ID}/${ID}.jsonl`), lines(say('user', 'Hello')))
    put(home, transcriptPlace(`${ID}/subagents/${SUB}.jsonl`), lines(say('user', 'Look around')))
    const sub = await findSession(cursor, environmentOf(home), SUB)
    expect(sub.subagentOf).toBe(ID)
    expect((await collect(readFrom(cursor, sub))).end.facts.subagentOf).toBe(ID)
  })

  test('names the sub-agents of a chat that is listed by its store', async () => {
    const home = temporaryHome()
    putChat(home, { id: ID })
    put(home, transcriptPlace(`${ID}/${ID}.jsonl`), lines(say('user', 'Hello')))
    put(home, transcriptPlace(`${ID}/subagents/${SUB}.jsonl`), lines(say('user', 'Look around')))
    expect(await listed(home)).toEqual([
      [ID, 'cli'],
      [SUB, 'transcripts'],
    ])
  })

  test('takes the newer shape of a session, unless it was emptied', async () => {
    const home = temporaryHome()
    put(home, transcriptPlace(`${ID}.txt`), 'user:\nHello')
    const file = put(home, transcriptPlace(`${ID}/${ID}.jsonl`), lines(say('user', 'Hello')))
    expect(await listed(home)).toEqual([[ID, 'transcripts']])
    truncateSync(file, 0)
    expect(await listed(home)).toEqual([[ID, 'transcripts-text']])
  })

  test('leaves out what the editor keeps, unless its database is damaged', async () => {
    const home = temporaryHome()
    put(home, transcriptPlace(`${ID}/${ID}.jsonl`), lines(say('user', 'Hello')))
    const state = putState(home, [{ id: ID }])
    expect(await listed(home)).toEqual([[ID, 'ide']])
    truncateSync(state, 1024)
    const environment = environmentOf(home)
    const found: string[] = []
    for (const location of transcripts.locations(environment))
      for await (const item of transcripts.discover(location, { environment, busyMs: 10 })) found.push(item.type)
    expect(found).toEqual(['session'])
  })

  test('lists nothing and fails nowhere in an empty home', async () => {
    expect(await discoverAll(cursor, environmentOf(temporaryHome()))).toEqual([])
  })
})

describe('a transcript of text', () => {
  const place = transcriptPlace(`${ID}.txt`)

  test('distinguishes thoughts, text, calls and results as far as possible', async () => {
    const { messages, end } = await readAt(place, fixture('transcript-complete.txt'))
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
    expect(messages[1]?.parts.map(part => part.type)).toEqual(['thinking', 'text', 'tool-call', 'tool-call'])
    expect(messages[1]?.parts[3]).toMatchObject({
      name: 'Write',
      input: 'path: /home/dev/shop/ci.yml\n  contents: on:\n\n  push:\n    branches: [main]',
    })
    expect(messages[4]?.parts).toEqual([
      { type: 'text', text: 'The cart takes ten percent off now.\n\nIt is tested on every push.' },
    ])
    expect(end.facts).toMatchObject({ title: 'Add a discount to the cart', project: PROJECT })
  })

  test('cut at any byte, the messages before the last are whole and the last is a beginning of one', async () => {
    const { session, file, messages: whole } = await readAt(place, fixture('transcript-complete.txt'))
    const text = readFileSync(file)
    for (let length = text.length - 1; length > 0; length--) {
      truncateSync(file, length)
      const left = await collect(readFrom(cursor, session)).catch(error => error.code)
      if (left === 'not-a-session') {
        expect(length).toBeLessThan('user:'.length)
        continue
      }
      const before = left.messages.slice(0, -1)
      expect(before.map((m: { parts: unknown }) => m.parts)).toEqual(whole.slice(0, before.length).map(m => m.parts))
    }
  })

  test('takes a speaker inside a paragraph for quoted text', async () => {
    const { messages } = await readAt(place, 'user:\nIt prints\nuser:\nwhy?\n\nA:\nBecause.')
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant'])
  })

  test('gives a result that no call waits for an id of its own', async () => {
    const { messages } = await readAt(place, 'user:\nHello\n\n[Tool result] Read\nsome lines')
    expect(messages[1]?.parts).toEqual([{ type: 'tool-result', id: '@13.0', output: 'some lines', isError: false }])
  })

  test('shows text without a speaker as unknown, and zeros as a finding', async () => {
    const { messages, end } = await readAt(place, 'torn off\n\nuser:\nHel\0lo\n')
    expect(messages.map(message => message.role)).toEqual(['system', 'user'])
    expect(end.counts.unknown).toBe(1)
    expect(end.findings.map(finding => finding.damage)).toEqual(['nul-run'])
    expect(end.type).toBe('partial')
  })

  test('is not a transcript without a speaker', async () => {
    const home = temporaryHome()
    put(home, place, 'a list of things\nto buy\n')
    const session = await findSession(cursor, environmentOf(home), ID)
    await expect(collect(readFrom(cursor, session))).rejects.toMatchObject({ code: 'not-a-session' })
  })
})
