// Text as UTF-8, in whatever way it is written.
import { expect, test } from 'vitest'
import { writeText } from './write-text.ts'

const SAMPLES = [
  '',
  'plain',
  'caf\u00e9 ',
  '\u2264 and \ud83d\ude00 ',
  'caf\u00e9 \u4e2d ',
  '\0\u007f\u0080\u07ff\u0800\uffff ',
]

test.each([1, 50, 400])('text repeated %i times is written as a buffer writes it', times => {
  for (const sample of SAMPLES) {
    const text = sample.repeat(times)
    const expected = Buffer.from(`<${text}`)
    const into = Buffer.alloc(expected.length + 1, '<')
    expect(writeText(text, into, 1)).toBe(expected.length - 1)
    expect(into.toString()).toBe(`${expected}<`)
  }
})

test('text that is longer than the memory for it is written too', () => {
  const text = `${'x'.repeat(600_000)}\u4e2d`
  const into = Buffer.alloc(2 * text.length)
  expect(into.toString('utf8', 0, writeText(text, into, 0))).toBe(text)
})
