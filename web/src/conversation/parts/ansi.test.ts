import { describe, expect, test } from 'vitest'
import { renderAnsi } from './ansi.ts'

const ESC = '\u001b'
const textOf = (output: string) =>
  renderAnsi(output)
    .map(({ text }) => text)
    .join('')

describe('colours and weights', () => {
  test('are kept and end where they end', () => {
    expect(renderAnsi(`a ${ESC}[1;31mred${ESC}[0m b`)).toEqual([
      { text: 'a ', style: {} },
      { text: 'red', style: { bold: true, hue: 'red' } },
      { text: ' b', style: {} },
    ])
  })

  test.each([
    ['22', { bold: true, italic: true }, { italic: true }],
    ['23', { bold: true, italic: true }, { bold: true }],
  ])('%s takes back its own and leaves the others', (code, before, after) => {
    const [first, second] = renderAnsi(`${ESC}[1;3mx${ESC}[${code}my`)
    expect(first?.style).toEqual(before)
    expect(second?.style).toEqual(after)
  })

  test.each([
    ['38;5;196', 'red'],
    ['38;2;10;200;30', 'green'],
    ['38;5;244', 'grey'],
    ['38:2:0:0:250', 'blue'],
    ['94', 'blue'],
  ])('%s is the nearest of ours', (codes, hue) => {
    expect(renderAnsi(`${ESC}[${codes}mx`)[0]?.style).toEqual({ hue })
  })

  test('white and black are the colour of the page, so that nothing vanishes', () => {
    expect(renderAnsi(`${ESC}[38;2;255;255;255;48;2;255;255;255mx`)[0]?.style).toEqual({})
  })

  test('hidden text is shown', () => {
    expect(renderAnsi(`${ESC}[8msecret`)).toEqual([{ text: 'secret', style: {} }])
  })
})

describe('other sequences', () => {
  test.each([
    ['moves the cursor', `a${ESC}[2J${ESC}[10;5Hb`],
    ['another screen', `a${ESC}[?1049hb`],
    ['a title', `a${ESC}]0;title\u0007b`],
    ['a link', `a${ESC}]8;;javascript:alert(1)${ESC}\\b`],
    ['a device string', `a${ESC}P1;2q#0~~${ESC}\\b`],
    ['a charset', `a${ESC}(Bb`],
    ['eight bits', 'a\u009b31mb'],
  ])('dropped: %s', (_, output) => {
    expect(textOf(output)).toBe('ab')
  })

  test('one that never ends hides nothing behind it', () => {
    expect(textOf(`a${ESC}]0;title\nrest`)).toBe('a\u241b]0;title\nrest')
  })

  test('controls and turned text are shown as what they are', () => {
    expect(textOf('a\u0000\u0007\u202Eb')).toBe('a\u2400\u2407\uFFFDb')
  })

  test('what a return overwrote is still there', () => {
    expect(textOf('10%\r100%\r\ndone')).toBe('10%\n100%\ndone')
  })
})

test('a hundred thousand colour changes give a bounded number of runs and all of the text', () => {
  const runs = renderAnsi(`${ESC}[31ma${ESC}[32mb`.repeat(50_000))
  expect(runs.length).toBeLessThanOrEqual(4000)
  expect(runs.reduce((length, { text }) => length + text.length, 0)).toBe(100_000)
})
