import { expect, test } from 'vitest'
import type { ApiFinding } from '../../../src/server/protocol.ts'
import { damageWords, fileName, groupFindings, placeWords } from './finding-groups.ts'

function finding(damage: string, start = 0): ApiFinding {
  return { damage, severity: 'lost', at: { file: '/a/b.jsonl', start, end: start + 36 }, text: '', hint: '' }
}

test('few findings are one list without a heading, in their order', () => {
  const few = [finding('torn-tail'), finding('broken-parent')]
  expect(groupFindings(few)).toEqual([{ damage: '', findings: few }])
  expect(groupFindings([])).toEqual([])
})

test('many findings are grouped by what is wrong, the most frequent first', () => {
  const many = ['a', 'b', 'b', 'a', 'b', 'b', 'c'].map((damage, at) => finding(damage, at))
  expect(groupFindings(many).map(({ damage, findings }) => [damage, findings.length])).toEqual([
    ['b', 4],
    ['a', 2],
    ['c', 1],
  ])
})

test('places and names are said in words', () => {
  expect(placeWords({ file: 'x', start: 1204, end: 1240 })).toBe('from byte 1,204, 36 bytes')
  expect(placeWords({ file: 'x', start: 7, end: 7 })).toBe('before byte 7')
  expect(placeWords({ file: 'x', table: 'message', row: 5 })).toBe('row 5 of message')
  expect(damageWords('broken-parent')).toBe('broken parent')
  expect(fileName('C:\\sessions\\one.jsonl')).toBe('one.jsonl')
})
