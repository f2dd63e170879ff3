// Chunks come cut anywhere.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineCollector } from './line-collector.ts'

test('however the bytes are cut, the lines are the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.nat(7), { minLength: 1 }), (texts, cuts) => {
      const clean = texts.map(text => text.replaceAll('\n', ' '))
      const bytes = Buffer.from(clean.map(text => `${text}\n`).join(''))
      expect(collect(bytes, cuts)).toEqual(clean)
    }),
  )
})

function collect(bytes: Buffer, cuts: readonly number[]): string[] {
  const collector = new LineCollector(1000)
  const lines: string[] = []
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = (cuts[n % cuts.length] ?? 0) + 1
    for (const line of collector.push(bytes.subarray(at, at + size))) lines.push(line.bytes.toString())
    at += size
  }
  expect(collector.flush()).toBeUndefined()
  return lines
}

test('U+2028 does not end a line', () => {
  expect(new LineCollector(100).push(Buffer.from('a\u2028b\n')).map(({ bytes }) => String(bytes))).toEqual(['a\u2028b'])
})

test('a line over the limit is counted and not stored, and the next is whole', () => {
  const collector = new LineCollector(4)
  expect(collector.push(Buffer.from('12345'))).toEqual([])
  const [long, next] = collector.push(Buffer.from('6789\nok\n'))
  expect(long).toEqual({ bytes: Buffer.alloc(0), length: 9, isTooLong: true })
  expect(next).toEqual({ bytes: Buffer.from('ok'), length: 2, isTooLong: false })
})

test('what stands behind the last newline is given at the end', () => {
  const collector = new LineCollector(100)
  collector.push(Buffer.from('{"a":1'))
  expect(collector.flush()?.bytes.toString()).toBe('{"a":1')
  expect(collector.flush()).toBeUndefined()
})
