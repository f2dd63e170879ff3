import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeProto,
  findLastBytes,
  findLastNumber,
  lastProtoBytes,
  type ProtoValue,
  protoBytes,
  protoNumber,
  protoText,
  readProto,
} from './protobuf.ts'

const field = fc.tuple(
  fc.integer({ min: 1, max: 2 ** 29 - 1 }),
  fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.uint8Array({ maxLength: 300 }).map(values => Buffer.from(values)),
  ),
)
const message = fc.array(field, { maxLength: 12 })
const decoded = (bytes: Buffer): [number, ProtoValue][] =>
  readProto(bytes).fields.map(({ number, value }) => [number, typeof value === 'bigint' ? value : Buffer.from(value)])

test('encoding and reading give the same values', () => {
  fc.assert(
    fc.property(message, fields => {
      const bytes = encodeProto(fields)
      expect(decoded(bytes)).toEqual(fields)
      expect(readProto(bytes).brokenAt).toBeUndefined()
    }),
  )
})

test('cut anywhere, the fields before the cut remain, and the place of the cut is given', () => {
  fc.assert(
    fc.property(message, fields => {
      const bytes = encodeProto(fields)
      const whole = readProto(bytes).fields
      for (let length = 0; length < bytes.length; length++) {
        const { fields: left, brokenAt } = readProto(bytes.subarray(0, length))
        const before = whole.filter(({ end }) => end <= length)
        expect(left).toEqual(before)
        const end = before.at(-1)?.end ?? 0
        expect(brokenAt).toBe(end === length ? undefined : end)
      }
    }),
    { numRuns: 30 },
  )
})

test('random bytes never throw, and fields lie one behind the other', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), values => {
      let at = 0
      for (const { start, end } of readProto(Buffer.from(values)).fields) {
        expect(start).toBe(at)
        expect(end).toBeGreaterThan(start)
        at = end
      }
      expect(at).toBeLessThanOrEqual(values.length)
    }),
  )
})

test('fixed numbers are read as their bytes', () => {
  const bytes = Buffer.from([0x0d, 1, 2, 3, 4, 0x11, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(readProto(bytes).fields).toMatchObject([
    { number: 1, type: 'fixed', value: Buffer.from([1, 2, 3, 4]) },
    { number: 2, type: 'fixed', value: Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]) },
  ])
  expect(readProto(bytes.subarray(0, 4))).toEqual({ fields: [], brokenAt: 0 })
})

test.each([
  ['a field number of zero', [0x00, 0x01]],
  ['a group', [0x0b]],
  ['an unknown wire type', [0x0f]],
  ['a number without an end', Array.from({ length: 12 }, () => 0xff)],
  ['a length beyond the bytes', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
])('%s is where the message breaks', (_, values) => {
  const good = encodeProto([[1, 'kept']])
  const { fields, brokenAt } = readProto(Buffer.concat([good, Buffer.from(values)]))
  expect(fields).toHaveLength(1)
  expect(brokenAt).toBe(good.length)
})

test('fields are asked for by number: all bytes, the last text, the last number', () => {
  const found = readProto(
    encodeProto([
      [1, 'a'],
      [2, 7],
      [1, 'é'],
      [2, 2n ** 63n],
      [3, Buffer.alloc(0)],
    ]),
  )
  expect(protoBytes(found, 1).map(String)).toEqual(['a', 'é'])
  expect(protoText(found, 1)).toBe('é')
  expect(protoText(found, 3)).toBe('')
  expect(protoNumber(found, 2)).toBe(2n ** 63n)
  expect([protoText(found, 2), protoNumber(found, 1), protoText(found, 9), protoBytes(found, 9)]).toEqual([
    undefined,
    undefined,
    undefined,
    [],
  ])
})

test('the last value of a field is the same from the bytes and from the fields, in broken messages too', () => {
  const anyBytes = fc.uint8Array({ maxLength: 60 }).map(values => Buffer.from(values))
  const few = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), anyBytes), { maxLength: 6 }).map(encodeProto)
  fc.assert(
    fc.property(fc.oneof(few, anyBytes), anyBytes, (start, rest) => {
      const bytes = Buffer.concat([start, rest])
      const message = readProto(bytes)
      for (const number of [1, 2, 3]) {
        expect(findLastBytes(bytes, number)).toEqual(protoBytes(message, number).at(-1))
        expect(lastProtoBytes(message, number)).toEqual(protoBytes(message, number).at(-1))
      }
    }),
  )
})

test('the last number of a field is the same with and without the others', () => {
  const value = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constant('text'))
  const few = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), value), { maxLength: 6 }).map(encodeProto)
  fc.assert(
    fc.property(few, fc.uint8Array({ maxLength: 12 }), (start, rest) => {
      const bytes = Buffer.concat([start, rest])
      const message = readProto(bytes)
      for (const number of [1, 2, 3]) {
        const exact = protoNumber(message, number)
        expect(findLastNumber(bytes, number)).toBe(exact === undefined ? undefined : Number(exact))
      }
    }),
  )
})

/** 0x80 continues a number without adding to it. */
const padded = (first: number, bytes: number): number[] => [first | 0x80, ...Array(bytes - 2).fill(0x80), 0]

test.each([
  ['a tag of eight bytes', [...padded(0x0a, 8), 1, 7], [1, 'bytes', Buffer.from([7])]],
  ['a length of ten bytes', [0x0a, ...padded(1, 10), 7], [1, 'bytes', Buffer.from([7])]],
  ['a number of ten bytes', [0x08, ...padded(5, 10)], [1, 'varint', 5n]],
  ['a number of 70 bits', [0x08, ...Array(9).fill(0xff), 0x7f], [1, 'varint', 2n ** 70n - 1n]],
  [
    'a field number beyond 2^53',
    [...Array(9).fill(0x88), 0x7f, 1],
    [Number(tagOf([...Array(9).fill(0x88), 0x7f]) >> 3n), 'varint', 1n],
  ],
])('%s is read exactly', (_, bytes, expected) => {
  const { fields, brokenAt } = readProto(Buffer.from(bytes))
  expect(fields.map(({ number, type, value }) => [number, type, value])).toEqual([expected])
  expect(brokenAt).toBeUndefined()
})

function tagOf(bytes: number[]): bigint {
  return bytes.reduceRight((value, byte) => (value << 7n) | BigInt(byte & 0x7f), 0n)
}

test.each([
  ['a number of eleven bytes', [0x08, ...padded(5, 11)]],
  ['a length beyond the end', [0x0a, 2, 7]],
  ['a length beyond 2^64', [0x0a, ...Array(9).fill(0xff), 0x7f, 7]],
  ['a field without a number', [0x02, 0]],
  ['a group', [0x0b]],
  ['a fixed value that is cut', [0x09, 1, 2, 3, 4, 5, 6, 7]],
])('%s is where the message is broken', (_, bytes) => {
  expect(readProto(Buffer.from([0x08, 1, ...bytes]))).toMatchObject({ fields: [{ number: 1, value: 1n }], brokenAt: 2 })
})
