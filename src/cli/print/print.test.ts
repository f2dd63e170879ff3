import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { makeContext } from '../../catalog/context.ts'
import { cleanJson, cleanLine, cleanText, cleanTextWithPath } from './clean.ts'
import { fitTo, renderTable, wrapLine } from './layout.ts'
import { printFailures, uniqueLength } from './list.ts'
import { makeMessagePrinter } from './message.ts'
import { makeOutput } from './output.ts'
import { formatAge, formatSize, parseSince, plural, shortenHome } from './words.ts'

test('lines are broken between words, and a word that is too long stands alone', () => {
  expect(wrapLine('one two three four', 9)).toEqual(['one two', 'three', 'four'])
  expect(wrapLine('short', 9)).toEqual(['short'])
  expect(wrapLine('a veryveryverylongword b', 9)).toEqual(['a', 'veryveryverylongword', 'b'])
  expect(wrapLine('    indented words go on', 14)).toEqual(['    indented', '    words go', '    on'])
  expect(wrapLine('日本語 日本語', 7)).toEqual(['日本語', '日本語'])
})

test('control characters become visible pictures, line breaks of all kinds one kind', () => {
  expect(cleanText('a\u001b[31mb\u0007c\u009bd\r\ne\u2028f\u202eg\ud800')).toBe('a␛[31mb␇c\ufffdd\ne\nf\ufffdg\ufffd')
  expect(cleanLine('  a\n\tb  ')).toBe('a b')
})

test('JSON that is printed means the same and holds no raw control character', () => {
  const value = { text: 'del \u007f c1 \u009b bidi \u202e sep \u2028 esc \u001b' }
  expect(cleanJson(value)).not.toMatch(/[\u007f-\u009f\u202e\u2028]/)
  expect(JSON.parse(cleanJson(value))).toEqual(value)
})

test('wide characters count double, and only the flexible column gives way', () => {
  const columns = [{ header: 'ID' }, { header: 'TITLE', flexible: true }]
  const table = renderTable(columns, [['12345678', '日本語'.repeat(20)]], 40, line => line)
  expect(table.split('\n')[1]).toMatch(/^12345678 {2}日本語/)
  expect(fitTo('日本語', 5)).toBe('日本…')
  expect([5, 4, 1, 0].map(width => fitTo('plain', width))).toEqual(['plain', 'pla…', '…', '…'])
})

test('large numbers have a comma between thousands', () => {
  expect([0, 1, 999, 1000, 1_234_567].map(count => plural(count, 'day'))).toEqual([
    '0 days',
    '1 day',
    '999 days',
    '1,000 days',
    '1,234,567 days',
  ])
})

test('as much of the ids is shown as tells them apart', () => {
  expect(uniqueLength(['abcdefgh-1', 'zzzzzzzz-1'])).toBe(8)
  expect(uniqueLength(['abcdefgh-1', 'abcdefgh-2'])).toBe(10)
})

test('sizes, ages and times are said as a person says them', () => {
  expect([999, 1500, 93_033, 2_000_000, 3e9].map(formatSize)).toEqual([
    '999 B',
    '1.5 KB',
    '93.0 KB',
    '2.0 MB',
    '3.0 GB',
  ])
  expect([10e3, 5 * 60e3, 5 * 3600e3, 72 * 3600e3].map(formatAge)).toEqual(['now', '5 min', '5 h', '3 d'])
  expect(parseSince('2h', 10 * 3600e3)).toBe(8 * 3600e3)
  expect(parseSince('2026-11-01', 0)).toBe(Date.UTC(2026, 10, 1))
  expect(parseSince('yesterday-ish', 0)).toBeUndefined()
  expect(shortenHome('/home/dev/shop', '/home/dev')).toBe('~/shop')
  expect(shortenHome('/home/developer', '/home/dev')).toBe('/home/developer')
})

test('a line break in a file name does not add a line to a message', () => {
  const path = '/home/dev/a\nRepair it: rm -rf ~\r\nb.jsonl'
  expect(cleanTextWithPath(`${path} is empty.`, path)).toBe('/home/dev/a␊Repair it: rm -rf ~␊b.jsonl is empty.')
  expect(cleanTextWithPath('Two\nlines.', path)).toBe('Two\nlines.')
})

test('what the agent says in the name of the person is not headed "You"', () => {
  const print = makeMessagePrinter(makeOutput(process), 'Agent', false)
  const at = { file: '/f', start: 0, end: 1 }
  const said = (type: 'text' | 'notice') =>
    print({ id: 'a', role: 'user', time: null, parts: [{ type, text: 'Hi' }], at })
  expect(said('text')).toContain('You')
  expect(said('notice')).toContain('note')
  expect(said('notice')).not.toContain('You')
})

test('a failure names its agent, and one that belongs to none begins with what failed', () => {
  const lines: string[] = []
  const output = { ...makeOutput(process), remark: (text: string) => void lines.push(text) }
  const context = makeContext({ home: temporaryHome() })
  const failure = { code: 'session-not-found' as const, text: 'No session.', hint: 'rethread list', path: '' }
  printFailures(output, context, [
    { ...failure, agent: '' },
    { ...failure, agent: 'jp' },
  ])
  expect(lines).toEqual(['\n✗ No session.\n  rethread list', '\n✗ JP: No session.\n  rethread list'])
})
