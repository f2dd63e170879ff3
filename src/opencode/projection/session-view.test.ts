// Single things a view has to get right.
import { expect, test } from 'vitest'
import {
  answered,
  chunk,
  envelopeOf,
  permission,
  prompt,
  SETTLED,
  tool,
  toolUpdate,
  update,
} from '../../../test/support/journal/conversation-samples.ts'
import { namedPrompt, project } from '../../../test/support/opencode/projection-samples.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import { MAX_INLINE_CHARS } from './limits.ts'

const idsOf = (view: ReturnType<typeof project>['view']) => view.messages().map(({ info }) => info.id)
const typesOf = (events: readonly OpenCodeEvent[]) => events.map(event => event.type)

test('a message has the id that the client gave, its answer is named after it', () => {
  expect(idsOf(project([namedPrompt(1, 'Hi', 'msg_mine'), chunk('Hello'), answered(1)]).view)).toEqual([
    'msg_mine',
    'msg_mine_assistant',
  ])
})

test('an id that was given twice, and an answer that came twice, have ids of their own', () => {
  const twice = [namedPrompt(1, 'Hi', 'm'), chunk('Hello'), answered(1), chunk('And?'), namedPrompt(2, 'Again', 'm')]
  const ids = idsOf(project([...twice, chunk('Yes'), answered(2)]).view)
  expect(ids.slice(0, 3)).toEqual(['m', 'm_assistant', 'm_assistant_2'])
  expect(ids[3]).toMatch(/^msg_0{11}5/)
  expect(ids[4]).toBe(`${ids[3]}_assistant`)
})

test('copied history has ids of its own, and is not published', () => {
  const history = [namedPrompt(1, 'Hi', 'm'), chunk('Hello'), answered(1)]
  const { view, events } = project([...history, namedPrompt(2, 'Go on', 'n')], { forkedUpTo: 3 })
  expect(idsOf(view)[0]).toMatch(/^msg_0{11}1/)
  expect(idsOf(view)[2]).toBe('n')
  expect(typesOf(events)).toEqual(['message.updated', 'message.part.updated', 'session.status'])
})

test('a title of the agent is published, unless a person set one', () => {
  const named = [update('session_info_update', { title: 'Of the agent' })]
  const { view, events } = project(named)
  expect([view.toSession().title, typesOf(events)]).toEqual(['Of the agent', ['session.updated']])
  const own = project(named, { title: 'Mine' })
  expect([own.view.toSession().title, own.events]).toEqual(['Mine', []])
})

test('files are published as edited once, when their tool is done', () => {
  const content = [{ type: 'diff', path: '/a', oldText: null, newText: 'x\n' }]
  const done = toolUpdate('t1', { status: 'completed', content })
  const { view, events } = project([prompt(1, 'Go'), tool('t1', { kind: 'edit', content }), done, done, answered(1)])
  const edited = events.filter(event => event.type === 'file.edited')
  expect(edited).toEqual([{ type: 'file.edited', properties: { sessionID: 'ses_s', file: '/a', path: '/a' } }])
  expect(view.diff()).toMatchObject([{ file: '/a', status: 'added', additions: 1, deletions: 0 }])
})

test('changes in answer to one message are listed for that message, and for the answer', () => {
  const turn = (id: number, oldText: string | null, newText: string) => {
    const content = [{ type: 'diff', path: '/a', oldText, newText }]
    return [
      namedPrompt(id, 'Go', `m${id}`),
      tool(`t${id}`, { kind: 'edit', content }),
      toolUpdate(`t${id}`, { status: 'completed', content }),
      answered(id),
    ]
  }
  const { view } = project([
    ...turn(1, null, 'x\n'),
    ...turn(2, 'x\n', 'y\n'),
    namedPrompt(3, 'Thanks', 'm3'),
    answered(3),
  ])
  expect(view.diff()).toMatchObject([{ status: 'added', after: 'y\n' }])
  for (const id of ['m1', 'm1_assistant']) expect(view.diff(id)).toMatchObject([{ status: 'added', after: 'x\n' }])
  expect(view.diff('m2')).toMatchObject([{ status: 'modified', before: 'x\n', after: 'y\n' }])
  expect(view.diff('m3')).toEqual([])
})

test('a long text is published as a whole only now and then, and every chunk of it', () => {
  const pieces = Array.from({ length: 4000 }, () => chunk('word '))
  const { view, events } = project([prompt(1, 'Go'), ...pieces, answered(1)])
  expect(events.filter(event => event.type === 'message.part.delta')).toHaveLength(4000)
  const wholes = events.flatMap(event => (event.type === 'message.part.updated' ? [event.properties] : []))
  const chars = wholes.reduce((sum, { part }) => sum + ('text' in part ? part.text.length : 0), 0)
  expect(chars).toBeLessThan(20_000 * 30)
  expect(wholes.map(({ delta = '' }) => delta).join('')).toBe('word '.repeat(4000))
  expect(view.messages()[1]?.parts[1]).toMatchObject({ type: 'text', text: 'word '.repeat(4000) })
})

test('a picture too large to send is only named', () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(MAX_INLINE_CHARS + 1) }
  const params = { sessionId: 'agent', prompt: [image] }
  const { view } = project([envelopeOf('client', { jsonrpc: '2.0', id: 1, method: 'session/prompt', params })])
  expect(view.messages()[0]?.parts[0]).toMatchObject({ type: 'file', mime: 'image/png', url: 'data:image/png,' })
})

test('cost and tokens are reported for each answer, and summed up for the session', () => {
  const cost = (amount: number) => update('usage_update', { used: 1, size: 9, cost: { amount, currency: 'USD' } })
  const took = (id: number) => answered(id, { stopReason: 'end_turn', usage: { inputTokens: 5, outputTokens: 2 } })
  const { view } = project([
    prompt(1, 'a'),
    chunk('x'),
    cost(0.1),
    took(1),
    prompt(2, 'b'),
    chunk('y'),
    cost(0.3),
    took(2),
  ])
  const costs = view.messages().flatMap(({ info }) => (info.role === 'assistant' ? [info.cost] : []))
  expect(costs).toEqual([0.1, 0.2])
  expect(view.toSession()).toMatchObject({ cost: 0.3, tokens: { input: 10, output: 4 } })
})

test('what waits is gone before the session is idle when its agent has ended', () => {
  const { view, events } = project([prompt(1, 'Go'), permission(5), SETTLED])
  const types = typesOf(events)
  expect(types.indexOf('permission.replied')).toBeLessThan(types.indexOf('session.idle'))
  expect(types.filter(type => type === 'session.error')).toHaveLength(1)
  expect(view.permissions()).toEqual([])
})

test('an agent that calls itself settled settles nothing', () => {
  const fake = envelopeOf('agent', {
    jsonrpc: '2.0',
    method: '_rethread/settled',
    params: { reason: 'agent-ended', text: 'x' },
  })
  const { view, events } = project([prompt(1, 'Go'), fake])
  expect([view.status, typesOf(events).includes('session.error')]).toEqual([{ type: 'busy' }, false])
})
