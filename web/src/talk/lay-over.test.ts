// What is being said, over what was read.
import { expect, test } from 'vitest'
import type { ApiMessage, LiveMessage } from '../../../src/server/protocol.ts'
import { layOver, NO_FACTS, pendingMessage } from './lay-over.ts'
import { takeMessages } from './live-messages.ts'

const live = (seq: number, text = `${seq}`, role: LiveMessage['role'] = 'assistant'): LiveMessage => ({
  id: `m${seq}`,
  role,
  time: null,
  parts: [{ type: 'text', text }],
  at: { file: 'journal', table: 'events', row: seq },
})
const read = (seq: number, index: number): ApiMessage => ({ ...live(seq), index })
const facts = (total: number) => ({ ...NO_FACTS, total })
const shown = (laid: { held: readonly ApiMessage[] }) => laid.held.map(({ id, index }) => `${index} ${id}`)

test('a message that grows takes the place of the one that was read', () => {
  const laid = layOver({ facts: facts(2), held: [read(1, 0), read(4, 1)] }, [live(4, 'more')])
  expect(shown(laid)).toEqual(['0 m1', '1 m4'])
  expect(laid.held[1]?.parts).toEqual([{ type: 'text', text: 'more' }])
  expect(laid.facts?.total).toBe(2)
})

test('newer ones follow in their order, older ones that are not held are left to the library', () => {
  const laid = layOver({ facts: facts(40), held: [read(90, 38), read(95, 39)] }, [live(99), live(97), live(3)])
  expect(shown(laid)).toEqual(['38 m90', '39 m95', '40 m97', '41 m99'])
  expect(laid.facts?.total).toBe(42)
})

test('while the end is not held, nothing is added', () => {
  const laid = layOver({ facts: facts(40), held: [read(1, 0)] }, [live(99)])
  expect(shown(laid)).toEqual(['0 m1'])
  expect(laid.facts?.total).toBe(40)
})

test('without anything read, what is live is all', () => {
  expect(shown(layOver({ facts: NO_FACTS, held: [] }, [live(3), live(4)]))).toEqual(['0 m3', '1 m4'])
  expect(layOver({ facts: undefined, held: [] }, [live(3)]).facts).toBeUndefined()
})

test('what has not changed is the same object', () => {
  const told = [live(3), live(4)]
  const [one, other] = [1, 2].map(() => layOver({ facts: NO_FACTS, held: [] }, told).held[0])
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
