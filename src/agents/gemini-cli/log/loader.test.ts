// Whatever is rewound, replaced or written again: a resume loads as many messages as a person sees.
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
import { viewOf } from '../../../../test/support/log-view.ts'
import type { Random } from '../../../../test/support/random.ts'
import { below, seededRandom } from '../../../../test/support/random.ts'
import { findSession, readFrom } from '../../../../test/support/reading.ts'
import { isConversation } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import { geminiCli } from '../index.ts'
import { repair } from './repair.ts'

/** Undefined for a log in which reader and agent differ on purpose, which is damage. */
async function count(home: string, records: readonly object[]): Promise<{ shown: number; loads: number } | undefined> {
  put(home, LOG, lines(...records))
  const session = await findSession(geminiCli, environmentOf(home), SESSION)
  const log = viewOf(session, repair)
  const damage = [...(repair.rewinds?.findDangling(log) ?? []), ...(repair.lists?.findEmptied(log) ?? [])]
  if (damage.length > 0) return undefined
  const { messages } = await collect(readFrom(geminiCli, session))
  return { shown: messages.filter(isConversation).length, loads: repair.load(log).chain.length }
}

const asked = user('a', 'List the files')
const called = { ...model('b', ''), toolCalls: [call('run', 'done')] }
const answered = user('c', [response('run', 'done')])
const functionCall = { functionCall: { id: 'run', name: 'ls', args: {} } }

test.each<[string, object[], number]>([
  ['the message with its call gives it', [asked, called, answered], 2],
  [
    'a list has another message with the call',
    [asked, called, set({ messages: [asked, model('d', [functionCall]), answered] })],
    3,
  ],
  [
    'a list has the message with the call, whose own record has the result',
    [asked, called, set({ messages: [asked, model('b', [functionCall]), answered] })],
    2,
  ],
  [
    'a list has two copies of it',
    [asked, called, set({ messages: [asked, answered, { ...answered, id: 'c_response' }] })],
    2,
  ],
  ['the message with its call is rewound', [asked, called, { $rewindTo: 'b' }, answered], 2],
])('a result counts where no other message of the conversation gives it: %s', async (_, records, messages) => {
  const home = temporaryHome()
  putProjects(home)
  expect(await count(home, [header, ...records])).toEqual({ shown: messages, loads: messages })
})

test('of a few messages that are written, listed and rewound at random, as many are loaded as are shown', async () => {
  const home = temporaryHome()
  putProjects(home)
  const seeds = inFull(3000, 300)
  let compared = 0
  for (let seed = 0; seed < seeds; seed++) {
    const counted = await count(home, randomLog(seededRandom(seed)))
    if (counted === undefined) continue
    compared++
    expect(counted.loads, `seed ${seed}`).toBe(counted.shown)
  }
  expect(compared).toBeGreaterThan(seeds / 2)
})

const IDS = ['a', 'b', 'c', 'd', 'e']
const CALLS = ['p', 'q']

function randomLog(random: Random): object[] {
  const records: object[] = [header]
  const length = 2 + below(random, 8)
  let written = 0
  const oneOf = (list: readonly string[]): string => list[below(random, list.length)] ?? ''
  // No two records are the same: a copy is damage.
  const message = (): object => ({ ...randomMessage(random, oneOf), timestamp: new Date(written++).toISOString() })
  const list = (): object[] => Array.from({ length: 1 + below(random, 5) }, message)
  while (records.length < length) {
    const kind = below(random, 20)
    if (kind < 14) records.push(message())
    else if (kind < 18) records.push(set({ messages: list() }))
    else if (kind < 19) records.push({ $rewindTo: oneOf(IDS) })
    else records.push({ ...header, messages: list() })
  }
  return records
}

function randomMessage(random: Random, oneOf: (list: readonly string[]) => string): object {
  const id = oneOf(IDS)
  switch (below(random, 5)) {
    case 0:
      return user(id, 'words')
    case 1:
      return user(id, [response(oneOf(CALLS), 'done')])
    case 2:
      return user(id, [response('p', 'done'), response('q', 'done')])
    case 3:
      return { ...model(id, ''), toolCalls: [call(oneOf(CALLS), 'done')] }
    default:
      return model(id, [{ functionCall: { id: oneOf(CALLS), name: 'ls', args: {} } }])
  }
}
