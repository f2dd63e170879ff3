// A log that is read in parts gives what it gives when it is read in one.
import { expect, test } from 'vitest'
import { inFull } from '../../../../test/support/full.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import {
  answer,
  CLI,
  CLI_LOG,
  CLI_METADATA,
  entry,
  event,
  fixture,
  prompt,
  V3,
  V3_FOLDER,
} from '../../../../test/support/kiro/store.ts'
import { comparePartsOf, type Outcome, randomSizes, TOO_SHORT } from '../../../../test/support/parts.ts'
import { below, type Random, seededRandom } from '../../../../test/support/random.ts'
import { findSession } from '../../../../test/support/reading.ts'
import type { PartSizes } from '../../parts.ts'
import { storeOf } from '../../store.ts'
import { kiro } from '../index.ts'

const LOGS = inFull(600, 60)
const CUTS = 4

interface Files {
  log: string
  metadata?: string | Buffer
  isV3?: boolean
}

async function open({ log, metadata = fixture('cli-complete.json'), isV3 = false }: Files) {
  const home = temporaryHome()
  put(home, isV3 ? `${V3_FOLDER}/messages.jsonl` : CLI_LOG, log)
  if (metadata !== '') put(home, isV3 ? `${V3_FOLDER}/session.json` : CLI_METADATA, metadata)
  const session = await findSession(kiro, environmentOf(home), isV3 ? V3 : CLI)
  return (sizes: PartSizes): Promise<Outcome | undefined> => comparePartsOf(storeOf(kiro, session), session, sizes)
}

const piece = (id: string, text: string, kind = 'text') =>
  entry('AssistantMessage', { message_id: id, content: [{ kind, data: text }] })
const textOf = (random: Random) => 'some words '.repeat(below(random, 40))

type Make = (random: Random, at: number) => object[]

const ENTRIES: readonly Make[] = [
  (random, at) => [entry('Prompt', { content: [{ kind: 'text', data: textOf(random) }], meta: { timestamp: at } })],
  (random, at) =>
    Array.from({ length: 1 + below(random, 12) }, () =>
      piece(`m${at}`, textOf(random), random() < 0.2 ? 'thinking' : 'text'),
    ),
  // Pieces of few answers, with other records between them.
  random => [piece(`m-${below(random, 2)}`, textOf(random))],
  random => [answer(textOf(random)), entry('Telepathy', { said: textOf(random) })],
  (random, at) => [
    entry('AssistantMessage', {
      content: [{ kind: 'toolUse', data: { toolUseId: `t${at}`, name: 'shell', input: {} } }],
    }),
    entry('ToolResults', { content: [{ kind: 'toolResult', data: { toolUseId: `t${at}`, content: textOf(random) } }] }),
  ],
  random => [event({ type: 'turn_end' }), event({ type: 'assistant', content: textOf(random) })],
  (random, at) => [piece(`m${at}`, textOf(random)), event({ type: 'turn_end' }), piece(`m${at}`, textOf(random))],
]

const call = (random: Random) => ({ type: 'tool_call', toolCallId: `t${below(random, 4)}`, toolName: 'execute_bash' })
const EVENTS: readonly Make[] = [
  random => [event({ type: 'user', content: textOf(random) })],
  random => [event({ type: 'assistant', content: textOf(random) }), event({ type: 'usage_summary' })],
  random => [event({ ...call(random), args: { command: `npm ${below(random, 2)}` } })],
  random => [event({ ...call(random), status: 'approved' })],
  random => [event({ type: 'tool_result', toolCallId: `t${below(random, 4)}`, content: `ok ${below(random, 2)}` })],
  random => [event({ type: 'user', content: [{ type: 'tool_result', toolUseId: 't1', content: textOf(random) }] })],
  random => [{ role: 'user', content: textOf(random) }, piece(`m-${below(random, 2)}`, 'a')],
]

