import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inPieces, inTwo } from '../../test/support/chunks.ts'
import type { DocumentEnd, DocumentItem } from './document.ts'
import { readDocument } from './document.ts'

const SHAPE = { elements: 'messages', fields: ['id', 'title', 'n'] }

function read(chunks: Iterable<Buffer>): { items: DocumentItem[]; end: DocumentEnd } {
  const items: DocumentItem[] = []
  const reading = readDocument(chunks, SHAPE)
  for (;;) {
    const step = reading.next()
    if (step.done) return { items, end: step.value }
    items.push(step.value)
  }
}

const readText = (text: string) => read([Buffer.from(text)])
const elements = (items: DocumentItem[]) => items.flatMap(item => (item.type === 'element' ? [item.value] : []))
const fields = (items: DocumentItem[]) =>
  Object.fromEntries(items.flatMap(item => (item.type === 'field' ? [[item.key, item.value]] : [])))
const junk = (items: DocumentItem[]) => items.filter(item => item.type === 'junk')

const WHOLE = JSON.stringify(
  {
    id: 's1',
    env: { messages: ['not these'], deep: [[{ a: '}]"\\' }]] },
    messages: [{ text: 'one \\ " é 😀' }, { text: 'two', list: [1, [2]] }, 'a word', 7, null, { text: '' }],
    title: 'A title',
    n: -1.5e3,
  },
  null,
  1,
)

test('a whole document gives its wanted fields and its elements with their places', () => {
  const { items, end } = readText(WHOLE)
  expect(end).toMatchObject({ complete: true, isDocument: true })
  expect(fields(items)).toEqual({ id: 's1', title: 'A title', n: -1500 })
  expect(elements(items)).toEqual(JSON.parse(WHOLE).messages)
  const bytes = Buffer.from(WHOLE)
  for (const item of items)
    expect(JSON.parse(bytes.subarray(item.start, item.end).toString())).toEqual('value' in item ? item.value : '')
})

test('it does not matter where a chunk ends, nor how many there are', () => {
  const bytes = Buffer.from(`\ufeff${WHOLE}`)
  const whole = read([bytes])
  expect(whole.end.complete).toBe(true)
  for (let at = 0; at <= bytes.length; at++) expect(read(inTwo(bytes, at)), `cut at ${at}`).toEqual(whole)
  for (const size of [1, 2, 3, 7]) expect(read(inPieces(bytes, size)), `pieces of ${size}`).toEqual(whole)
})

test('chunks without bytes change nothing', () => {
  const none = Buffer.alloc(0)
  const pieces = inPieces(Buffer.from(WHOLE), 5).flatMap(piece => [none, piece, none])
  expect(read(pieces)).toEqual(readText(WHOLE))
})

test('a chunk may end inside an escape, in stored and in skipped values', () => {
  const bytes = Buffer.from('{"other":"\\\\\\"","messages":["\\"\\\\","\\\\"],"title":"\\""}')
  for (let at = 0; at <= bytes.length; at++) {
    const { items, end } = read(inTwo(bytes, at))
    expect(end.complete, `cut at ${at}`).toBe(true)
    expect(elements(items), `cut at ${at}`).toEqual(['"\\', '\\'])
  }
})

test('cut at any byte, a document gives a prefix of its elements and is not complete', () => {
  const bytes = Buffer.from(WHOLE)
  const all = readText(WHOLE).items
  for (let length = 0; length < bytes.length; length++) {
    const { items, end } = read([bytes.subarray(0, length)])
    expect(items, `cut at ${length}`).toEqual(all.slice(0, items.length))
    expect(end.complete, `cut at ${length}`).toBe(false)
    expect(end.isDocument).toBe(length > 0)
    expect(end.parsedUpTo).toBeGreaterThanOrEqual(items.at(-1)?.end ?? 0)
    expect(end.parsedUpTo).toBeLessThanOrEqual(length)
  }
})

