// Properties of the view that hold for every journal.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyEnvelopes } from '../../../test/support/journal/arbitrary.ts'
import { eventsOf, SETTLED } from '../../../test/support/journal/conversation-samples.ts'
import { everythingIn, project, SESSION } from '../../../test/support/opencode/projection-samples.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import { eventSchema } from '../shapes/event.ts'
import { messageWithPartsSchema } from '../shapes/message.ts'
import type { Part } from '../shapes/part.ts'
import { sessionSchema } from '../shapes/session.ts'
import { SessionView } from './session-view.ts'

test('any journal projects to objects of the shapes that are promised', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const { view, events } = project(envelopes)
      for (const event of events) eventSchema.parse(event)
      for (const message of view.messages()) messageWithPartsSchema.parse(message)
      sessionSchema.parse(view.toSession())
    }),
  )
})

test('each prefix of a journal gives the beginning of the events, and the rest on top of it the same as all at once', () => {
  fc.assert(
    fc.property(anyEnvelopes, fc.nat(40), (envelopes, length) => {
      const whole = project(envelopes)
      const view = new SessionView(SESSION, {})
      const journal = eventsOf(envelopes)
      const first = journal.slice(0, length).flatMap(event => view.apply(event))
      // Read in between, with some events passed twice.
      everythingIn(view)
      const rest = journal.slice(Math.max(0, length - 3)).flatMap(event => view.apply(event))
      expect(JSON.stringify([...first, ...rest])).toBe(JSON.stringify(whole.events))
      expect(JSON.stringify(everythingIn(view))).toBe(JSON.stringify(everythingIn(whole.view)))
    }),
  )
})

test('inside a message the ids of parts ascend, and no two parts of a session have the same', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const messages = project(envelopes).view.messages()
      const all = messages.flatMap(({ parts }) => parts.map(part => part.id))
      expect(new Set(all).size).toBe(all.length)
      for (const { parts } of messages)
        expect(parts.map(part => part.id)).toEqual(parts.map(part => part.id).toSorted())
      expect(new Set(messages.map(({ info }) => info.id)).size).toBe(messages.length)
    }),
  )
})

test('a part never changes its type or its message', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const known = new Map<string, string>()
      for (const part of partsIn(project(envelopes).events)) {
        const what = `${part.type} ${part.messageID}`
        expect(known.get(part.id) ?? what).toBe(what)
        known.set(part.id, what)
      }
    }),
  )
})

test('who adds up pieces, who takes the whole, and who asks later have the same text', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const { view, events } = project(envelopes)
      const native = new Map<string, string>()
      const older = new Map<string, string>()
      for (const { type, properties } of events) {
        if (type === 'message.part.delta')
          native.set(properties.partID, (native.get(properties.partID) ?? 'unknown part') + properties.delta)
        if (type !== 'message.part.updated' || !('text' in properties.part)) continue
        const { id, text } = properties.part
        native.set(id, text)
        older.set(id, properties.delta === undefined ? text : (older.get(id) ?? '') + properties.delta)
      }
      for (const part of view.messages().flatMap(({ parts }) => parts))
        if ('text' in part) expect([native.get(part.id), older.get(part.id)]).toEqual([part.text, part.text])
    }),
  )
})

test('the last event about each message and part is what the view has', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const { view, events } = project([...envelopes, SETTLED])
      const infos = new Map<string, unknown>()
      const parts = new Map(partsIn(events).map(part => [part.id, part]))
      for (const { type, properties } of events)
        if (type === 'message.updated') infos.set(properties.info.id, properties.info)
      for (const message of view.messages()) {
        expect(infos.get(message.info.id)).toEqual(message.info)
        for (const part of message.parts) expect(parts.get(part.id)).toEqual(part)
      }
    }),
  )
})

test('a session is busy and idle by turns, and idle is published once as a status and once as an event', () => {
  fc.assert(
    fc.property(anyEnvelopes, envelopes => {
      const { view, events } = project([...envelopes, SETTLED])
      const notified = events.flatMap(({ type, properties }) =>
        type === 'session.status' ? [properties.status.type] : type === 'session.idle' ? ['(idle)'] : [],
      )
      const turns = notified.length / 3
      expect(notified).toEqual(Array.from({ length: turns }, () => ['busy', 'idle', '(idle)']).flat())
      expect([view.status, view.permissions(), view.questions()]).toEqual([{ type: 'idle' }, [], []])
    }),
  )
})

function partsIn(events: readonly OpenCodeEvent[]): Part[] {
  return events.flatMap(({ type, properties }) => (type === 'message.part.updated' ? [properties.part] : []))
}
