// The strict scanner: in the words and at the places of JP's parser, whatever the chunks.
import { expect, test } from 'vitest'
import { Random } from '../../samples/random.ts'
import { faultText } from './fault.ts'
import { JsonScan, scanJson } from './scan-json.ts'

test.each([
  ['', 'EOF while parsing a value at line 1 column 0'],
  [' \n', 'EOF while parsing a value at line 2 column 0'],
  ['[{"timestamp":"a","type":1},]', 'trailing comma at line 1 column 29'],
  ['{"a":1,}', 'trailing comma at line 1 column 8'],
  ['[1 2]', 'expected `,` or `]` at line 1 column 4'],
  ['{"a" 1}', 'expected `:` at line 1 column 6'],
  ['{"a":1 "b"}', 'expected `,` or `}` at line 1 column 8'],
  ['{a:1}', 'key must be a string at line 1 column 2'],
  ['[\n  // no\n]', 'expected value at line 2 column 3'],
  ['\ufeff[]', 'expected value at line 1 column 1'],
  ['[]\0\0', 'trailing characters at line 1 column 3'],
  ['[] x', 'trailing characters at line 1 column 4'],
  ['[tru]', 'expected ident at line 1 column 5'],
  ['[01]', 'invalid number at line 1 column 3'],
  ['[-]', 'invalid number at line 1 column 3'],
  ['["\\x"]', 'invalid escape at line 1 column 4'],
  ['["a\tb"]', 'control character (\\u0000-\\u001F) found while parsing a string at line 1 column 4'],
  ['["a\nb"]', 'control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0'],
  ['["ab', 'EOF while parsing a string at line 1 column 4'],
  ['[{"a":1}', 'EOF while parsing a list at line 1 column 8'],
  ['[{"a":1', 'EOF while parsing an object at line 1 column 7'],
  ['[{"a":', 'EOF while parsing a value at line 1 column 6'],
  ['[1,', 'EOF while parsing a value at line 1 column 3'],
])('%j: %s', (text, wanted) => {
  const { fault } = scanJson(Buffer.from(text))
  expect(fault === undefined ? undefined : faultText(fault)).toBe(wanted)
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

test('bytes that are no characters are found as a strict decoder finds them', () => {
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
