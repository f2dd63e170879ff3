import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inFull } from '../../test/support/full.ts'
import { expectProportion } from '../../test/support/proportion.ts'
import type { Edit } from './edits.ts'
import { Pieces } from './edits.ts'

function apply(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const edit of edits) {
    parts.push(bytes.subarray(at, edit.start), edit.bytes)
    at = edit.end
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}

function resultOf(pieces: Pieces, file: Buffer): Buffer {
  return Buffer.concat([...pieces.chunks(0, pieces.size, (start, end) => [file.subarray(start, end)])])
}

/** Sorted edits that do not overlap, made from a few random numbers. */
function makeEdits(size: number, numbers: readonly [number, number, string][]): Edit[] {
  const edits: Edit[] = []
  let at = 0
  for (const [gap, length, text] of numbers) {
    const start = at + gap
    const end = start + length
    if (end > size) break
    edits.push({ start, end, bytes: Buffer.from(text) })
    at = end
  }
  return edits
}

const numbers = fc.array(
  fc.tuple(
    fc.nat(9),
    fc.nat(4),
    fc.string({ maxLength: 5 }).map(text => text.replace(/[^ -~]/g, '?')),
  ),
  { maxLength: 6 },
)

test('several rounds of edits give what editing the bytes each time gives', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), numbers, numbers, numbers, (text, ...rounds) => {
      const file = Buffer.from(text)
      let expected: Buffer = file
      let pieces = Pieces.whole(file.length)
      for (const round of rounds) {
        const edits = makeEdits(expected.length, round)
        expected = apply(expected, edits)
        pieces = pieces.edit(edits)
      }
      expect(resultOf(pieces, file)).toEqual(expected)
      expect(apply(file, pieces.changes())).toEqual(expected)
      expect(pieces.size).toBe(expected.length)
    }),
    { numRuns: inFull(2000, 400) },
  )
})

test('a place behind an insertion is known in the file', () => {
  const pieces = Pieces.whole(10).edit([{ start: 4, end: 4, bytes: Buffer.from('abc') }])
  expect([0, 3, 4, 6, 7, 12].map(offset => pieces.toFile(offset))).toEqual([0, 3, 4, 4, 4, 9])
})

test('edits of several rounds keep what led to them', () => {
  const pieces = Pieces.whole<Edit & { why: string }>(10)
    .edit([{ start: 2, end: 4, bytes: Buffer.from('xyz'), why: 'first' }])
    .edit([{ start: 3, end: 4, bytes: Buffer.from('!'), why: 'second' }])
  expect(
    pieces.changes().map(({ start, end, bytes, edits }) => [start, end, bytes.toString(), edits.map(edit => edit.why)]),
  ).toEqual([[2, 4, 'x!z', ['first', 'second']]])
})

test('a file with an edit in each record is read record by record in time in proportion to its size', () => {
  expectProportion(2000, records => {
    const edits = Array.from({ length: records }, (_, i) => ({
      start: i * 10,
      end: i * 10 + 2,
      bytes: Buffer.from('abc'),
    }))
    const pieces = Pieces.whole(records * 10).edit(edits)
    const file = Buffer.alloc(records * 10)
    return () => {
      for (let at = 0; at < pieces.size; at += 11)
        for (const chunk of pieces.chunks(at, at + 11, (start, end) => [file.subarray(start, end)])) chunk.at(0)
    }
  })
})
