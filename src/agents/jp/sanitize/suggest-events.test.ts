// The fixes that are suggested for damaged events, and exactly which bytes they cost.
import { describe, expect, test } from 'vitest'
import { suggestEvents } from './events-problem.ts'

const A = '{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"}'
const B = '{"timestamp":"2026-11-01 10:00:00.0","type":"never seen","n":1.0,"big":12345678901234567890,"t":"// , ]"}'
const BAD = '{"timestamp":"2026-11-01 10:00:00.0","type":"chat_request","content":null}'

describe('suggested', () => {
  test.each([
    ['a trailing comma', `[${A},${B},]`, `[${A},${B}]`, 'remove the trailing comma', 1],
    [
      'a comma in an event',
      `[${A},{"type":"x","timestamp":"",}]`,
      `[${A},{"type":"x","timestamp":""}]`,
      'remove the trailing comma',
      1,
    ],
    ['no bracket at the end', `[\n  ${A},\n  ${B}\n`, `[\n  ${A},\n  ${B}\n]\n`, 'add the missing ] at the end', 1],
    ['no bracket at the beginning', `${A},${B}]`, `[${A},${B}]`, 'add the missing [ at the beginning', 0],
    ['a cut end', `[${A},${B},{"timest`, `[${A},${B}\n]\n`, 'keep the first 2 events and cut the last 9 bytes', 9],
    ['comments', `// a\n[${A}, /* b */ ${B}] // c`, `\n[${A},  ${B}] `, 'remove the comments', 15],
    ['a byte order mark', `\ufeff[${A}]\n`, `[${A}]\n`, 'remove the byte order mark', 3],
    ['NULs at the end', `[${A}]\n\0\0\0`, `[${A}]\n`, 'remove the NUL bytes', 3],
    ['something behind the end', `[${A}] rest`, `[${A}]\n`, 'remove what follows the end', 5],
    [
      'a second list behind the end',
      `[${A}][${B},${A}]`,
      `[\n  ${A},\n  ${B},\n  ${A}\n]\n`,
      'keep the 3 events that are complete',
      0,
    ],
    [
      'a list in an object',
      `{"events":[${A},${B}]}`,
      `[\n  ${A},\n  ${B}\n]\n`,
      'keep the 2 events that are complete',
      13,
    ],
    [
      'a field that JP refuses and does not need',
      `[${A.replace('}', ',"metadata":5}')},${B}]`,
      `[\n  ${A},\n  ${B}\n]\n`,
      'keep the 2 events that are complete, 1 of them without what JP refuses',
      0,
    ],
    [
      'a field that occurs twice',
      `[${A.replace('}', ',"type":"turn_start"}')},${B}]`,
      `[\n  ${A},\n  ${B}\n]\n`,
      'keep the 2 events that are complete, 1 of them without what JP refuses',
      0,
    ],
    [
      'an event without its end',
      `[${A.slice(0, -1)},${B},${A}]`,
      `[\n  ${A},\n  ${B},\n  ${A}\n]\n`,
      'keep the 3 events that are complete, 1 of them without what JP refuses',
      0,
    ],
    [
      'an overwritten beginning',
      `[${'x"{ '.repeat(9)}${A},${B}]`,
      `[\n  ${A},\n  ${B}\n]\n`,
      'keep the 2 events that are complete',
      37,
    ],
    ['no comma between two', `[${A}${B}]`, `[${A},\n  ${B}]`, 'put one comma between events', 0],
    ['an event that is not JSON', `[${A},{"a":},${B}]`, `[${A},${B}]`, 'leave out event [1]', 7],
    [
      'an event that JP cannot load',
      `[${BAD},${A},${BAD},${B}]`,
      `[${A},${B}]`,
      'leave out events [0], [2]',
      2 * BAD.length + 2,
    ],
    [
      'half a character',
      `[${A},${BAD.replace('null', '"a\\ud800b \\\\ud800"')}]`,
      `[\n  ${A},\n  ${BAD.replace('null', '"a\\ufffdb \\\\ud800"')}\n]\n`,
      'keep the 2 events that are complete, 1 of them without what JP refuses',
      0,
    ],
  ])('%s', (_, bytes, wanted, text, lost) => {
    const suggestion = suggestEvents(Buffer.from(bytes))
    expect(suggestion?.bytes.toString()).toBe(wanted)
    expect(suggestion?.text).toBe(text)
    expect(suggestion?.removals.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(lost)
  })
})

test.each(['', ' ', '[', '{}', 'null', '[1]', '"text"', `[${BAD}]`, 'garbage'])(
  'nothing is suggested for %j',
  bytes => {
    expect(suggestEvents(Buffer.from(bytes))).toBeUndefined()
  },
)

test('nothing is suggested for sound events', () => {
  expect(suggestEvents(Buffer.from(`[${A},${B}]`))).toBeUndefined()
})

test.each(['utf16le', 'utf16be'] as const)('events stored as %s are converted', name => {
  const little = Buffer.from(`\ufeff[${A},${B}]`, 'utf16le')
  const bytes = name === 'utf16le' ? little : Buffer.from(little).swap16()
  expect(suggestEvents(bytes)).toMatchObject({
    text: 'convert the file from UTF-16',
    bytes: Buffer.from(`[${A},${B}]`),
  })
  expect(suggestEvents(bytes.subarray(2, -2))?.text).toContain('convert the file from UTF-16')
})
