import { expect, test } from 'vitest'
import {
  answer,
  event,
  fixture,
  item,
  meta,
  OTHER,
  open,
  record,
  user,
} from '../../../../test/support/codex/sessions.ts'
import { lines } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { isConversation } from '../../../model/message.ts'
import { repair } from './index.ts'

const loads = async (text: string) => {
  const { session } = await open(text)
  return repair.load(viewOf(session, repair)).messages
}

test.each(['complete-0.166.jsonl', 'complete-0.40.jsonl', 'bare-2025.jsonl', 'rolled-back.jsonl'])(
  'of the healthy session %s, the agent loads as many messages as a person sees',
  async name => {
    const { session, read } = await open(fixture(name))
    const { messages } = await read()
    expect(repair.load(viewOf(session, repair)).messages).toBe(messages.filter(isConversation).length)
  },
)

test('a file with only events loads their content', async () => {
  const events = [event({ type: 'user_message', message: 'One' }), event({ type: 'agent_message', message: 'Yes' })]
  expect(await loads(lines(meta(), ...events))).toBe(2)
  expect(await loads(lines(meta(), ...events, user('One')))).toBe(1)
})

test('rolling back more turns than there are leaves nothing', async () => {
  const back = event({ type: 'thread_rolled_back', num_turns: 9 })
  expect(await loads(lines(meta(), user('One'), answer('Yes'), back, user('Two')))).toBe(1)
})

test('nothing is loaded without the header in the first line that is not blank', async () => {
  const rest = lines(user('One'), answer('Yes'))
  expect(await loads(lines(meta()) + rest)).toBe(2)
  expect(await loads(` \n${lines(meta())}${rest}`)).toBe(2)
  expect(await loads(rest)).toBe(0)
  expect(await loads(`{"torn\n${lines(meta())}${rest}`)).toBe(0)
  expect(await loads(lines(user('Zero'), meta()) + rest)).toBe(0)
})

test('nothing is loaded from a file whose header names another thread', async () => {
  expect(await loads(lines(meta({ id: OTHER }), user('One')))).toBe(0)
})

test('of a rollout in pages, only what stands behind the last header is loaded', async () => {
  const last = { ...user('Two'), ordinal: 3 }
  expect(await loads(lines(meta({ history_mode: 'paginated' }), user('One'), meta({ id: OTHER }), last))).toBe(1)
  expect(await loads(lines(meta(), user('One'), meta({ id: OTHER }), last))).toBe(2)
})

test('of a rollout in pages whose last record has no ordinal, nothing is loaded', async () => {
  expect(await loads(lines(meta({ history_mode: 'paginated' }), user('One')))).toBe(0)
})

const loaded = async (...records: object[]) => {
  const { session } = await open(lines(meta(), ...records))
  return repair.load(viewOf(session, repair))
}

test('a compaction with a list of messages replaces everything before it', async () => {
  const kept = [user('Zero'), answer('Kept')].map(({ payload }) => payload)
  const compaction = record('compacted', { message: 'Short', replacement_history: kept })
  expect(await loaded(user('One'), answer('Yes'), compaction, user('Two'))).toMatchObject({
    messages: 1,
    sent: 3,
    begins: { record: 3, reason: 'compaction' },
  })
})

test('a compaction with a summary alone keeps what the person said', async () => {
  const compaction = record('compacted', { message: 'Short' })
  const { messages, sent, chain } = await loaded(user('One'), answer('Yes'), compaction, user('Two'), answer('No'))
  expect({ messages, sent, chain }).toEqual({ messages: 3, sent: 4, chain: [1, 4, 5] })
})

test('a compaction that Codex cannot read changes nothing', async () => {
  expect(await loaded(user('One'), answer('Yes'), record('compacted', {}))).toMatchObject({ messages: 2 })
})

test('records that share their line with others are not loaded', async () => {
  const glued = lines(user('One'), answer('Yes')).replace('\n', '')
  expect(await loads(lines(meta()) + glued + lines(user('Two')))).toBe(1)
})

const call = { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{}' }
const output = { type: 'function_call_output', id: 'fco_1', call_id: 'c1', output: 'done' }
test('an output whose call is lost is not loaded', async () => {
  expect(await loads(lines(meta(), user('One'), item(call), item(output)))).toBe(3)
  expect(await loads(lines(meta(), user('One'), item(output)))).toBe(1)
})

const unpaired = async (...records: object[]) => {
  const { session } = await open(lines(meta(), ...records))
  const log = viewOf(session, repair)
  return repair.tools?.findUnpaired(log).map(({ kind, start, end }) => [kind, log.bytes.range(start, end).toString()])
}

test('an output that is stored twice is found, and its second copy is the one to go', async () => {
  const second = item(output)
  expect(await unpaired(item(call), item(output), second)).toEqual([['duplicate-result', JSON.stringify(second)]])
})

test('an output that is stored twice is sent twice', async () => {
  expect(await loads(lines(meta(), user('One'), item(call), item(output), item(output)))).toBe(4)
})

test('what the agent itself heals is not a finding: a call without output, an output without call', async () => {
  expect(await unpaired(item(call), user('Two'))).toEqual([])
  expect(await unpaired(item(output), user('Two'))).toEqual([])
})

test('two different outputs to one call, and copies before a compaction, are left alone', async () => {
  expect(await unpaired(item(call), item(output), item({ ...output, id: 'fco_2', output: 'more' }))).toEqual([])
  const custom = { type: 'custom_tool_call_output', call_id: 'c1', output: 'progress' }
  expect(await unpaired(item({ ...call, type: 'custom_tool_call' }), item(custom), item(custom))).toEqual([])
  expect(await unpaired(item(call), item(output), item(output), record('compacted', { message: '' }))).toEqual([])
})
