import { describe, expect, test } from 'vitest'
import { OutputBuffer } from './output-buffer.ts'

const ESC = '\u001b'

function kept(limit: number, ...pieces: string[]): { screen: string; isCut: boolean } {
  const output = new OutputBuffer(limit)
  for (const piece of pieces) output.add(piece)
  return output.screen()
}

describe('the output that is kept', () => {
  test('is all of it as long as there is room', () => {
    expect(kept(10, 'one\n', 'two')).toEqual({ screen: 'one\ntwo', isCut: false })
  })

  test('begins with a whole line once something was dropped', () => {
    expect(kept(9, '0123456789\nabc\nd')).toEqual({ screen: 'abc\nd', isCut: true })
  })

  test('never begins in the middle of an escape sequence', () => {
    // The limit falls between the bracket and the colour.
    expect(kept(8, `xx${ESC}[31mred`)).toEqual({ screen: `${ESC}[31mred`, isCut: true })
    expect(kept(6, `xx${ESC}[31mred${ESC}[0m`).screen).toBe(`${ESC}[0m`)
  })

  test('never begins in the middle of a character', () => {
    expect(kept(5, 'ab🙂🙂cd')).toEqual({ screen: '🙂cd', isCut: true })
  })

  test('stays bounded however it comes', () => {
    const output = new OutputBuffer(10_000)
    for (let at = 0; at < 5_000; at++) output.add(`line ${at}\n`)
    const { screen, isCut } = output.screen()
    expect(isCut).toBe(true)
    expect(screen.length).toBeLessThanOrEqual(10_000)
    expect(screen.length).toBeGreaterThan(5_000)
    expect(screen.endsWith('line 4998\nline 4999\n')).toBe(true)
  })

  test('sets again what was set before its beginning: the alternate screen, the cursor, the mouse', () => {
    const { screen } = kept(12, `${ESC}[?1049h${ESC}[?25;1000h${ESC}[?25l lots of text that is dropped`, '\nlast line')
    expect(screen).toBe(`${ESC}[?1049h${ESC}[?25l${ESC}[?1000hlast line`)
  })

  test('sets a mode whose sequence was cut in two', () => {
    const { screen } = kept(4_200, `${'x'.repeat(4_096)}${ESC}[?10`, `49h${'y'.repeat(4_190)}`)
    expect(screen).toMatch(new RegExp(`^${ESC}\\[\\?1049hy+$`))
  })

  test('sets nothing that a full reset took back', () => {
    expect(kept(5, `${ESC}[?1049h${ESC}c many words`, '\nlast').screen).toBe('last')
  })
})
