// The stand-in must refuse what the real API refuses: a proof against one that takes everything proves nothing.
import { describe, expect, it, onTestFinished } from 'vitest'
import { startModelServer } from './model-server.ts'
import { refuseHistory } from './models/anthropic-refusal.ts'

const call = { type: 'tool_use', id: 't1', name: 'Bash', input: {} }
const result = { type: 'tool_result', tool_use_id: 't1', content: 'done' }
const user = (...content: unknown[]) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const text = { type: 'text', text: 'hello' }

describe('a history is refused', () => {
  it.each([
    ['that has a call with no result', [user(text), assistant(call), user(text)], /without `tool_result`/],
    ['that ends with a call', [user(text), assistant(call)], /without `tool_result`/],
    ['that has a result with no call', [user(text), assistant(text), user(result)], /unexpected `tool_use_id`/],
    ['that has two results for one call', [user(text), assistant(call), user(result, result)], /single result/],
    ['that has a call twice', [user(text), assistant(call), user(result), assistant(call), user(result)], /unique/],
    ['that has an empty text', [user(text), assistant({ type: 'text', text: ' ' })], /non-empty/],
    ['that has a message with nothing in it', [user(text), assistant()], /non-empty/],
    [
      'that has a thought with no signature',
      [user(text), assistant({ type: 'thinking', thinking: 'hm' })],
      /signature/,
    ],
    ['that has half a character', [user({ type: 'text', text: 'a\ud83d' })], /surrogate/],
  ])('%s', (_, messages, why) => {
    expect(refuseHistory({ messages })).toMatch(why)
  })
})

it('a history with paired tools, signed thoughts and whole characters is taken', () => {
  const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' }
  const messages = [{ role: 'user', content: 'h\u{1f600}' }, assistant(thought, text, call), user(result)]
  expect(refuseHistory({ messages })).toBeUndefined()
})

it('a request is remembered and the answer says how many messages it had; one without tools is not part of a conversation', async () => {
  const server = await startModelServer()
  onTestFinished(server.stop)
  const ask = async (body: unknown) => {
    const url = `http://127.0.0.1:${server.port}/v1/messages`
    return await (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).text()
  }
  const messages = [user(text), assistant(text), user(text)]
  await ask({ messages })
  expect(server.asked).toEqual([])
  expect(await ask({ messages, tools: [{ name: 'Bash' }] })).toContain('history=3')
  expect(server.asked).toEqual([{ messages, refused: undefined, tools: ['Bash'] }])
})
