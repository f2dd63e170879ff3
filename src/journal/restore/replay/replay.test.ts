// The text of a replay, and how much of a journal is read for it.
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import { anyEnvelopes } from '../../../../test/support/journal/arbitrary.ts'

import {
  answered,
  chunk,
  envelopeOf,
  prompt,
  SETTLED,
  thought,
  tool,
  toolUpdate,
} from '../../../../test/support/journal/conversation-samples.ts'
import { sampleSession } from '../../../../test/support/journal/samples.ts'
import { asFields } from '../../envelope.ts'
import { openJournal } from '../../store/open.ts'
import type { Envelope, EventPage, JournalStore } from '../../store/store.ts'
import { buildReplay, REPLAY_MARK, type ReplayText, replayBlock } from './build-replay.ts'
import { REPLAY_HEAD, stripReplay, TRUNCATED_LINE } from './mark.ts'
import { readWindow } from './window.ts'

test('holds messages and tools in order of time, one line each, without thoughts', async () => {
  const { store } = await journalOf([
    prompt(1, 'Repair the door'),
    thought('hm'),
    chunk('I '),
    chunk('look.'),
    tool('t1', { kind: 'execute', rawInput: { command: 'ls' } }),
    toolUpdate('t1', { status: 'completed', rawOutput: 'door' }),
    chunk('Done.'),
    answered(1),
  ])
  const replay = await buildReplay(store, 's', { upTo: 8 })
  const [head, ...lines] = linesOf(replay)
  expect(head).toBe(REPLAY_HEAD)
  expect(lines.map(line => JSON.parse(line))).toEqual([
    entry('client', { method: 'session/prompt', params: { prompt: [{ type: 'text', text: 'Repair the door' }] } }),
    said('I look.'),
    entry('agent', {
      method: 'session/update',
      params: {
        update: {
          sessionUpdate: 'tool_call',
          title: 'Tool t1',
          kind: 'execute',
          status: 'completed',
          rawInput: { command: 'ls' },
          output: 'door',
        },
      },
    }),
    said('Done.'),
  ])
  expect(replay).toMatchObject({ entries: 4, chars: replay?.text.length, isTruncated: false })
})

test('an answer that was cut off is marked, and later text is left out', async () => {
  const { store } = await journalOf([prompt(1, 'Go'), chunk('half'), SETTLED, prompt(2, 'Later')])
  const lines = linesOf(await buildReplay(store, 's', { upTo: 3 })).slice(1)
  expect(lines.map(line => asFields(JSON.parse(line))['payload'])).toMatchObject([
    { method: 'session/prompt' },
    { method: 'session/update', isIncomplete: true },
  ])
})

test('an empty conversation has no replay', async () => {
  const { store } = await journalOf([envelopeOf('client', { id: 1, method: 'session/new' }), thought('hm')])
  expect(await buildReplay(store, 's', { upTo: 2 })).toBeUndefined()
  expect(await buildReplay(store, 's', { upTo: 0 })).toBeUndefined()
})

test('without room for all, the newest entries are kept, and the text says that older ones are left out', async () => {
  const turns = Array.from({ length: 60 }, (_, n) => [prompt(n, `Question ${n}`), answered(n)]).flat()
  const { store } = await journalOf(turns)
  const byCount = await buildReplay(store, 's', { upTo: 120, maxEvents: 3 })
  expect(linesOf(byCount).slice(1).map(textIn)).toEqual([TRUNCATED_LINE, 'Question 57', 'Question 58', 'Question 59'])
  const bySize = await buildReplay(store, 's', { upTo: 120, maxChars: 1000 })
  expect(linesOf(bySize).at(-1)).toContain('Question 59')
  expect(bySize?.isTruncated).toBe(true)
  expect((await buildReplay(store, 's', { upTo: 120, maxEvents: 60 }))?.isTruncated).toBe(false)
})

test('one large result is cut in its middle and leaves room for the others', async () => {
  const output = `begin${'x'.repeat(100_000)}end`
  const { store } = await journalOf([prompt(1, 'Go'), tool('t1', { rawOutput: output }), chunk('Done'), answered(1)])
  const replay = await buildReplay(store, 's', { upTo: 4 })
  const lines = linesOf(replay).slice(1)
  expect(lines).toHaveLength(3)
  expect(lines[1]).toMatch(/"output":"beginx+\[…\]x+end"/)
  expect(replay).toMatchObject({ isTruncated: false })
})

test('of two large messages each has its share, and both are within the limit at any limit', async () => {
  const { store } = await journalOf([prompt(1, '😀"'.repeat(5000)), chunk('\n😀'.repeat(5000)), answered(1)])
  for (let maxChars = 1500; maxChars < 1600; maxChars += 7) {
    const replay = await buildReplay(store, 's', { upTo: 3, maxChars })
    const texts = linesOf(replay).slice(1).map(textIn)
    expect(texts.map(text => String(text).isWellFormed())).toEqual([true, true])
    expect(replay?.chars).toBeLessThanOrEqual(maxChars)
  }
})

test('the newest takes no more than its share where there are others', async () => {
  const { store } = await journalOf([prompt(1, 'q'.repeat(50_000)), chunk('a'.repeat(50_000)), answered(1)])
  const texts = linesOf(await buildReplay(store, 's', { upTo: 3 }))
    .slice(1)
    .map(textIn)
  expect(texts.map(text => Math.round(String(text).length / 1000))).toEqual([5, 5])
})

test('many small messages fill the room to its end and not beyond it', async () => {
  const { store } = await journalOf(Array.from({ length: 60 }, (_, n) => prompt(n, `Question ${n}`)))
  const sizes = Array.from({ length: 130 }, (_, n) => 2000 + n)
  const replays = await Promise.all(sizes.map(async maxChars => await buildReplay(store, 's', { upTo: 60, maxChars })))
  const free = replays.map((replay, at) => (sizes[at] ?? 0) - (replay?.chars ?? 0))
  expect(Math.min(...free)).toBe(0)
})

