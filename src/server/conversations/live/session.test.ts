// A conversation that is opened in the middle: never more than the end of its journal is looked at, and no message under a wrong id.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import { answered, chunk, prompt, update } from '../../../../test/support/journal/conversation-samples.ts'
import { sampleSession } from '../../../../test/support/journal/samples.ts'
import { openJournal } from '../../../journal/store/open.ts'
import type { Envelope } from '../../../journal/store/store.ts'
import { MAX_LIVE_MESSAGES, MAX_TAIL_EVENTS } from '../../limits.ts'
import { LiveSession } from './session.ts'
import { endOfTurn, readJournalTail } from './tail.ts'

async function openWith(envelopes: readonly Envelope[]) {
  const path = join(temporaryHome(), 'journal.sqlite')
  const store = await openJournal(path)
  onTestFinished(async () => await store.close())
  const session = await store.createSession(sampleSession('one'))
  await store.append('one', envelopes)
  const live = new LiveSession(session, path)
  live.begin(await readJournalTail(store, 'one'))
  return { store, live }
}

const manyChunks = (count: number) => Array.from({ length: count }, (_, n) => chunk(`w${n} `))

test('an answer whose beginning is too far back is left to a reading; what is said next is not', async () => {
  const { store, live } = await openWith([prompt(1, 'Tell all'), ...manyChunks(3 * MAX_TAIL_EVENTS)])
  expect(live.messages.ids).toEqual([])
  const { lastSeq } = await store.append('one', [answered(1), prompt(2, 'More'), chunk('Yes'), answered(2)])
  const page = await store.page('one', { after: lastSeq - 4, limit: 10 })
  for (const event of page.events) live.take(event)
  expect(live.messages.ids).toEqual([`m${lastSeq - 2}`, `m${lastSeq - 1}`])
  expect(live.isBusy).toBe(false)
})

test('an answer that is under way is there with all that came, and is taken once', async () => {
  const { store, live } = await openWith([prompt(1, 'Hello'), ...manyChunks(500)])
  expect(live.messages.ids).toEqual(['m1', 'm2'])
  expect(live.isBusy).toBe(true)
  const text = () =>
    live.messages
      .get('m2')
      ?.parts.map(part => ('text' in part ? part.text : ''))
      .join('')
  const before = text()
  expect(before).toMatch(/^w0 .*w499 $/)
  for (const event of (await store.tail('one', 10)).events) live.take(event)
  expect(text()).toBe(before)
  expect(live.messages.get('m2')?.isOpen).toBe(true)
})

test('only the last messages are kept', async () => {
  const turns = Array.from({ length: 100 }, (_, n) => [prompt(n, `q${n}`), chunk(`a${n}`), answered(n)]).flat()
  const { store, live } = await openWith(turns)
  expect(live.messages.ids.length).toBeLessThanOrEqual(MAX_LIVE_MESSAGES)
  expect(live.messages.ids.at(-1)).toBe('m299')
  expect(await endOfTurn(store, 'one', 2)).toBe(3)
  expect(await endOfTurn(store, 'one', 299)).toBe(300)
})

const commands = (...names: string[]) =>
  update('available_commands_update', { availableCommands: names.map(name => ({ name, description: '' })) })
const SURROUNDINGS = { key: 'key', isListed: true, agentTitle: 'Mock', preparing: null, isAlive: false }
const names = (live: LiveSession) => live.state(SURROUNDINGS).commands.map(({ name }) => name)
const manyTurns = (count: number) =>
  Array.from({ length: count }, (_, n) => [prompt(n, `q${n}`), chunk(`a${n}`), answered(n)]).flat()

test('commands that were reported once, at the beginning, are known however much was said since', async () => {
  const { live } = await openWith([commands('old'), commands('review'), ...manyTurns(200)])
  expect(names(live)).toEqual(['review'])
  expect(live.messages.ids).not.toContain('m3')
})

test('those that were reported later are the ones that count, and none where the agent took them back', async () => {
  const { store, live } = await openWith([commands('old'), ...manyTurns(200), commands('new')])
  expect(names(live)).toEqual(['new'])
  const { lastSeq } = await store.append('one', [commands()])
  const [event] = (await store.page('one', { after: lastSeq - 1, limit: 1 })).events
  if (event === undefined) throw new Error('It was appended.')
  expect(live.take(event)).toEqual({ messages: [], isOther: true })
  expect(names(live)).toEqual([])
})
