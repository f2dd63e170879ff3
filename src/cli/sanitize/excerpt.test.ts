import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { excerptOf } from './excerpt.ts'
import { describeChange } from './show-diff.ts'

const at = (text: string, mark: string): [Buffer, { line: number; offset: number }] => {
  const bytes = Buffer.from(text)
  const offset = bytes.indexOf(mark)
  return [bytes, { line: bytes.toString('utf8', 0, offset).split('\n').length, offset }]
}

describe('the lines around a place', () => {
  test('two on either side, numbered, with a mark below the byte', () => {
    expect(excerptOf(...at('a\nb\nc\n  d!\ne\nf\ng\n', '!'), 60)).toEqual([
      '  2 │ b',
      '  3 │ c',
      '› 4 │   d!',
      '    │    ^',
      '  5 │ e',
      '  6 │ f',
    ])
  })

  test('behind the last byte, as of a file that was cut off', () => {
    expect(excerptOf(Buffer.from('[\n{"a'), { line: 2, offset: 5 }, 60)).toEqual(['  1 │ [', '› 2 │ {"a', '    │   ^'])
  })

  test('a newline is a place, too', () => {
    expect(excerptOf(Buffer.from('ab\ncd'), { line: 1, offset: 2 }, 60)).toEqual(['› 1 │ ab', '    │   ^', '  2 │ cd'])
  })

  test('of a file with nothing in it there is an empty line', () => {
    expect(excerptOf(Buffer.alloc(0), { line: 1, offset: 0 }, 60)).toEqual(['› 1 │ ', '    │ ^'])
  })

  test.each([40, 80])(
    'wide characters and long lines fit into %d columns, with the mark where the byte is',
    columns => {
      const text = `${'漢字'.repeat(300)}!${'x'.repeat(3000)}`
      const lines = excerptOf(...at(text, '!'), columns)
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
      const [first = '', second = ''] = lines
      expect(stringWidth(first.slice(0, first.indexOf('!')))).toBe(stringWidth(second.slice(0, second.indexOf('^'))))
    },
  )

  test('bytes that are no text, and sequences that would move the cursor, are pictures', () => {
    const bytes = Buffer.concat([Buffer.from('\u001b[2J\t'), Buffer.from([0xff, 0]), Buffer.from('!')])
    expect(excerptOf(bytes, { line: 1, offset: bytes.length - 1 }, 60)[0]).toBe('› 1 │ ␛[2J  \ufffd␀!')
  })
})

describe('what a fix changes', () => {
  const change = (before: string, after: string): string[] =>
    describeChange(Buffer.from(before), Buffer.from(after), 60)

  test('a comma that goes', () => {
    expect(change('[\n  1,\n  2,\n]\n', '[\n  1,\n  2\n]\n')).toEqual(['    1,', '-   2,', '+   2', '  ]'])
  })

  test('a bracket that comes', () => {
    expect(change('[\n  1\n', '[\n  1\n]\n')).toEqual(['    1', '+ ]'])
  })

  test('a tail that is cut', () => {
    expect(change('[\n  1,\n  {"a', '[\n  1\n]\n')).toEqual(['  [', '-   1,', '-   {"a', '+   1', '+ ]'])
  })

  test('of very much that goes the rest is counted', () => {
    const lines = change(`[\n${'x\n'.repeat(100)}]`, '[\n]')
    expect(lines.filter(line => line === '- x')).toHaveLength(8)
    expect(lines).toContain('- … and 185 bytes more')
  })

  test('a line of any length is cut', () => {
    for (const line of change(`${'x'.repeat(5000)}!`, 'x'.repeat(5000))) expect(line.length).toBeLessThanOrEqual(60)
  })
})
