import { expect, test } from 'vitest'
import { countUnknown, knownFields, unfamiliarParts } from './unfamiliar.ts'

const SAID = knownFields(['content'], 'role', 'id')
const CALLED = knownFields([['input', 'args']], 'name')

test.each([
  ['its content under another name', SAID, { role: 'user', text: 'Hi' }, { text: 'Hi' }],
  ['an empty content beside a text', SAID, { role: 'user', content: '', text: 'Hi' }, { text: 'Hi' }],
  [
    'text deep inside',
    SAID,
    { role: 'user', data: [{ inner: { words: 'Hi' } }] },
    { data: [{ inner: { words: 'Hi' } }] },
  ],
  ['prose beside the content', SAID, { content: 'Hi', note: 'two words' }, { note: 'two words' }],
  ['neither of two names', CALLED, { name: 'ls', arguments: 'x' }, { arguments: 'x' }],
])('an object with %s has an unknown part', (_name, known, value, shown) => {
  expect(unfamiliarParts(value, known, 'user')).toEqual([{ type: 'unknown', recordType: 'user', value: shown }])
})

test.each([
  ['known fields alone', SAID, { role: 'user', content: 'Hi', id: 'a b' }],
  ['nothing at all', SAID, { role: 'user' }],
  ['a name beside the content', SAID, { content: 'Hi', slug: 'brave-fox' }],
  [
    'ids and times',
    SAID,
    { role: 'user', key: '0f0e0d0c-0000-4000-8000-000000000001', at: '2026-11-01T09:00:00.000Z' },
  ],
  ['numbers and empty lists', SAID, { role: 'user', count: 7, list: [], none: null, empty: ' ' }],
  ['one of two names', CALLED, { name: 'ls', args: 'x', kind: 'shell' }],
])('an object with %s has none', (_name, known, value) => {
  expect(unfamiliarParts(value, known, 'user')).toEqual([])
})

test('a record counts once, however many of its parts are unknown', () => {
  const counts = { unknown: 0 }
  const unknown = { type: 'unknown', recordType: 'x', value: 1 } as const
  countUnknown(counts, [unknown, unknown])
  countUnknown(counts, [{ type: 'text', text: 'Hi' }])
  expect(counts.unknown).toBe(1)
})
