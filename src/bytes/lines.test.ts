import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inPieces, inTwo } from '../../test/support/chunks.ts'
import { MAX_LINE_BYTES, splitLines } from './lines.ts'

const split = (...chunks: (string | Buffer)[]) =>
  [...splitLines(chunks.map(chunk => Buffer.from(chunk)))].map(line => line.bytes.toString('latin1'))

test('a line ends at 0x0A', () => expect(split('one\ntwo\n')).toEqual(['one', 'two']))

test('an empty line is a line', () => expect(split('one\n\ntwo\n')).toEqual(['one', '', 'two']))

test('no bytes give no line, and neither does the end after the last newline', () => {
  expect(split()).toEqual([])
  expect(split('', '')).toEqual([])
  expect(split('one\n')).toEqual(['one'])
})

test.each([
  ['U+2028', '\u2028'],
  ['U+2029', '\u2029'],
  ['U+0085', '\u0085'],
  ['a carriage return', '\r'],
  ['a vertical tab', '\v'],
  ['a form feed', '\f'],
  ['NUL', '\0'],
])('%s does not end a line', (_, character) => {
  const [line, ...others] = [...splitLines([Buffer.from(`a${character}b\n`)])]
  expect(line?.bytes.toString('utf8')).toBe(`a${character}b`)
  expect(others).toEqual([])
})

test('a last line that no newline follows is given as not terminated', () => {
  const found = [...splitLines([Buffer.from('one\ntw')])]
  expect(found.map(({ start, end, terminated }) => ({ start, end, terminated }))).toEqual([
    { start: 0, end: 3, terminated: true },
    { start: 4, end: 6, terminated: false },
  ])
})

test('offsets count from where the reading starts in the file', () => {
  const [line] = [...splitLines([Buffer.from('abc\n')], 1000)]
  expect(line).toMatchObject({ start: 1000, end: 1003 })
})

test('whatever the bytes and wherever the chunks end, the lines are those between the newlines', () => {
  const byte = fc.oneof({ weight: 1, arbitrary: fc.constant(0x0a) }, { weight: 3, arbitrary: fc.nat(255) })
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), fc.integer({ min: 1, max: 61 }), (values, size) => {
      const bytes = Buffer.from(values)
      const expected = bytes.toString('latin1').split('\n')
      if (expected.at(-1) === '') expected.pop()
      const found = [...splitLines(inPieces(bytes, size))]
      expect(found.map(line => line.bytes.toString('latin1'))).toEqual(expected)
      for (const line of found) expect(bytes.subarray(line.start, line.end).equals(line.bytes)).toBe(true)
    }),
  )
})

test('a chunk may end at every position', () => {
  const bytes = Buffer.from('{"a":"é\u2028"}\n\n{"b":1}\r\n{"c')
  const whole = split(bytes)
  for (let at = 0; at <= bytes.length; at++) expect(split(...inTwo(bytes, at)), `cut at ${at}`).toEqual(whole)
})

test('a line beyond the limit is counted but not stored, and the next one is read', () => {
  const piece = Buffer.alloc(1024 * 1024, 'x')
  const chunks = function* () {
    for (let i = 0; i <= MAX_LINE_BYTES / piece.length; i++) yield piece
    yield Buffer.from('\nnext\n')
  }
  const found = [...splitLines(chunks())]
  const length = MAX_LINE_BYTES + piece.length
  expect(found[0]).toEqual({ bytes: Buffer.alloc(0), start: 0, end: length, terminated: true, tooLong: true })
  expect(found[1]).toMatchObject({ start: length + 1, tooLong: false })
  expect(found[1]?.bytes.toString()).toBe('next')
})
