// A conversation that is read in parts gives what it gives when it is read in one.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { BASE, ID, META, putConversation, SILO, WHOLE } from '../../../../test/support/jp/store.ts'
import { comparePartsOf, randomSizes, readInParts, TOO_SHORT } from '../../../../test/support/parts.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import { findSession } from '../../../../test/support/reading.ts'
import { jp } from '../index.ts'
import { active } from './index.ts'
import { parts } from './parts.ts'

const event = (type: string, at: number, fields: object) => ({
  timestamp: `2026-11-01 10:${String(at % 60).padStart(2, '0')}:00.0`,
  type,
  ...fields,
})
const say = (at: number) => event('chat_response', at, { message: `Step ${at} ${'é'.repeat(80)}` })
const change = (at: number, name: string) =>
  event('config_delta', at, { delta: { assistant: { model: { id: { provider: 'google', name } } } } })
const filler = (from: number) => Array.from({ length: 12 }, (_, at) => say(from + at))

const EVENTS = [
  event('turn_start', 0, {}),
  ...filler(1),
  event('chat_request', 20, { content: 'The first prompt' }),
  change(21, 'one'),
  ...filler(22),
  event('tool_call_response', 40, { id: 't', content: 'b2s=', is_error: false }),
  change(41, 'two'),
  event('hologram', 42, { a: [1.5e3] }),
  ...filler(43),
  event('chat_request', 5, { content: 'The second prompt' }),
]

async function sessionOf(files: object) {
  const home = temporaryHome()
  putConversation(home, { ...WHOLE, ...files }, ID)
  return { home, session: await findSession(jp, environmentOf(home), `jp-c${ID}`) }
}

test('the model, the title and the times are right, in whatever parts they are', async () => {
  const { session } = await sessionOf({ 'events.json': EVENTS, 'metadata.json': { ...META, title: '' } })
  const random = seededRandom(1)
  for (const sizes of [TOO_SHORT, ...Array.from({ length: 10 }, () => randomSizes(random))]) {
    const outcome = await comparePartsOf(active, session, sizes)
    expect(outcome).toMatchObject({
      again: 0,
      end: {
        type: 'complete',
        facts: { title: 'The first prompt', model: 'google/two', updatedAt: '2026-11-01T10:54:00.000Z' },
        counts: { records: EVENTS.length, bookkeeping: 3, unknown: 1, skipped: 0 },
      },
    })
  }
  const { messages = [] } = readInParts(parts, session, TOO_SHORT) ?? {}
  const models = messages.map(text => JSON.parse(text).model).filter(model => model !== undefined)
  expect([...new Set(models)]).toEqual(['anthropic/claude-x', 'google/one', 'google/two'])
})

test('text in a field that is not known is counted once for each event, in whatever parts it is', async () => {
  const call = (at: number) =>
    event('tool_call_request', at, { id: 't', name: 'read', input: { path: 'c3JjL2NhcnQudHM=' } })
  const asked = event('compaction', 50, {
    from_turn: 1,
    to_turn: 12345678901234568,
    text: 'The cart',
    why: 'It was long',
  })
  const events = [...EVENTS, call(47), ...filler(48), asked, ...filler(51), call(55)]
  // Read byte by byte, and proved first.
  for (const bytes of [0, 1024 * 1024]) {
    const long = event('chat_response', 46, { message: 'é'.repeat(bytes / 2) })
    const { session } = await sessionOf({ 'events.json': [...events, long] })
    const outcome = await comparePartsOf(active, session, TOO_SHORT)
    expect(outcome).toMatchObject({ again: 0, end: { type: 'complete', counts: { unknown: 4 } } })
    expect(outcome?.messages.filter(text => text.includes('"input":{"path":"src/cart.ts"}'))).toHaveLength(2)
  }
})

test('parts follow one another without gaps, and the last one ends with the file', async () => {
  const { session } = await sessionOf({ 'events.json': EVENTS })
  const bounds = parts.plan(session, TOO_SHORT)?.parts ?? []
  expect(bounds.length).toBeGreaterThan(10)
  expect(bounds.map(({ start }) => start)).toEqual([0, ...bounds.slice(0, -1).map(({ end }) => end)])
  expect(bounds.at(-1)?.end).toBe(statSync(session.filePath).size)
})

test('what is wrong with the other files is found', async () => {
  const { session } = await sessionOf({ 'events.json': EVENTS, 'metadata.json': '{', 'base_config.json': {} })
  const outcome = await comparePartsOf(active, session, TOO_SHORT)
  expect(outcome?.end).toMatchObject({
    findings: ['metadata', 'base_config', 'base_config'].map(name => ({
      damage: 'unreadable-file',
      at: { file: expect.stringContaining(name) },
    })),
    loads: 0,
  })
})

test.each([
  ['whose first event has the config', event('config_delta', 0, { delta: BASE }), [], undefined],
  ['whose first event has half of it', event('config_delta', 0, { delta: {} }), [], 0],
  ['whose first event is the config', event('config_delta', 0, BASE), ['outdated-layout'], 0],
  ['whose first event has no config', say(0), ['lost-config'], 0],
])('a conversation %s is judged as in one', async (_, first, damages, loads) => {
  const { session } = await sessionOf({ 'events.json': [first, ...EVENTS], 'base_config.json': undefined })
  const outcome = await comparePartsOf(active, session, TOO_SHORT)
  expect(outcome?.end).toMatchObject({ findings: damages.map(damage => ({ damage })), ...(loads === 0 && { loads }) })
})

test.each([
  ['without a field that JP needs', JSON.stringify(event('chat_request', 1, {}))],
  ['with a number that JP cannot read', `{"timestamp": "2026-11-01 10:00:00.0", "type": "x", "n": 1e999}`],
])('an event %s has the rest read in one', async (_, text) => {
  const stored = JSON.stringify([...EVENTS, 'HERE', ...EVENTS], null, 2)
  const { session } = await sessionOf({ 'events.json': stored.replace('"HERE"', text.replace(/.$/, '\n  }')) })
  const outcome = await comparePartsOf(active, session, TOO_SHORT)
  expect(outcome).toMatchObject({ end: undefined })
  expect(outcome?.messages.length).toBeGreaterThan(20)
})

test('a file that is not valid, or not written in lines, is read in one', async () => {
  const text = JSON.stringify(EVENTS, null, 2)
  for (const stored of [text.slice(0, -3), JSON.stringify(EVENTS), text.replace('"t"', "'t'"), '[]'])
    expect(parts.plan((await sessionOf({ 'events.json': stored })).session, TOO_SHORT)).toBeUndefined()
})

test('a file that was written again is read in one', async () => {
  const { home, session } = await sessionOf({ 'events.json': EVENTS })
  const plan = parts.plan(session, TOO_SHORT)
  if (plan === undefined) throw new Error('It is not planned.')
  expect(parts.read(session, plan, 1).next().done).toBe(false)
  put(home, join(SILO, 'conversations', ID, 'events.json'), `${JSON.stringify(EVENTS, null, 2)}\n\n`)
  expect(parts.read(session, plan, 1).next()).toEqual({ done: true, value: undefined })
})
