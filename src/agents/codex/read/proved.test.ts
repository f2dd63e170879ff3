// Events of a large file are paired without parsing all of it. The outcome is the same.
import { afterEach, expect, test, vi } from 'vitest'
import { answer, event, item, meta, open, user } from '../../../../test/support/codex/sessions.ts'
import { lines } from '../../../../test/support/home.ts'

/** Longer than the smallest file whose lines are proved first. */
const PADDING = item({ type: 'function_call_output', call_id: 'padding', output: 'x'.repeat(1024 * 1024) })

afterEach(() => void vi.unstubAllEnvs())

async function readTwice(...records: object[]) {
  const { file, read } = await open(lines(meta(), ...records, PADDING))
  const one = await read()
  vi.stubEnv('RETHREAD_SCANNER', 'js')
  return { one: named(one, file), two: named(await read(), file) }
}

function named(reading: object, file: string): { messages: object[]; end: { findings: object[] } } {
  return JSON.parse(JSON.stringify(reading).replaceAll(file, 'FILE'))
}

const completed = (type: string, more: object) => event({ type: 'item_completed', item: { type, ...more } })
const spoken = (text: string) => ({ content: [{ type: 'Text', text }] })

test('an event whose item is missing is shown, and others are not', async () => {
  const { one, two } = await readTwice(
    user('a prompt'),
    event({ type: 'user_message', message: 'a prompt' }),
    event({ type: 'agent_message', message: 'only here' }),
    completed('AgentMessage', spoken('before its item')),
    answer('before its item'),
    completed('CommandExecution', { command: 'ls', aggregated_output: 'cart.ts' }),
    completed('Reasoning', { summary_text: ['a thought'], raw_content: [] }),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'a thought' }] }),
  )
  expect(one.end.findings).toMatchObject([{ damage: 'item-only-in-event' }])
  expect(JSON.stringify(one.messages).split('only here')).toHaveLength(2)
  expect(one).toEqual(two)
})

test('a record that stands there twice is paired once', async () => {
  const said = event({ type: 'agent_message', message: 'said once' })
  const { one, two } = await readTwice(answer('said once'), said, said)
  expect(one.end.findings).toMatchObject([{ damage: 'repeated-records' }])
  expect(one).toEqual(two)
})

test('a file with a broken line is read in full', async () => {
  const { file, read } = await open(
    `${lines(meta(), event({ type: 'agent_message', message: 'only here' }), PADDING)}{"timestamp":\n${lines(answer('on'))}`,
  )
  const one = named(await read(), file)
  vi.stubEnv('RETHREAD_SCANNER', 'js')
  expect(one).toEqual(named(await read(), file))
})

const ROLLED_BACK = [
  user('kept'),
  event({ type: 'user_message', message: 'kept' }),
  answer('stays'),
  user('undone'),
  event({ type: 'user_message', message: 'undone' }),
  answer('goes'),
]
const undo = event({ type: 'thread_rolled_back', num_turns: 1 })

test.each([
  ['at its end', [...ROLLED_BACK, PADDING, undo]],
  ['far behind the first events', [...ROLLED_BACK, PADDING, PADDING, undo, PADDING]],
  ['nowhere', [...ROLLED_BACK, PADDING, PADDING]],
  ['only in words', [...ROLLED_BACK, PADDING, answer('"thread_rolled_back"')]],
])('a turn of a large file that is rolled back %s is a branch, or else shown', async (where, records) => {
  const { one, two } = await readTwice(...records)
  const isUndone = !where.startsWith('nowhere') && !where.startsWith('only')
  expect(JSON.stringify(one.messages).includes('goes')).toBe(!isUndone)
  expect(one).toEqual(two)
})

test('a turn is rolled back in a large file with a broken line too', async () => {
  const { file, read } = await open(`${lines(meta(), ...ROLLED_BACK, PADDING)}{"timestamp":\n${lines(undo)}`)
  const one = named(await read(), file)
  vi.stubEnv('RETHREAD_SCANNER', 'js')
  expect(JSON.stringify(one.messages)).not.toContain('goes')
  expect(one).toEqual(named(await read(), file))
})
