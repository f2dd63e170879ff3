import { describe, expect, it } from 'vitest'
import { findShift } from './shift.ts'

const places = (...keys: string[]) => keys.map((key, index) => ({ key, start: index * 50, end: index * 50 + 50 }))
const drawn = places('a', 'b', 'c', 'd', 'e', 'f')
const startIn =
  (...keys: string[]) =>
  (key: unknown) =>
    places(...keys).find(place => place.key === key)?.start

describe('a list that is renewed', () => {
  it('scrolls by what came in above the rows that are seen', () => {
    const now = startIn('new', 'newer', 'a', 'b', 'c', 'd', 'e', 'f')
    expect(findShift(drawn, now, { scrollTop: 100, clientHeight: 150 }, null)).toBe(100)
  })

  it('holds on to the next row where the first one seen is gone', () => {
    expect(findShift(drawn, startIn('b', 'd', 'e'), { scrollTop: 100, clientHeight: 150 }, null)).toBe(-100)
  })

  it('lets new rows push the others down at the very top', () => {
    expect(findShift(drawn, startIn('new', 'a', 'b'), { scrollTop: 0, clientHeight: 150 }, null)).toBe(0)
  })

  it('keeps the open row in its place, at the top as well', () => {
    expect(findShift(drawn, startIn('new', 'a', 'b'), { scrollTop: 0, clientHeight: 150 }, 'b')).toBe(50)
  })

  it('does not follow the open row when that is written to and goes to the top', () => {
    const now = startIn('f', 'a', 'b', 'c', 'd', 'e')
    expect(findShift(drawn, now, { scrollTop: 200, clientHeight: 100 }, 'f')).toBe(50)
  })

  it('stays where nothing that was seen is left', () => {
    expect(findShift(drawn, startIn('x'), { scrollTop: 100, clientHeight: 150 }, null)).toBe(0)
  })
})
