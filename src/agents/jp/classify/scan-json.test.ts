// The strict scanner: in the words and at the places of JP's parser, whatever the chunks.
import { expect, test } from 'vitest'
import { Random } from '../../samples/random.ts'
import { JsonScan, scanJson } from './scan-json.ts'

// The words themselves are held against a recording in parser-words.test.ts.

test('the name of a field must be valid text only where names are parsed', () => {
  const bytes = Buffer.from('[{"\\ud800":1}]')
  const watching = new JsonScan({ begin: () => {}, key: () => undefined })
  watching.push(bytes)
  expect(watching.end().fault?.kind).toBe('syntax')
  expect(scanJson(bytes).fault).toBeUndefined()
})

test.each([
  ['["\\ud800"]', 'surrogate'],
  ['["\\udc00"]', 'surrogate'],
  ['["\\ud800\\n"]', 'surrogate'],
  ['["\\ud800\\ud83d\\ude00"]', 'surrogate'],
  ['[1e999]', 'number'],
  ['['.repeat(128) + ']'.repeat(128), 'depth'],
])('%s is JSON by its structure, and stumbled over later (%s)', (text, kind) => {
  const { fault, soft } = scanJson(Buffer.from(text))
  expect(fault).toBeUndefined()
  expect(soft.map(one => one.kind)).toEqual([kind])
})

test.each(['["\\ud83d\\ude00 ü 💶"]', '['.repeat(127) + ']'.repeat(127), '-0.0e-5', '[1e308,""]', ' "x" '])(
  '%s is fine',
  text => {
    const { fault, soft } = scanJson(Buffer.from(text))
    expect({ fault, soft }).toEqual({ fault: undefined, soft: [] })
  },
)

test('bytes that are not characters are found as a strict decoder finds them', () => {
  const random = new Random('bytes')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const leads = [0xc2, 0xe0, 0xe1, 0xed, 0xf0, 0xf1, 0xf4, 0x80, 0x9f, 0xa0, 0xbf, 0xc0, 0xf5, 0x41]
  for (let round = 0; round < 3000; round++) {
    const inner = Buffer.from(Array.from({ length: 1 + random.below(6) }, () => random.pick(leads)))
    const bytes = Buffer.concat([Buffer.from('"'), inner, Buffer.from('"')])
    const isText = attempt(() => decoder.decode(bytes))
    expect(scanJson(bytes).soft.length === 0, bytes.toString('hex')).toBe(isText)
  }
})

test('whatever is broken in a document, it is JSON here exactly where JSON.parse says so, in chunks of any size', () => {
  const random = new Random('broken')
  const whole = JSON.stringify([{ timestamp: 'x', a: [1, -2.5e3, true, null, { '\n"': '\u00fc\\' }] }, [], {}], null, 1)
  for (let round = 0; round < 4000; round++) {
    const bytes = Buffer.from(whole)
    const at = random.below(bytes.length)
    const text = random.chance(0.5)
      ? bytes.subarray(0, at)
      : Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from(random.pick([...'{}[],:"\\0e.-t \n\t'])),
          bytes.subarray(at + random.below(3)),
        ])
    const scan = new JsonScan()
    for (let from = 0; from < text.length; ) {
      const to = from + 1 + random.below(9)
      scan.push(text.subarray(from, to))
      from = to
    }
    const isJson = attempt(() => JSON.parse(text.toString('utf8')))
    const { fault } = scan.end()
    expect(fault === undefined, text.toString('utf8')).toBe(isJson)
    expect(scanJson(text).fault).toEqual(fault)
  }
})

function attempt(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
