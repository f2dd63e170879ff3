import { expect, test } from 'vitest'
import { atLeastOne, countRuns, hexRows, spanAround } from './hex-rows.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

test('rows stand at multiples of their width, wherever the first byte is', () => {
  const rows = hexRows(bytesOf('abcdef'), 6, { start: 8, end: 10 }, 4)
  expect(rows.map(({ offset }) => offset)).toEqual([4, 8])
  expect(rows[0]?.cells.map(cell => cell?.text)).toEqual([undefined, undefined, 'a', 'b'])
  expect(rows[1]?.cells.map(cell => cell?.isMarked)).toEqual([true, true, false, false])
})

test('a byte that is no letter by itself is a dot, and its hex says what it is', () => {
  const [row] = hexRows(bytesOf('é\n'), 0, { start: 0, end: 0 }, 4)
  expect(row?.cells.map(cell => cell?.text)).toEqual(['·', '·', '·', undefined])
  expect(row?.cells.map(cell => cell?.hex)).toEqual(['c3', 'a9', '0a', undefined])
})

test('a finding of no bytes marks the byte it stands before', () => {
  expect(atLeastOne({ start: 3, end: 3 })).toEqual({ start: 3, end: 4 })
})

test('long runs of spaces are counted, and every byte is either shown or counted', () => {
  const text = `{"a":1}${' '.repeat(61)}end`
  const rows = countRuns(hexRows(bytesOf(text), 0, { start: 0, end: 0 }, 8))
  const shown = rows.reduce(
    (sum, row) => sum + (row.run?.count ?? row.cells.filter(cell => cell !== undefined).length),
    0,
  )
  expect(shown).toBe(text.length)
  expect(rows.flatMap(({ run }) => run ?? [])).toEqual([{ byte: 0x20, count: 56 }])
})

test('a run ends where the mark begins', () => {
  const rows = countRuns(hexRows(new Uint8Array(64), 0, { start: 32, end: 64 }, 8))
  expect(rows.map(({ offset, run }) => [offset, run?.count])).toEqual([
    [0, 32],
    [32, 32],
  ])
})

test('a short run is shown', () => {
  expect(countRuns(hexRows(bytesOf(' '.repeat(16)), 0, { start: 0, end: 0 }, 8))).toHaveLength(2)
})

test('around a long finding no more than asked for is shown', () => {
  expect(spanAround({ start: 1000, end: 900_000 }, 96, 4096)).toEqual({ start: 896, end: 4992 })
})
