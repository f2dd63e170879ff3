import { expect, test } from 'vitest'
import { foldLines, piecesOf } from './fold-lines.ts'

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join('\n')

test('twelve lines are shown whole', () => {
  expect(foldLines(`${lines(12)}\n\n`)).toEqual({ text: lines(12), more: undefined })
})

test('of more, the first twelve', () => {
  expect(foldLines(lines(1500))).toEqual({ text: lines(12), more: 'Show all 1,500 lines' })
})

test('a line of a megabyte is cut', () => {
  const { text, more } = foldLines(`first\n${'x'.repeat(1_000_000)}`)
  expect(text.length).toBeLessThan(1300)
  expect(more).toBe('Show all 1,000,006 characters')
})

test('pieces together are the text', () => {
  const text = `${lines(500)}\n${'x'.repeat(3000)}`
  const pieces = piecesOf(text, 1000)
  expect(Math.max(...pieces.map(piece => piece.length))).toBeLessThanOrEqual(1000)
  expect(pieces.join('').replaceAll('\n', '')).toBe(text.replaceAll('\n', ''))
})
