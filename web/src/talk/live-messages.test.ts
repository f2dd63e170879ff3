// What is being said, over what was read.
import { expect, test } from 'vitest'
import type { ApiMessage, LiveMessage } from '../../../src/server/protocol.ts'
import { mergeLiveMessages, NO_FACTS, pendingMessage, takeMessages } from './live-messages.ts'

const live = (seq: number, text = `${seq}`, role: LiveMessage['role'] = 'assistant'): LiveMessage => ({
  id: `m${seq}`,
  role,
  time: null,
  parts: [{ type: 'text', text }],
  at: { file: 'journal', table: 'events', row: seq },
})
const read = (seq: number, index: number): ApiMessage => ({ ...live(seq), index })
const facts = (total: number) => ({ ...NO_FACTS, total })
const shown = (merged: { loaded: readonly ApiMessage[] }) => merged.loaded.map(({ id, index }) => `${index} ${id}`)

test('a message that grows takes the place of the one that was read', () => {
  const merged = mergeLiveMessages({ facts: facts(2), loaded: [read(1, 0), read(4, 1)] }, [live(4, 'more')])
  expect(shown(merged)).toEqual(['0 m1', '1 m4'])
  expect(merged.loaded[1]?.parts).toEqual([{ type: 'text', text: 'more' }])
  expect(merged.facts?.total).toBe(2)
})

test('newer ones follow in their order, older ones that are not loaded are left to the library', () => {
  const merged = mergeLiveMessages({ facts: facts(40), loaded: [read(90, 38), read(95, 39)] }, [
    live(99),
    live(97),
    live(3),
  ])
  expect(shown(merged)).toEqual(['38 m90', '39 m95', '40 m97', '41 m99'])
  expect(merged.facts?.total).toBe(42)
})

test('while the end is not loaded, nothing is added', () => {
  const merged = mergeLiveMessages({ facts: facts(40), loaded: [read(1, 0)] }, [live(99)])
  expect(shown(merged)).toEqual(['0 m1'])
  expect(merged.facts?.total).toBe(40)
})

test('without anything read, what is live is all', () => {
  expect(shown(mergeLiveMessages({ facts: NO_FACTS, loaded: [] }, [live(3), live(4)]))).toEqual(['0 m3', '1 m4'])
  expect(mergeLiveMessages({ facts: undefined, loaded: [] }, [live(3)]).facts).toBeUndefined()
})

test('what has not changed is the same object', () => {
  const sent = [live(3), live(4)]
  const [one, other] = [1, 2].map(() => mergeLiveMessages({ facts: NO_FACTS, loaded: [] }, sent).loaded[0])
  expect(one).toBe(other)
})

test('what was said is shown until it comes back', () => {
  expect(pendingMessage('hello', [live(3, 'before', 'user')])).toMatchObject([{ id: 'pending', role: 'user' }])
  expect(pendingMessage('hello', [live(3, 'hello', 'user')])).toEqual([])
  expect(pendingMessage(null, [])).toEqual([])
})

test('of very many the oldest go', () => {
  const many = Array.from({ length: 300 }, (_, seq) => live(seq))
  const kept = takeMessages(new Map(), many, false)
  expect(kept.size).toBe(120)
  expect(kept.has('m299')).toBe(true)
  expect([...takeMessages(kept, [live(1)], true).keys()]).toEqual(['m1'])
})
