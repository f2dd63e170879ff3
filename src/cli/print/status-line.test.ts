import fc from 'fast-check'
import { expect, test } from 'vitest'
import { barPartsOf } from './progress.ts'
import { formatLeft, hasUnicode, renderBar } from './status-line.ts'

const FIGURES = [['1,234 of 5,000 conversations', '3 s left'], ['1,234 of 5,000', '3 s left'], ['1,234/5,000']]
const PARTS = { label: 'Examining', share: 0.25, figures: FIGURES }

test.each([
  [120, `Examining ${'█'.repeat(6)}${'░'.repeat(18)} 1,234 of 5,000 conversations · 3 s left`],
  [60, 'Examining ██░░░░░░░░ 1,234 of 5,000 conversations · 3 s left'],
  [50, 'Examining ███░░░░░░░░░░░ 1,234 of 5,000 · 3 s left'],
  [40, 'Examining ████░░░░░░░░░░░░░░ 1,234/5,000'],
  [22, 'Examining 1,234/5,000'],
  [12, 'Examining 1,'],
])('in %d columns it says as much as fits', (columns, line) => {
  expect(renderBar(PARTS, { columns, isUnicode: true })).toBe(line)
})

test('in ASCII, where the terminal has no more', () => {
  const line = renderBar(PARTS, { columns: 120, isUnicode: false })
  expect(line).toBe(`Examining [${'#'.repeat(5)}${'-'.repeat(17)}] 1,234 of 5,000 conversations, 3 s left`)
})

test('no line is wider than it may be, whatever the figures', () => {
  const count = fc.nat({ max: 10 ** 9 })
  const totals = fc.record({ sessions: count, bytes: fc.nat({ max: 10 ** 14 }) })
  const place = fc.record({ columns: fc.integer({ min: 1, max: 200 }), isUnicode: fc.boolean() })
  fc.assert(
    fc.property(totals, totals, fc.nat(), place, (done, all, elapsed, where) => {
      const line = renderBar({ label: 'Checking', ...barPartsOf(done, all, elapsed) }, where)
      expect(line.length).toBeLessThanOrEqual(where.columns)
    }),
  )
})

test.each([
  [0, '0 s left'],
  [900, '1 s left'],
  [119_000, '119 s left'],
  [121_000, '2 min left'],
  [7_300_000, '2 h left'],
])('%d ms are %s', (milliseconds, text) => expect(formatLeft(milliseconds)).toBe(text))

test.each([
  [{ LANG: 'en_US.UTF-8' }, 'linux', true],
  [{ LANG: 'en_US.utf8', TERM: 'xterm-256color' }, 'linux', true],
  [{}, 'linux', true],
  [{ LANG: 'de_DE.ISO-8859-1' }, 'linux', false],
  [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, 'darwin', false],
  [{ LC_ALL: 'C.UTF-8' }, 'linux', true],
  [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, 'linux', false],
  [{}, 'win32', false],
  [{ WT_SESSION: 'x' }, 'win32', true],
])('whether %j on %s can show blocks: %s', (variables, platform, can) => {
  expect(hasUnicode(variables, platform)).toBe(can)
})