test.each([
  { name: 'entries', makers: ENTRIES, isV3: false },
  { name: 'events', makers: EVENTS, isV3: true },
])('random logs of $name, cut anywhere', async ({ makers, isV3 }) => {
  const random = seededRandom(1)
  let again = 0
  for (let log = 0; log < LOGS; log++) {
    const records = Array.from(
      { length: 5 + below(random, 60) },
      (_, at) => makers[below(random, makers.length)]?.(random, at) ?? [],
    )
    const compare = await open({ log: lines(...records.flat()), isV3 })
    for (let cut = 0; cut < CUTS; cut++) {
      const outcome = await compare({ ...randomSizes(random), part: 1 + below(random, 3000) })
      expect(outcome?.end).toBeDefined()
      again += outcome?.again ?? 0
    }
  }
  expect(again).toBeGreaterThan(0)
})

test('an answer in pieces is never cut', async () => {
  const pieces = Array.from({ length: 30 }, (_, at) => piece('m1', `piece ${at} `))
  const log = lines(prompt('Why?'), ...pieces, prompt('And now?'), answer('Done.'))
  const outcome = await (await open({ log }))({ ...TOO_SHORT, warmUpLines: 2 })
  expect(outcome).toMatchObject({ again: 0, end: expect.anything() })
  expect(outcome?.messages).toHaveLength(4)
  expect(outcome?.messages[1]).toContain('piece 28 piece 29')
})

test('an answer whose pieces are too long for a part is read in one', async () => {
  const pieces = Array.from({ length: 10 }, () => piece('m1', 'x'.repeat(1024 * 1024)))
  expect(await (await open({ log: lines(prompt('Why?'), ...pieces) }))(TOO_SHORT)).toBeUndefined()
})

test('a long turn is cut where no tool was called yet', async () => {
  const turn = (at: number) => [
    event({ type: 'user', content: `prompt ${at}` }),
    ...Array.from({ length: 5 }, (_, to) =>
      event({ type: 'tool_call', toolCallId: `t${to}`, args: { at: `n ${to}` } }),
    ),
    event({ type: 'tool_call', toolCallId: 't0', status: 'completed' }),
  ]
  const log = lines(...Array.from({ length: 20 }, (_, at) => turn(at)).flat())
  const outcome = await (await open({ log, isV3: true }))({ part: 600, warmUp: 0, warmUpLines: 1 })
  expect(outcome).toMatchObject({ again: 0, end: { counts: { records: 140, bookkeeping: 20 } } })
})

test('what is wrong with the metadata is found in parts, too', async () => {
  const log = lines(...Array.from({ length: 20 }, (_, at) => prompt(`prompt ${at}`)))
  const damagesIn = async (metadata: string) => (await (await open({ log, metadata }))(TOO_SHORT))?.end
  expect(await damagesIn('')).toMatchObject({
    findings: [{ damage: 'missing-metadata' }],
    facts: { title: 'prompt 0' },
  })
  expect(await damagesIn('{"title":"A"')).toMatchObject({ findings: [{ damage: 'malformed-metadata' }] })
})

test.each(['{"version":"v1","kind":"Pro', `${JSON.stringify(answer('x')).slice(0, 40)}\n`, '\0'.repeat(50)])(
  'a log with the broken line %j is read in one from its part on, except in the last part',
  async broken => {
    const [some, more] = [lines(prompt('one'), answer('two')), lines(prompt('three'), answer('four'))]
    const middle = await (await open({ log: `${some}${broken}${more}${more}${more}` }))(TOO_SHORT)
    expect(middle).toMatchObject({ end: undefined })
    const last = await (await open({ log: `${more}${more}${some}${broken}` }))(TOO_SHORT)
    expect(last?.end).toMatchObject({ findings: [expect.anything()] })
  },
)

test('the pieces of an answer are one message, even if a part begins between them', async () => {
  const log = lines(prompt('Why?'), piece('m1', 'one '), event({ type: 'turn_end' }), piece('m1', 'two'), prompt('So?'))
  const outcome = await (await open({ log }))({ part: 1, warmUp: 0, warmUpLines: 1 })
  expect(outcome?.end).toBeDefined()
  expect(outcome?.again).toBeGreaterThan(0)
  expect(outcome?.messages[1]).toContain('one two')
})
