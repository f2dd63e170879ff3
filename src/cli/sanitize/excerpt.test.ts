import stringWidth from 'fast-string-width'
import { describe, expect, test } from 'vitest'
import { excerptOf } from './excerpt.ts'

const at = (text: string, mark: string): [Buffer, { offset: number }] => {
  const bytes = Buffer.from(text)
  return [bytes, { offset: bytes.indexOf(mark) }]
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
    expect(excerptOf(Buffer.from('[\n{"a'), { offset: 5 }, 60)).toEqual(['  1 │ [', '› 2 │ {"a', '    │   ^'])
  })

  test('behind the newline that ends the file there is one more line, and the place is in it', () => {
    expect(excerptOf(Buffer.from('[\n'), { offset: 2 }, 60)).toEqual(['  1 │ [', '› 2 │ ', '    │ ^'])
    expect(excerptOf(Buffer.from('[\n  1,\n\n'), { offset: 99 }, 60)).toEqual([
      '  2 │   1,',
      '  3 │ ',
      '› 4 │ ',
      '    │ ^',
    ])
  })

  test.each(['[\n', '[\n{"a', 'a\n\n\nb\n', '\n', 'ab', '\n\n'])(
    'each line of %j has its own number, wherever the place is',
    text => {
      const bytes = Buffer.from(text)
      const numbered = text.split('\n').map((line, index) => `${index + 1} │ ${line}`)
      for (let offset = 0; offset <= bytes.length + 1; offset++) {
        const lines = excerptOf(bytes, { offset }, 60).filter(line => !line.endsWith('^'))
        for (const line of lines) expect(numbered).toContain(line.slice(2))
      }
    },
  )

  test('a byte order mark is seen', () => {
    expect(excerptOf(Buffer.from('\ufeff['), { offset: 0 }, 60)).toEqual(['› 1 │ \ufffd[', '    │ ^'])
  })

  test('a newline is a place, too', () => {
    expect(excerptOf(Buffer.from('ab\ncd'), { offset: 2 }, 60)).toEqual(['› 1 │ ab', '    │   ^', '  2 │ cd'])
  })

  test('of a file with nothing in it there is an empty line', () => {
    expect(excerptOf(Buffer.alloc(0), { offset: 0 }, 60)).toEqual(['› 1 │ ', '    │ ^'])
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
    expect(excerptOf(bytes, { offset: bytes.length - 1 }, 60)[0]).toBe('› 1 │ ␛[2J  \ufffd␀!')
  })
})
