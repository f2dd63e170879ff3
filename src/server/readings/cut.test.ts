import { expect, test } from 'vitest'
import type { Message, Part } from '../../model/message.ts'
import { MAX_PART_CHARS, messageSchema } from '../api.ts'
import type { Unnumbered } from './cut.ts'
import { formsOf } from './cut.ts'
import { MAX_MESSAGE_CHARS } from './limits.ts'

const at = { file: '/a', start: 0, end: 1 }

function shownOf(...parts: Part[]): Unnumbered {
  const message: Message = { id: 'm', role: 'tool', time: null, parts, at }
  const shown: Unnumbered = JSON.parse(formsOf(message).shown)
  expect(messageSchema.parse({ index: 0, ...shown })).toEqual({ index: 0, ...shown })
  return shown
}

test('a message in which nothing is long has one form, without what is not for the page', () => {
  const message: Message = { id: 'm', role: 'user', time: null, parts: [], at, usage: { input: 1 } }
  expect(formsOf(message)).toEqual({ shown: JSON.stringify({ id: 'm', role: 'user', time: null, parts: [], at }) })
})

test('a long text is cut, and says by how much', () => {
  const [part] = shownOf({ type: 'text', text: 'x'.repeat(MAX_PART_CHARS + 7) }).parts
  expect(part).toEqual({ type: 'text', text: 'x'.repeat(MAX_PART_CHARS), cutChars: 7 })
})

test('a text is never cut in the middle of a character', () => {
  const [part] = shownOf({ type: 'notice', text: `${'x'.repeat(MAX_PART_CHARS - 1)}😀😀` }).parts
  expect(part).toEqual({ type: 'notice', text: 'x'.repeat(MAX_PART_CHARS - 1), cutChars: 4 })
})

test('texts that are many but short enough each stay whole', () => {
  const parts: Part[] = [1, 2, 3].map(() => ({ type: 'thinking', text: 'y'.repeat(MAX_PART_CHARS) }))
  expect(shownOf(...parts).parts).toEqual(parts)
})

test('the input of a call keeps its shape where long strings in it are shortened', () => {
  const input = { path: '/home/dev/shop/a.ts', content: 'z'.repeat(1_000_000), mode: 'w' }
  const [part] = shownOf({ type: 'tool-call', id: '1', name: 'Write', input }).parts
  expect(part).toMatchObject({ input: { path: input.path, mode: 'w', content: `${'z'.repeat(10_000)}…` } })
  expect(part).toHaveProperty('cutChars', 1_000_000 - 10_001)
})

test('a large value of small things is shown as the beginning of its JSON', () => {
  const value = Array.from({ length: 50_000 }, (_, number) => number)
  const [part] = shownOf({ type: 'unknown', recordType: 'r', value }).parts
  const json = JSON.stringify(value)
  expect(part).toMatchObject({ value: json.slice(0, MAX_PART_CHARS), cutChars: json.length - MAX_PART_CHARS })
})

test('a message of very many parts shows the first of them and how many more there are', () => {
  const parts: Part[] = Array.from({ length: 50_000 }, (_, number) => ({ type: 'text', text: `part ${number}` }))
  const shown = shownOf(...parts)
  expect(JSON.stringify(shown).length).toBeLessThan(MAX_MESSAGE_CHARS + 1000)
  expect(shown.parts[0]).toEqual(parts[0])
  const left = parts.length - (shown.parts.length - 1)
  expect(shown.parts.at(-1)).toMatchObject({ type: 'notice', text: `${left} more parts are not shown here.` })
})

test('a value that is nested beyond reason does not stop the message', () => {
  let value: unknown = 'x'.repeat(MAX_PART_CHARS)
  for (let depth = 0; depth < 20_000; depth++) value = [value]
  const [part] = shownOf({ type: 'tool-call', id: '1', name: 'n', input: value }).parts
  expect(JSON.stringify(part).length).toBeLessThan(3 * MAX_PART_CHARS)
})
