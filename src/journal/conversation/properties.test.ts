// Properties of the reducer that hold for every journal.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyEnvelopes } from '../../../test/support/journal/arbitrary.ts'
import {
  answered,
  chunk,
  eventsOf,
  prompt,
  SETTLED,
  update,
} from '../../../test/support/journal/conversation-samples.ts'
import { MessageAssembler } from './assemble-messages.ts'
import type { ConversationChange } from './changes.ts'
import { ConversationReducer } from './reducer.ts'

test('the same journal gives the same changes, and they do not change afterwards', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const [first, second] = [new ConversationReducer(), new ConversationReducer()]
      // Stringified at once and again at the end: an emitted change must not be modified later.
      const atOnce = eventsOf(envelopes).map(event => JSON.stringify(first.apply(event)))
      const changes = eventsOf(envelopes).map(event => second.apply(event))
      expect(changes.map(some => JSON.stringify(some))).toEqual(atOnce)
    }),
  )
})

test('a prefix gives the beginning of the changes', () => {
  fc.assert(
    fc.property(anyEnvelopes, fc.nat(40), (envelopes, length) => {
      const whole = changesOf(eventsOf(envelopes))
      const part = changesOf(eventsOf(envelopes).slice(0, length))
      expect(whole.slice(0, part.length)).toEqual(part)
    }),
  )
})

test('parts belong to messages that were emitted before, and a text part is the sum of its deltas', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const messages = new Set<string>()
      const texts = new Map<string, string>()
      for (const change of changesOf(eventsOf(envelopes))) {
        if (change.type === 'message') messages.add(change.message.id)
        if (change.type !== 'part') continue
        const { part, delta } = change
        expect(messages).toContain(change.messageId)
        if (delta === undefined || !('text' in part)) continue
        texts.set(part.id, (texts.get(part.id) ?? '') + delta)
        expect(part.text).toBe(texts.get(part.id))
      }
    }),
  )
})

test('after a settled note nothing is open', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const reducer = new ConversationReducer()
      const open = new Set<string>()
      for (const event of eventsOf([...envelopes, SETTLED])) {
        for (const change of reducer.apply(event)) {
          if (change.type === 'part') open[change.part.isOpen ? 'add' : 'delete'](change.part.id)
        }
      }
      const { turns, unprompted, reported, questions, requests } = reducer.state
      expect([[...open], turns, unprompted, reported, questions.size, requests.size]).toEqual([
        [],
        [],
        undefined,
        undefined,
        0,
        0,
      ])
    }),
  )
})

test('every message is assembled once, with all of its parts', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const changes = changesOf(eventsOf(envelopes))
      const assembler = new MessageAssembler()
      const given = [...changes.flatMap(change => assembler.push([change])), ...assembler.finish()]
      const reported = new Set(changes.flatMap(change => (change.type === 'message' ? [change.message.id] : [])))
      expect(given.map(({ message }) => message.id).toSorted()).toEqual([...reported].toSorted())
      const parts = new Set(changes.flatMap(change => (change.type === 'part' ? [change.part.id] : [])))
      expect(given.reduce((sum, message) => sum + message.parts.length, 0)).toBe(parts.size)
    }),
  )
})

test('an addition to a returned message is not a second message', () => {
  const used = update('usage_update', { used: 1, size: 2 })
  const overlapping = [prompt(1, 'One'), chunk('a'), prompt(2, 'Two'), chunk('b'), answered(2), answered(1), used]
  const assembler = new MessageAssembler()
  const given = [...assembler.push(changesOf(eventsOf(overlapping))), ...assembler.finish()]
  expect(given.map(({ message }) => message.id)).toEqual(['m1', 'm3', 'm2', 'm4'])
})

test('a turn of 200,000 pieces is one part, and only that is remembered', () => {
  const reducer = new ConversationReducer()
  const assembler = new MessageAssembler()
  const events = eventsOf([prompt(1, 'Go'), chunk('word ')])
  let count = 0
  for (const event of events)
    for (let seq = event.seq; seq <= (event.seq === 1 ? 1 : 200_000); seq++)
      count += assembler.push(reducer.apply({ ...event, seq })).length
  const [turn, ...others] = reducer.state.turns
  expect(others).toEqual([])
  expect(turn?.growing?.part.text.length).toBe(5 * 199_999)
  const { endedTools, questions, requests } = reducer.state
  expect([endedTools.size, questions.size, requests.size, turn?.tools.size]).toEqual([0, 0, 0, 0])
  expect([count, assembler.finish().map(({ parts }) => parts.length)]).toEqual([1, [1]])
})

function changesOf(events: ReturnType<typeof eventsOf>): ConversationChange[] {
  const reducer = new ConversationReducer()
  return events.flatMap(event => reducer.apply(event))
}
