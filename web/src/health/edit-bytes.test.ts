import { expect, test } from 'vitest'
import type { ApiEdit } from '../../../src/server/protocol.ts'
import { editBytes, shared } from './edit-bytes.ts'

function edit(facts: { old: string; new: string; start?: number } & Partial<ApiEdit>): ApiEdit {
  const start = facts.start ?? 100
  return {
    end: start + facts.old.length,
    oldLength: facts.old.length,
    newLength: facts.new.length,
    damage: 'broken-parent',
    reason: '',
    ...facts,
    start,
    old: btoa(facts.old),
    new: btoa(facts.new),
    before: btoa(facts.before ?? '"id":"'),
    after: btoa(facts.after ?? '"}'),
  }
}

const textOf = (rows: ReturnType<typeof editBytes>['before']['rows'], isMarked?: boolean) =>
  rows
    .flatMap(({ cells }) => cells)
    .filter(cell => cell !== undefined && (isMarked === undefined || cell.isMarked === isMarked))
    .map(cell => cell?.text)
    .join('')

test('both sides stand in their surroundings, and only what differs is marked', () => {
  const { before, after } = editBytes(edit({ old: 'aaXXbb', new: 'aaYYYbb' }), 8)
  expect(textOf(before.rows)).toBe('"id":"aaXXbb"}')
  expect(textOf(after.rows)).toBe('"id":"aaYYYbb"}')
  expect(textOf(before.rows, true)).toBe('XX')
  expect(textOf(after.rows, true)).toBe('YYY')
})

test('bytes that were not sent are counted, and what follows them stands at its own place', () => {
  const { before } = editBytes(edit({ old: 'abcd', new: '', oldLength: 1000, start: 16 }), 8)
  expect(before.hidden).toBe(996)
  expect(textOf(before.rows, true)).toBe('abcd')
  expect(before.rest[0]?.offset).toBe(1016)
  expect(textOf(before.rest)).toBe('"}')
})

test('nothing is marked on the side that has nothing', () => {
  const { after } = editBytes(edit({ old: 'gone', new: '' }), 8)
  expect(textOf(after.rows, true)).toBe('')
  expect(textOf(after.rows)).toBe('"id":""}')
})

test('a repetition is not taken for the beginning and the end at once', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(shared(bytes('aa'), bytes('aaa'))).toEqual({ first: 2, last: 0 })
})
