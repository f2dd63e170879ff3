import { describe, expect, test } from 'vitest'
import { linkedLog, linkedSubject, loadedIds, repairLinks } from '../../../../test/support/linked-log.ts'
import { wrongTime } from './index.ts'

const OLD = ['2.0.14', '2.1.25']
const NEW = '2.1.325'
const ALL = 'u1 a1 u2 a2 u3 a3'
const repair = (text: string, version: string) => repairLinks(text, [wrongTime], version)
const setTime = (text: string, line: number, time: string): string =>
  text
    .split('\n')
    .map((record, place) => (place === line ? record.replace(/,"timestamp":"[^"]*"/, time) : record))
    .join('\n')

describe.each(OLD)('where %s takes the newest record for the end', version => {
  test.each([
    ['a message an hour ahead', 'u1 a1 u2@3600 a2 u3 a3', 'u1 a1 u2'],
    ['several messages an hour ahead', 'u1 a1@3600 u2@3660 a2 u3 a3', 'u1 a1 u2'],
    ['the last messages an hour behind', 'u1 a1 u2 a2 u3@-3600 a3@-3540', 'u1 a1 u2 a2'],
    ['a note of the agent ahead', 'u1 a1 s9<u1@3600 u2<a1 a2 u3 a3', 'u1 s9'],
  ])('%s hides what was said after it, until it is dated as its neighbours are', async (_, words, before) => {
    const broken = linkedLog(words)
    expect(loadedIds(linkedSubject(broken, version))).toBe(before)
    const { found, text } = await repair(broken, version)
    expect(new Set(found)).toEqual(new Set(['wrong-time']))
    expect(loadedIds(linkedSubject(text, version))).toBe(ALL)
    expect(text).toHaveLength(broken.length)
  })

  test.each([
    ['is not one', ',"timestamp":"yesterday"'],
    ['is absent', ''],
    ['is a number', ',"timestamp":7'],
  ])('a first time that %s hides everything else', async (_, time) => {
    const broken = setTime(linkedLog(ALL), 0, time)
    expect(loadedIds(linkedSubject(broken, version))).toBe('u1')
    const { text } = await repair(broken, version)
    expect(loadedIds(linkedSubject(text, version))).toBe(ALL)
  })
})

test.each(OLD)('%s is led astray by a second time that is not one', async version => {
  const broken = setTime(linkedLog(ALL), 1, ',"timestamp":"yesterday"')
  expect(loadedIds(linkedSubject(broken, version))).toBe('u1')
  expect(loadedIds(linkedSubject((await repair(broken, version)).text, version))).toBe(ALL)
})

test('fewest records are dated otherwise', async () => {
  const { found } = await repair(linkedLog('u1 a1 u2 a2@9000 u3 a3 u4 a4'), '2.1.25')
  expect(found).toEqual(['wrong-time'])
})

test('a last message without a time is not found by newer versions, until it has one', async () => {
  const broken = setTime(linkedLog(ALL), 5, ',"timestamp":"yesterday"')
  expect(loadedIds(linkedSubject(broken, NEW))).toBe('')
  const { text } = await repair(broken, NEW)
  expect(loadedIds(linkedSubject(text, NEW))).toBe(ALL)
})

test.each([
  ['newer versions go by the order of the file', 'u1 a1 u2@3600 a2 u3 a3', NEW],
  ['the time of a middle message does not matter where it is early', 'u1 a1 u2@-50 a2 u3 a3', '2.1.25'],
])('%s: nothing is wrong', async (_, words, version) => {
  expect((await repair(linkedLog(words), version)).found).toEqual([])
})
