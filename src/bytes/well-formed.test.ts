import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../test/support/code-point.ts'
import { inFull } from '../../test/support/full.ts'
import { wellFormedBytes, wellFormedJson } from './well-formed.ts'

describe('a lone surrogate in JSON becomes U+FFFD', () => {
  test.each([
    [String.raw`"a\ud800b"`, 'a\ufffdb'],
    [String.raw`"\uDFFF"`, '\ufffd'],
    [String.raw`"\ud83d\ud83d\ude00"`, '\ufffd\u{1f600}'],
    [String.raw`"\ude00\ud83d"`, '\ufffd\ufffd'],
    [String.raw`"\uD83Dx\uDE00"`, '\ufffdx\ufffd'],
  ])('%s', (json, text) => {
    expect(JSON.parse(wellFormedJson(json))).toBe(text)
    expect(JSON.parse(wellFormedBytes(Buffer.from(json)).toString())).toBe(text)
  })

  test('at any depth, in names and values', () => {
    const json = String.raw`{"\ud800":[{"x":["\udc00",1]}]}`
    expect(JSON.parse(wellFormedJson(json))).toEqual({ '\ufffd': [{ x: ['\ufffd', 1] }] })
  })
})

describe('well-formed text stays byte for byte', () => {
  test.each([
    String.raw`"\ud83d\ude00"`,
    String.raw`"\uD83D\uDE00 and \\ud800, which is text"`,
    String.raw`{"n":123456789012345678901234567890, "s":"\u0041\/"}`,
    '"\u{1f600}"',
  ])('%s', json => {
    const bytes = Buffer.from(json)
    expect(wellFormedJson(json)).toBe(json)
    expect(wellFormedBytes(bytes)).toBe(bytes)
  })
})

test('bytes that are not UTF-8 are read as every reader of UTF-8 reads them', () => {
  const bytes = Buffer.concat([Buffer.from('"a'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('b"')])
  expect(JSON.parse(wellFormedBytes(bytes).toString())).toBe('a\ufffd\ufffd\ufffdb')
})

test('for any text the result is what toWellFormed makes of it', () => {
  const surrogates = fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', '\\', 'u', 'd', '8', '"', 'é') })
  fc.assert(
    fc.property(fc.oneof(surrogates, fc.string({ unit: codePoint })), text => {
      const json = JSON.stringify({ [text]: [text] })
      const expected = { [text.toWellFormed()]: [text.toWellFormed()] }
      expect(JSON.parse(wellFormedJson(json))).toEqual(expected)
      expect(JSON.parse(wellFormedBytes(Buffer.from(json)).toString())).toEqual(expected)
    }),
    { numRuns: inFull(1000, 300) },
  )
})
