import { describe, expect, it } from 'vitest'
import { formatAge, formatBytes, formatCount, formatDay, formatMoment, formatTime, plural } from './format.ts'

const now = new Date(2026, 10, 15, 14, 30).getTime()
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()

describe('what a person reads', () => {
  it.each([
    [ago(0.5), 'just now'],
    [ago(-5), 'just now'],
    [ago(5), '5 min'],
    [ago(119), '1 h'],
    [ago(3 * 1440), '3 d'],
    [new Date(2026, 0, 3).toISOString(), '3 Jan'],
    [new Date(2024, 0, 3).toISOString(), '3 Jan 2024'],
    ['nonsense', 'unknown'],
  ])('says the age of %s as %s', (iso, words) => {
    expect(formatAge(iso, now)).toBe(words)
  })

  it.each([
    [ago(60), 'Today'],
    [ago(15 * 60), 'Yesterday'],
    [ago(4 * 1440), 'Wednesday'],
    [new Date(2026, 0, 3).toISOString(), '3 January'],
    [new Date(2025, 11, 31).toISOString(), '31 December 2025'],
    ['', 'unknown'],
  ])('says the day of %s as %s', (iso, words) => {
    expect(formatDay(iso, now)).toBe(words)
  })

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1300, '1.3 KB'],
    [99_960, '100 KB'],
    [3_900_000_000, '3.9 GB'],
    [7e15, '7000 TB'],
  ])('says %d bytes as %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words)
  })

  it('separates thousands and counts one as one', () => {
    expect(formatCount(1204)).toBe('1,204')
    expect([plural(1, 'finding'), plural(0, 'finding'), plural(2, 'copy', 'copies')]).toEqual([
      '1 finding',
      '0 findings',
      '2 copies',
    ])
  })

  it('writes times of the local clock', () => {
    const iso = new Date(2026, 10, 3, 9, 12).toISOString()
    expect([formatTime(iso), formatMoment(iso)]).toEqual(['09:12', '3 Nov 2026, 09:12'])
  })
})
