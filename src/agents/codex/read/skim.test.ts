// The summary of a rollout that is skimmed is that of the rollout when it is read.
import { expect, test } from 'vitest'
import { randomLog } from '../../../../test/support/codex/random-log.ts'
import { answer, event, item, meta, tokens, user } from '../../../../test/support/codex/sessions.ts'
import { inFull } from '../../../../test/support/full.ts'
import { lines } from '../../../../test/support/home.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import { skimConformance } from '../../../../test/support/skim-conformance.ts'
import { MAX_HELD } from '../records/usage.ts'

const RANDOM_LOGS = inFull(4000, 200)

const compare = await skimConformance('codex', 'rollouts')

test.each([true, false])('random records, plain ones (%s): the summary is that of the reader', async isPlain => {
  let skimmed = 0
  for (let seed = 1; seed <= RANDOM_LOGS; seed++) if (await compare(randomLog(seededRandom(seed), isPlain))) skimmed++
  expect(skimmed).toBeGreaterThan(isPlain ? RANDOM_LOGS / 2 : RANDOM_LOGS / 20)
})

const said = event({ type: 'agent_message', message: 'said' })
const call = item({ type: 'function_call', call_id: 'c', name: 'shell', arguments: '{}' })
const output = item({ type: 'function_call_output', call_id: 'c', output: 'done' })
const command = event({ type: 'item_completed', item: { type: 'CommandExecution', command: 'ls' } })
const prompt = user('a prompt')

test.each([
  ['calls and their outputs', [prompt, call, output, tokens(5)], true],
  ['an event and its item', [prompt, said, answer('said')], true],
  ['an event without its item', [prompt, said], false],
  ['events alone', [event({ type: 'user_message', message: 'a prompt' }), said], false],
  ['turns that were rolled back', [prompt, event({ type: 'thread_rolled_back', num_turns: 1 })], false],
  ['a record that stands there twice', [prompt, call, call], false],
  ['a copy of an item with another time', [prompt, ...[1, 2].map(() => item({ ...call.payload, id: 'fc_1' }))], false],
  [
    'records of the same time and length',
    [prompt, call, { ...call, payload: { ...call.payload, name: 'other' } }],
    true,
  ],
  ['a time that goes back', [prompt, output, { ...call, timestamp: prompt.timestamp }], true],
  [
    'no more events before a count than are held',
    [
      prompt,
      call,
      ...Array(MAX_HELD - 2)
        .fill(0)
        .map(other),
      tokens(5),
    ],
    true,
  ],
  ['more events before a count than are held', [prompt, call, ...Array(MAX_HELD).fill(0).map(other), tokens(5)], false],
  ['a record without an envelope', [prompt, { type: 'message', role: 'user', content: 'bare' }], false],
])('%s: whether it is skimmed, and the summary is that of the reader', async (_, records, isSkimmable) => {
  expect(await compare(lines(meta(), ...records))).toBe(isSkimmable)
})

/** Another one each time. */
function other(_: number, number: number): object {
  return event({ ...command.payload, turn_id: `${number}` })
}