test('any document is read as JSON.parse reads it', () => {
  const shape = fc.record({
    id: fc.string(),
    other: fc.jsonValue(),
    messages: fc.array(fc.jsonValue()),
    n: fc.double(),
  })
  fc.assert(
    fc.property(shape, fc.nat(3), fc.integer({ min: 1, max: 40 }), (document, indent, size) => {
      const text = JSON.stringify(document, null, indent)
      const parsed = JSON.parse(text)
      const { items, end } = read(inPieces(Buffer.from(text), size))
      expect(end.complete).toBe(true)
      expect(elements(items)).toEqual(parsed.messages)
      expect(fields(items)).toEqual({ id: parsed.id, n: parsed.n })
    }),
  )
})

test('trailing commas are survived', () => {
  const { items, end } = readText('{"id":"a","messages":[1,2,],}')
  expect(elements(items)).toEqual([1, 2])
  expect(end.complete).toBe(true)
})

test('an element that is not JSON is junk, and those around it are read', () => {
  const { items, end } = readText('{"messages":[{"a":1},{"a":},{broken},{"a":2}]}')
  expect(elements(items)).toEqual([{ a: 1 }, { a: 2 }])
  expect(junk(items)).toEqual([
    { type: 'junk', start: 21, end: 27 },
    { type: 'junk', start: 28, end: 36 },
  ])
  expect(end.complete).toBe(true)
})

test('a field that is not JSON is junk', () => {
  expect(junk(readText('{"title":nonsense,"messages":[]}').items)).toEqual([{ type: 'junk', start: 9, end: 17 }])
})

test('zeros behind, before and between count as white space', () => {
  const { items, end } = readText('\0{"n":12\0\0,\0"messages":[\x001\0,{"a":1}\0]\0}\0\0\0')
  expect(end.complete).toBe(true)
  expect(junk(items)).toEqual([])
  expect(fields(items)).toEqual({ n: 12 })
  expect(elements(items)).toEqual([1, { a: 1 }])
})

test('the rest of a longer document after a shorter one is junk', () => {
  const text = '{"messages":[1]}\n'
  const { items, end } = readText(`${text}"older"}]}\n`)
  expect(end.complete).toBe(true)
  expect(elements(items)).toEqual([1])
  expect(junk(items)).toEqual([{ type: 'junk', start: text.length, end: text.length + 11 }])
})

test('a document that turns into zeros is not complete', () => {
  const { items, end } = readText(`{"messages":[{"a":1},{"a":"x${'\0'.repeat(50)}`)
  expect(elements(items)).toEqual([{ a: 1 }])
  expect(end).toMatchObject({ complete: false, parsedUpTo: 20 })
})

test.each(['', ' ', '[1]', '"text"', 'null', 'garbage', '\ufeff', '\0\0\0'])('%j is not a document', text => {
  const end = { complete: false, parsedUpTo: 0, isDocument: false, hasElements: false }
  expect(readText(text)).toEqual({ items: [], end })
})

test.each([
  '{}}',
  '{"messages":]}',
  '{"messages":[}]}',
  '{"messages":{}}',
  '{"messages":null}',
  '{"a"}',
  '{"a":}',
  '{:}',
  '{"messages":[:::]}',
  '{"messages":[[]]]]}',
  '{,,,,}',
  '{"',
])('%s comes to an end without elements that are not there', text => {
  expect(elements(readText(text).items).every(value => Array.isArray(value))).toBe(true)
})

test('a large unwanted field is not stored', () => {
  const piece = Buffer.alloc(1024 * 1024, 'x')
  let allocated = 0
  const chunks = function* () {
    yield Buffer.from('{"id":"a","huge":"')
    for (let i = 0; i < 200; i++) {
      yield piece
      allocated = Math.max(allocated, process.memoryUsage().arrayBuffers)
    }
    yield Buffer.from('","messages":[1]}')
  }
  const before = process.memoryUsage().arrayBuffers
  const { items, end } = read(chunks())
  expect(elements(items)).toEqual([1])
  expect(end.complete).toBe(true)
  expect(allocated - before).toBeLessThan(20 * piece.length)
})
