// In a turn, only content and requests count as an answer: another strategy may be tried until then.
import { expect, test } from 'vitest'
import { Attribution } from './attribution.ts'

function openTurn() {
  const attribution = new Attribution('connection')
  const binding = attribution.bind('s', 'agent')
  attribution.attributeSent({ id: 1, method: 'session/prompt', params: { sessionId: 'agent' } }, { sessionId: 's' })
  return { attribution, binding }
}

test.each([
  ['available_commands_update', false],
  ['session_info_update', false],
  ['usage_update', false],
  ['agent_message_chunk', true],
  ['tool_call', true],
  ['of_a_newer_protocol', true],
])('%s: %s', (sessionUpdate, counts) => {
  const { attribution, binding } = openTurn()
  attribution.attributeReceived({
    method: 'session/update',
    params: { sessionId: 'agent', update: { sessionUpdate } },
  })
  expect(binding.hasAnswered).toBe(counts)
})

test('a request of the agent counts', () => {
  const { attribution, binding } = openTurn()
  attribution.attributeReceived({ id: 7, method: 'fs/read_text_file', params: { sessionId: 'agent', path: '/a' } })
  expect(binding.hasAnswered).toBe(true)
})
