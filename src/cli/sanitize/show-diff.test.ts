import stringWidth from 'fast-string-width'
import { describe, expect, test } from 'vitest'
import { formatDiff } from './show-diff.ts'

const change = (before: string, after: string, columns = 60): string[] =>
  formatDiff(Buffer.from(before), Buffer.from(after), columns)

describe('what a fix changes', () => {
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
    expect(lines).toContain('- … and 184 bytes more')
    expect(lines.at(-1)).toBe('  ]')
  })

  test('a line of any length is cut', () => {
    for (const line of change(`${'x'.repeat(5000)}!`, 'x'.repeat(5000))) expect(line.length).toBeLessThanOrEqual(60)
  })

  test('of events that are left out no other line is said to go', () => {
    expect(change('[\n  1,\n  bad,\n  2\n]\n', '[\n  1,\n  2\n]\n')).toEqual(['    1,', '-   bad,', '    2'])
  })

  test('a byte order mark that goes', () => {
    expect(change('\ufeff[]', '[]')).toEqual(['- \ufffd[]', '+ []'])
  })
})

describe.each([80, 40])('a line that is wider than %d columns', columns => {
  /** The two lines, without their marks. */
  const pair = (before: string, after: string): [string, string] => {
    const lines = change(before, after, columns)
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
    const texts = ['- ', '+ '].map(mark => lines.find(line => line.startsWith(mark))?.slice(2) ?? '')
    return [texts[0] ?? '', texts[1] ?? '']
  }

  test('a comma at its end: the end is shown', () => {
    const long = 'x'.repeat(300)
    const [gone, come] = pair(`[\n${long},\n]\n`, `[\n${long}\n]\n`)
    expect(gone).toBe(`…${'x'.repeat(columns - 4)},`)
    expect(come).toBe(`…${'x'.repeat(columns - 4)}`)
  })

  test('a mark in its middle: both are cut on both sides, at the same columns', () => {
    const [gone, come] = pair(`${'x'.repeat(3000)}!${'y'.repeat(3000)}`, `${'x'.repeat(3000)}${'y'.repeat(3000)}`)
    expect(gone).toMatch(/^…x+!y+…$/)
    expect(come).toMatch(/^…x+y+…$/)
    expect(gone.indexOf('!')).toBe(come.indexOf('y'))
    expect(gone.length).toBe(come.length)
  })

  test('more goes than there is room for', () => {
    const [gone, come] = pair(`[${'x'.repeat(300)}${'bad'.repeat(900)}]`, `[${'x'.repeat(300)}]`)
    expect(gone).toMatch(/^…x+bad.*…$/)
    expect(come).toMatch(/^…x+\]$/)
    expect(gone.indexOf('b')).toBe(come.indexOf(']'))
  })

  test('only one of the two is too wide', () => {
    const [gone, come] = pair(`${'x'.repeat(columns - 10)}${'!'.repeat(300)}`, `${'x'.repeat(columns - 10)}`)
    expect(gone).toMatch(/^…x+!+…$/)
    expect(come).toBe(gone.replace(/!.*/, ''))
  })

  test('wide characters, and characters that begin with the same byte', () => {
    const [gone, come] = pair(`${'漢字'.repeat(300)}é${'字'.repeat(300)}`, `${'漢字'.repeat(300)}è${'字'.repeat(300)}`)
    expect(gone).toMatch(/^…[漢字]+é字+…$/)
    expect(come).toBe(gone.replace('é', 'è'))
  })

  test('escape sequences, and text that takes no room', () => {
    const [gone, come] = pair(`${'\u001b[2J'.repeat(100)}!`, '\u001b[2J'.repeat(100))
    expect(gone).toMatch(/^…[␛[2J]+␛\[2J!$/)
    expect(come).toBe(gone.slice(0, -1))
    const [marked] = pair(`!${'\u0301'.repeat(900)}`, '\u0301'.repeat(900))
    expect(marked).toMatch(/^!.*…$/)
  })

  test('what comes in a line of its own leaves the line before it as it is', () => {
    const long = 'x'.repeat(300)
    const stays = `  ${'x'.repeat(columns - 3)}…`
    expect(change(`[\n${long}`, `[\n${long}\n]\n`, columns)).toEqual([stays, '+ ]'])
    expect(change(`[\n${long}\nbad`, `[\n${long}`, columns)).toEqual([stays, '- bad'])
  })
})
