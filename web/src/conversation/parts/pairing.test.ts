import { describe, expect, test } from 'vitest'
import type { ApiPart } from '../../../../src/server/protocol.ts'
import { makeMessage } from '../test-messages.ts'
import { viewMessages } from '../window/message-views.ts'
import { isShownWithCall, pairTools } from './pairing.ts'

const call = (id: string): ApiPart => ({ type: 'tool-call', id, name: 'run', input: {} })
const result = (id: string, output = ''): ApiPart => ({ type: 'tool-result', id, output, isError: false })

describe('calls and results', () => {
  test('a result in a following message goes to its call, and that message is not shown again', () => {
    const [one, two] = [makeMessage(0, [call('a')], 'assistant'), makeMessage(1, [result('a', 'done')], 'tool')]
    const pairs = pairTools([one, two])
    expect(pairs.results.get('0:0')).toMatchObject({ message: 1, number: 0, part: { output: 'done' } })
    expect(isShownWithCall(two, pairs)).toBe(true)
    expect(isShownWithCall(one, pairs)).toBe(false)
  })

  test('a result whose call is not loaded stands alone', () => {
    const alone = makeMessage(7, [result('a')], 'tool')
    expect(isShownWithCall(alone, pairTools([alone]))).toBe(false)
  })

  test('an id that is used again pairs each call with the result after it', () => {
    const messages = [[call('a')], [result('a', '1')], [call('a')], [result('a', '2')]].map((parts, at) =>
      makeMessage(at, parts),
    )
    const { results } = pairTools(messages)
    expect([results.get('0:0')?.part.output, results.get('2:0')?.part.output]).toEqual(['1', '2'])
  })

  test('empty ids are paired with nothing', () => {
    expect(pairTools([makeMessage(0, [call(''), result('')])]).results.size).toBe(0)
  })

  test('a message with something else beside the result is still shown', () => {
    const file: ApiPart = { type: 'file', name: 'a.png', mime: 'image/png', source: 'inline', reference: null }
    const messages = [makeMessage(0, [call('a')]), makeMessage(1, [result('a'), file], 'tool')] as const
    expect(isShownWithCall(messages[1], pairTools(messages))).toBe(false)
  })
})

describe('a message among its neighbours', () => {
  const text: ApiPart = { type: 'text', text: 'x' }

  test('goes on under the name above it, over a result that is shown elsewhere', () => {
    const loaded = [
      makeMessage(0, [call('a')], 'assistant'),
      makeMessage(1, [result('a')], 'tool'),
      makeMessage(2, [text], 'assistant'),
    ]
    const views = viewMessages(loaded, pairTools(loaded), new Map())
    expect([0, 1, 2].map(index => views.get(index)?.isContinued)).toEqual([false, false, true])
  })

  test('says its name behind a gap of what is loaded', () => {
    const loaded = [makeMessage(0, [text]), makeMessage(9, [text])]
    expect(viewMessages(loaded, pairTools(loaded), new Map()).get(9)?.isContinued).toBe(false)
  })

  test('is the same object while nothing about it changed, and another once its result came', () => {
    const first = [makeMessage(0, [call('a')], 'assistant'), makeMessage(1, [text])]
    const before = viewMessages(first, pairTools(first), new Map())
    const then = [...first, makeMessage(2, [result('a')], 'tool')]
    const after = viewMessages(then, pairTools(then), before)
    expect(after.get(1)).toBe(before.get(1))
    expect(after.get(0)).not.toBe(before.get(0))
  })
})
