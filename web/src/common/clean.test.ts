import { describe, expect, it } from 'vitest'
import { cleanLine, cleanText } from './clean.ts'

describe('text of a session', () => {
  it('keeps what is plain, with its line feeds and tabs', () => {
    expect(cleanText('a\n\tb 日本 👩‍👩‍👧 é')).toBe('a\n\tb 日本 👩‍👩‍👧 é')
  })

  it('shows control characters as pictures of themselves', () => {
    expect(cleanText('\u001b[31mred\u0000\u0007\u007f')).toBe('␛[31mred␀␇␡')
    expect(cleanText('a\rb')).toBe('a␍b')
    expect(cleanText('\u009b31m')).toBe('\uFFFD31m')
  })

  it.each(['\u202E', '\u202A', '\u2066', '\u2069', '\u200F', '\u061C'])(
    'does not let %j turn the line around',
    mark => {
      expect(cleanText(`a${mark}b`)).toBe('a\uFFFDb')
    },
  )

  it('replaces a lone surrogate', () => {
    expect(cleanText('a\uD83Db')).toBe('a\uFFFDb')
  })

  it('puts a title on one line', () => {
    expect(cleanLine('  two\r\nlines\u2028and\tmore \r ')).toBe('two lines and more')
  })
})
