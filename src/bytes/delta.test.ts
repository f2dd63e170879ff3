import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyDelta, encodeDelta } from './delta.ts'

const document = (messages: number, updated: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      updated,
      messages: Array.from({ length: messages }, (_, n) => ({ n, text: `message ${n} ${Math.sin(n)} `.repeat(20) })),
    }),
  )

test('a version with a changed head and one message more is a small delta', () => {
  const old = document(500, '2026-01-01T00:00:00Z')
  const fresh = document(501, '2026-11-16T10:00:00Z')
  const delta = encodeDelta(old, fresh)
  expect(applyDelta(old, delta)?.equals(fresh)).toBe(true)
  expect(delta.length).toBeLessThan(3000)
})

test('any version is made again from any other', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 3000 }).map(array => Buffer.from(array)),
    fc.nat(40).map(count => document(count, 'x')),
  )
  fc.assert(
    fc.property(bytes, bytes, fc.nat(3000), (a, b, cut) => {
      for (const fresh of [b, Buffer.concat([a.subarray(0, cut), b, a.subarray(cut)]), a.subarray(0, cut)])
        expect(applyDelta(a, encodeDelta(a, fresh))?.equals(fresh)).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('a damaged delta, or one of another base, gives nothing instead of wrong bytes or an endless loop', () => {
  const old = document(20, 'a')
  const delta = encodeDelta(old, document(21, 'b'))
  for (let at = 0; at < Math.min(delta.length, 200); at++)
    expect(applyDelta(old, delta.subarray(0, at))).toBeUndefined()
  expect(applyDelta(Buffer.alloc(3), delta)).toBeUndefined()
  expect(applyDelta(old, Buffer.from([255, 255, 255, 255, 255, 255, 255, 255, 255]))).toBeUndefined()
})
