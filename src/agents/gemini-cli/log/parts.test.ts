// A log that is read in parts gives what it gives when it is read in one.
import { expect, test } from 'vitest'
import { inFull } from '../../../../test/support/full.ts'
import {
  call,
  header,
  LOG,
  model,
  putProjects,
  response,
  SESSION,
  set,
  user,
} from '../../../../test/support/gemini-cli/make.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { comparePartsOf, randomSizes, TOO_SHORT } from '../../../../test/support/parts.ts'
import { below, type Random, seededRandom } from '../../../../test/support/random.ts'
import { findSession } from '../../../../test/support/reading.ts'
import { findStore } from '../../store.ts'
import { geminiCli } from '../index.ts'

const LOGS = inFull(600, 60)
const CUTS = 4

async function open(text: string) {
  const home = temporaryHome()
  putProjects(home)
  put(home, LOG, text)
  const session = await findSession(geminiCli, environmentOf(home), SESSION)
  const store = findStore(geminiCli, session)
  if (store === undefined) throw new Error('The log has no store.')
  return { session, store }
}

const asked = (id: string, result: string, output: string) => ({
  ...model(id, 'on it'),
  toolCalls: [call(result, output)],
})

test('an answer whose output is not given elsewhere is given with it', async () => {
  const text = lines(header, user('a', 'a prompt'), user('b', [response('r', 'only here')]), asked('c', 'r', 'again'))
  const { session, store } = await open(text)
  const outcome = await comparePartsOf(store, session, TOO_SHORT)
  expect(outcome?.messages.join()).toContain('only here')
  expect(outcome?.messages.join()).not.toContain('again')
})

type Make = (random: Random, at: number) => object[]
const resultOf = (random: Random) => `result-${below(random, 12)}`
const MAKERS: readonly Make[] = [
  (_, at) => [user(`m${at}`, `prompt ${at}`), set({ lastUpdated: header.lastUpdated })],
  (random, at) => [asked(`m${at}`, resultOf(random), `output ${at}`)],
  (random, at) => [user(`m${at}`, [response(resultOf(random), `answer ${at}`)])],
  (random, at) => {
    const [result, output] = [`own-${at}`, 'x'.repeat(below(random, 400))]
    return [model(`m${at}`, 'on it'), asked(`m${at}`, result, output), user(`n${at}`, [response(result, output)])]
  },
  (random, at) => [{ ...user(`m${at}`, [response(resultOf(random), `answer ${at}`)]), timestamp: '2026-11-01' }],
  (random, at) => [
    { content: [response(resultOf(random), 'x')], timestamp: header.lastUpdated, type: 'user', id: `m${at}` },
  ],
]

test('random logs with answers, cut anywhere', async () => {
  const random = seededRandom(1)
  let whole = 0
  for (let log = 0; log < LOGS; log++) {
    const records = Array.from(
      { length: 5 + below(random, 40) },
      (_, at) => MAKERS[below(random, MAKERS.length)]?.(random, at) ?? [],
    )
    const { session, store } = await open(lines(header, ...records.flat()))
    for (let cut = 0; cut < CUTS; cut++) {
      const outcome = await comparePartsOf(store, session, { ...randomSizes(random), part: 1 + below(random, 3000) })
      if (outcome?.end !== undefined) whole++
    }
  }
  expect(whole).toBeGreaterThan((LOGS * CUTS) / 2)
})
