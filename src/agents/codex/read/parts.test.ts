// A rollout that is read in parts gives what it gives when it is read in one, or the beginning of it.
import { utimesSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { answer, event, item, meta, open, record, tokens, user } from '../../../../test/support/codex/sessions.ts'
import { inFull } from '../../../../test/support/full.ts'
import { lines } from '../../../../test/support/home.ts'
import { comparePartsOf, type Outcome, planParts, randomSizes, TOO_SHORT } from '../../../../test/support/parts.ts'
import { below, type Random, seededRandom } from '../../../../test/support/random.ts'
import { codex } from '../index.ts'
import { parts } from './parts.ts'

const LOGS = inFull(1500, 150)
const CUTS = 4

type Make = (random: Random, log: readonly object[]) => object[]

/** Few, so that the same words are said again. */
const TEXTS = ['Yes.', 'No.', 'Add the total.', 'Run the tests.', `A long text. ${'More of it. '.repeat(80)}`]
const pick = <T>(random: Random, from: readonly [T, ...T[]] | readonly T[]): T => from[below(random, from.length)] as T
const textOf = (random: Random) => `${pick(random, TEXTS)}${random() < 0.3 ? '' : ` ${below(random, 1e9)}`}`
const call = (id: number) => item({ type: 'function_call', name: 'shell', arguments: '{"a":1}', call_id: `call_${id}` })
const result = (id: number) =>
  item({ type: 'function_call_output', call_id: `call_${id}`, output: 'x'.repeat(id % 500) })
const thought = (text: string) => item({ type: 'reasoning', summary: [{ type: 'summary_text', text }] })
const between = (random: Random) => (random() < 0.7 ? [] : [call(below(random, 1e6)), tokens(below(random, 1e6))])

/** In either order, with or without records between them. */
function pair(random: Random, one: object, other: object): object[] {
  const [first, second] = random() < 0.5 ? [one, other] : [other, one]
  return [first, ...between(random), second]
}

const USUAL: Make[] = [
  random => {
    const text = textOf(random)
    return pair(random, user(text), event({ type: 'user_message', message: text }))
  },
  random => {
    const text = textOf(random)
    return pair(random, answer(text), event({ type: 'agent_message', message: text }))
  },
  random => {
    const text = textOf(random)
    return pair(random, thought(text), event({ type: 'agent_reasoning', text }))
  },
  random => [call(below(random, 1e6)), result(below(random, 1e6))],
  random => [tokens(below(random, 1e9), below(random, 100))],
  random => [record('turn_context', { model: pick(random, ['gpt-5', 'gpt-5-codex']), cwd: '/home/dev/shop' })],
  random => [thought(textOf(random))],
  random => REPEATS[0]?.(random, []) ?? [],
]

/** As it is written since 2026, beside the items of a call. */
const ran = (id: number, inEvent: object = {}, inItem: object = {}) => {
  const run = { type: 'CommandExecution', id: `call_${id}`, aggregated_output: 'y '.repeat(id % 300), ...inItem }
  return event({ type: 'item_completed', thread_id: 't', turn_id: 'u', item: run, completed_at_ms: id, ...inEvent })
}

const REPEATS: Make[] = [
  random => [call(below(random, 1e6)), ran(below(random, 1e6)), result(below(random, 1e6))],
  random => [ran(below(random, 1e6), { note: textOf(random) }), ran(below(random, 1e6), { later: { text: ['a b'] } })],
  random => [ran(below(random, 1e6), {}, { summary_text: [{ type: 'new', words: textOf(random) }], raw_content: [] })],
  random => [{ type: 'event_msg', payload: ran(below(random, 1e6)).payload, timestamp: '2026-11-01T10:00:00Z' }],
  (_, log) => log.filter(one => JSON.stringify(one).includes('CommandExecution')).slice(-1),
]

const UNUSUAL: Make[] = [
  ...REPEATS.slice(1),
  random => [event({ type: 'thread_rolled_back', num_turns: below(random, 3) })],
  // An event of which the item is missing, and one that was said in other words.
  random => [event({ type: 'agent_message', message: textOf(random) })],
  random => [event({ type: 'user_message', message: textOf(random) }), user(textOf(random))],
  random => [record('compacted', { message: textOf(random) }), event({ type: 'context_compacted' })],
  random => [event({ type: 'context_compacted' }), item({ type: 'compaction', encrypted_content: textOf(random) })],
  random => [record('not_known', { text: textOf(random) }), event({ type: 'not_known', message: textOf(random) })],
  // Records that were written again, as they are or with another time.
  (random, log) => log.slice(below(random, log.length)).slice(0, 1 + below(random, 4)),
  random => {
    const said = { type: 'message', id: `msg_${below(random, 3)}`, role: 'assistant', content: [] }
    return [item(said), item(said)]
  },
  random => [tokens(below(random, 4)), tokens(below(random, 4))],
  random => [event({ type: 'token_count', info: { last_token_usage: { output_tokens: below(random, 9) } } })],
  () => [event({ type: 'token_count', info: null }), { type: 'event_msg', payload: { type: 'token_count' } }],
  random => [
    meta({ forked_from_id: `fork-${below(random, 3)}` }),
    event({ type: 'turn_aborted', reason: 'interrupted' }),
  ],
  random => [event({ type: 'thread_name_updated', thread_name: textOf(random) })],
  random => [item({ type: 'message', role: 'assistant', content: 'text', renamed: textOf(random) }), { text: 'bare' }],
  random => [event({ type: 'item_completed', item: { type: 'Plan', text: textOf(random) } })],
]

function makeLog(random: Random): object[] {
  const log: object[] = [meta()]
  const makers = [...USUAL, ...USUAL, ...UNUSUAL.filter(() => random() < 0.12)]
  const count = 10 + below(random, 60)
  while (log.length < count) log.push(...pick(random, makers)(random, log))
  return log
}

const [rollouts] = codex.stores

async function compare(text: string, sizes: Parameters<typeof comparePartsOf>[2]): Promise<Outcome | undefined> {
  const { session } = await open(text)
  if (rollouts === undefined) throw new Error('Codex has no store.')
  return await comparePartsOf(rollouts, session, sizes)
}

test('random rollouts, cut anywhere', async () => {
  const random = seededRandom(1)
  const outcomes = { whole: 0, begun: 0, refused: 0 }
  for (let log = 0; log < LOGS; log++) {
    const text = lines(...makeLog(random))
    for (let cut = 0; cut < CUTS; cut++) {
      const sizes = randomSizes(random)
      const outcome = await compare(text, { ...sizes, part: 1 + below(random, 3000) })
      outcomes[outcome === undefined ? 'refused' : outcome.end === undefined ? 'begun' : 'whole']++
    }
  }
  expect(outcomes.whole).toBeGreaterThan(LOGS)
  expect(outcomes.begun).toBeGreaterThan(LOGS / 10)
  expect(outcomes.refused).toBeGreaterThan(LOGS / 10)
})

test('a log is not cut between an event and its item, however long they are', async () => {
  const said = Array.from({ length: 12 }, (_, at) => {
    const text = `Answer ${at}. ${'It is long. '.repeat(400)}`
    return [event({ type: 'agent_message', message: text }), result(at), answer(text)]
  })
  const log = [meta(), ...said.flat()]
  for (let part = 2000; part < 20_000; part += 1500) {
    const outcome = await compare(lines(...log), { part, warmUp: 100, warmUpLines: 2 })
    expect(outcome?.end).toBeDefined()
  }
})

const SAID = [user('a'), event({ type: 'user_message', message: 'a' })]

test('an event without an item is not left out: the rest is read in one', async () => {
  const lone = event({ type: 'agent_message', message: 'only here' })
  const rest = Array.from({ length: 40 }, (_, at) => result(at))
  const outcome = await compare(
    lines(meta(), ...SAID, ...rest, lone, ...rest.map((_, at) => result(100 + at))),
    TOO_SHORT,
  )
  expect(outcome).toMatchObject({ end: undefined })
  expect(outcome?.messages.length).toBeGreaterThan(20)
})

test('a rolled back turn is never read in parts', async () => {
  const back = event({ type: 'thread_rolled_back', num_turns: 1 })
  expect(await compare(lines(meta(), ...SAID, answer('b'), back), TOO_SHORT)).toBeUndefined()
})

test('a rollout with events alone is read in one', async () => {
  expect(await compare(lines(meta(), event({ type: 'agent_message', message: 'a' })), TOO_SHORT)).toBeUndefined()
})

test('the model is known in every part, however far before it was named', async () => {
  const context = record('turn_context', { model: 'gpt-5-codex' })
  const answers = Array.from({ length: 40 }, (_, at) => answer(`answer ${at}`))
  const outcome = await compare(lines(meta(), context, ...answers, user('a')), { ...TOO_SHORT, warmUpLines: 4 })
  expect(outcome?.end).toBeDefined()
  expect(outcome?.again).toBe(0)
  expect(outcome?.messages.filter(message => message.includes('gpt-5-codex'))).toHaveLength(40)
})

test('a copy of an event that repeats the output of a command is found', async () => {
  const [one, other] = [ran(7), ran(8)]
  const outcome = await compare(lines(meta(), ...SAID, one, answer('a'), other, one, answer('b')), TOO_SHORT)
  expect(outcome).toMatchObject({ end: undefined })
})

const QUIET = [...SAID, ran(1), event({ type: 'task_started', turn_id: 'u' }), answer('a'), ran(90)]
/** Each of them may be shown, or was not written as usual. */
const LOUD = [
  ran(2, { note: 'some words' }),
  ran(3, {}, { type: 'Plan', text: 'some words' }),
  ran(4, {}, { raw_content: [] }),
  { ordinal: 1, ...ran(5) },
  event({ type: 'thread_name_updated', thread_name: 'A name' }),
]

/** Where lines start that are not parsed. */
function silentIn(plan: { parts: { known: unknown }[] } | undefined): number[] {
  return (plan?.parts ?? []).flatMap(({ known }) => [...(known as { silent: { starts: Float64Array } }).silent.starts])
}

test('only events of which nothing is shown, whatever they say, are not parsed', async () => {
  const { session } = await open(lines(meta(), ...QUIET, ...LOUD))
  const before = [3, 4, 6].map(count => lines(meta(), ...QUIET.slice(0, count - 1)).length)
  expect(silentIn(planParts(parts, session, TOO_SHORT))).toEqual(before)
})

test('a rollout that was written since it was cut is parsed', async () => {
  const said = ran(1, { note: 'some words' })
  const quiet = ran(1, { thread_id: 'x'.repeat(JSON.stringify(said).length - JSON.stringify(ran(1)).length + 1) })
  const { file, session } = await open(lines(meta(), ...SAID, quiet, answer('a')))
  const plan = planParts(parts, session)
  expect(silentIn(plan)).toHaveLength(1)
  if (plan === undefined) return
  const count = () => [...parts.read(session, plan, 0)].length
  const before = count()
  writeFileSync(file, lines(meta(), ...SAID, { ...said, timestamp: quiet.timestamp }, answer('a')))
  utimesSync(file, 1, 1)
  expect(count()).toBe(before + 1)
})

test('a message that is nested too deeply to wait as text is read in one', async () => {
  const depth = 20_000
  const deep = JSON.stringify(item({ type: 'function_call', name: 'f', arguments: { at: 0 }, call_id: 'c' }))
  const nested = deep.replace('{"at":0}', `${'['.repeat(depth)}${']'.repeat(depth)}`)
  const before = lines(meta(), ...SAID)
  const after = lines(...Array.from({ length: 5 }, (_, at) => answer(`answer ${at}`)))
  const outcome = await compare(`${before}${nested}\n${after}`, TOO_SHORT)
  expect(outcome?.end).toBeUndefined()
})