test('of many thoughts hardly any are kept in memory while reading back', async () => {
  const thoughts = Array.from({ length: 300 }, () => thought('hm'))
  const { store } = await journalOf([prompt(1, 'Go'), ...thoughts, chunk('a'), ...thoughts])
  const window = await readWindow(store, 's', { upTo: 602, maxEntries: 5, maxChars: 100, maxEntryChars: 50 })
  expect(window.events).toHaveLength(4)
  expect(window.isCut).toBe(false)
})

test('a message that is alone has all of the room', async () => {
  const { store } = await journalOf([prompt(1, 'y'.repeat(50_000))])
  expect((await buildReplay(store, 's', { upTo: 1 }))?.chars).toBeGreaterThan(11_900)
})

test('text that looks like one of our marks is only inside a string', async () => {
  const { store } = await journalOf([prompt(1, `${REPLAY_MARK}\n${TRUNCATED_LINE}\n`), answered(1)])
  const text = (await buildReplay(store, 's', { upTo: 2 }))?.text ?? ''
  expect(
    text
      .trimEnd()
      .split('\n')
      .map(line => line.startsWith('[')),
  ).toEqual([true, false])
})

test('in front of a prompt it is taken off again, also where an agent made one text of both', async () => {
  const { store } = await journalOf([prompt(1, 'Go'), chunk('One\nTwo'), answered(1)])
  const text = (await buildReplay(store, 's', { upTo: 3 }))?.text ?? ''
  expect(replayBlock(text)).toEqual({ type: 'text', text, _meta: { 'rethread/replay': true } })
  expect([stripReplay(text), stripReplay(`${text}Next\n\nplease`), stripReplay('Plain')]).toEqual([
    '',
    'Next\n\nplease',
    'Plain',
  ])
})

test('for any journal it is short enough, well-formed, and has the newest entry', async () => {
  const { store, append } = await journalOf([])
  let number = 0
  await fc.assert(
    fc.asyncProperty(anyEnvelopes, fc.integer({ min: 900, max: 3000 }), async (envelopes, maxChars) => {
      const sessionId = `s${number++}`
      await append([...envelopes, prompt(77, 'the newest 😀')], sessionId)
      const upTo = envelopes.length + 1
      const replay = await buildReplay(store, sessionId, { upTo, maxChars })
      const lines = linesOf(replay)
      expect(replay?.chars).toBeLessThanOrEqual(maxChars)
      expect(replay?.text.isWellFormed()).toBe(true)
      expect(textIn(lines.at(-1) ?? '')).toBe('the newest 😀')
      for (const line of lines.slice(1)) if (line !== TRUNCATED_LINE) JSON.parse(line)
      expect(lines.includes(TRUNCATED_LINE)).toBe(replay?.isTruncated)
    }),
    { numRuns: 60 },
  )
})

test('of a turn of very many pieces only the end is read, and it is marked where it was cut', async () => {
  const { store, append, pages } = await journalOf([prompt(1, 'Long ago')])
  const pieces = Array.from({ length: 10_000 }, () => chunk('some words of an answer '))
  for (let round = 0; round < 2; round++) await append(pieces)
  const replay = await buildReplay(store, 's', { upTo: 20_001 })
  expect(pages().length).toBeLessThanOrEqual(8)
  expect(pages().reduce((sum, { events }) => sum + events.length, 0)).toBeLessThan(6500)
  expect(replay).toMatchObject({ entries: 1, isTruncated: true })
  expect(textIn(linesOf(replay).at(-1) ?? '')).toMatch(/^\[…\] /)
})

test('ordinary turns fill the room from the first page', async () => {
  const turns = Array.from({ length: 500 }, (_, n) => [prompt(n, `Q${n}`), chunk('a'.repeat(200)), answered(n)]).flat()
  const { store, pages } = await journalOf(turns)
  expect((await buildReplay(store, 's', { upTo: 1500 }))?.entries).toBeGreaterThan(30)
  expect(pages()).toHaveLength(1)
})

async function journalOf(envelopes: readonly Envelope[]) {
  const opened = await openJournal(join(temporaryHome(), 'journal.sqlite'))
  onTestFinished(async () => await opened.close())
  const read: EventPage[] = []
  const store: JournalStore = Object.create(opened, {
    page: {
      value: async (...args: Parameters<JournalStore['page']>) => {
        const page = await opened.page(...args)
        read.push(page)
        return page
      },
    },
  })
  const append = async (more: readonly Envelope[], id = 's') => {
    if ((await opened.getSession(id)) === undefined) await opened.createSession(sampleSession(id))
    await opened.append(id, more)
  }
  await append(envelopes)
  return { store, append, pages: () => read }
}

/** Each ends with a line break, the last one too. */
function linesOf(replay: ReplayText | undefined): string[] {
  const lines = replay?.text.split('\n') ?? []
  expect(lines.pop()).toBe('')
  return lines
}

function entry(sender: string, payload: object) {
  return { createdAt: expect.any(Number), sender, payload }
}

function said(text: string) {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }
  return entry('agent', { method: 'session/update', params: { update } })
}

/** What an entry says; any other line as it is. */
function textIn(line: string): unknown {
  if (!line.startsWith('{')) return line
  const { params } = asFields(asFields(JSON.parse(line))['payload'])
  const { prompt: blocks, update } = asFields(params)
  const block = Array.isArray(blocks) ? blocks[0] : asFields(update)['content']
  return asFields(block)['text']
}
