import { expect, test } from 'vitest'
import type { Finding } from '../../model/finding.ts'
import type { Place } from '../../model/message.ts'
import type { SpoolBatch } from './message-index.ts'
import { MessageIndex, OTHER_PLACE, otherPlaceKey } from './message-index.ts'
import { messageAt, placeFindings } from './places.ts'

const FILE = '/s.jsonl'

function batchOf(places: Place[], ids = places.map((_, at) => `id ${at}`)): SpoolBatch {
  const inFile = places.map(place => ('table' in place || place.file !== FILE ? undefined : place))
  return {
    offset: 0,
    shown: Int32Array.from(places, () => 10),
    whole: Int32Array.from(places, () => 0),
    starts: Float64Array.from(inFile, place => place?.start ?? 0),
    ends: Float64Array.from(inFile, place => place?.end ?? OTHER_PLACE),
    otherPlaces: places.flatMap(place => otherPlaceKey(place, FILE) ?? []),
    ids,
  }
}

function indexOf(...places: Place[]): MessageIndex {
  const index = new MessageIndex()
  index.add(batchOf(places))
  return index
}

const range = (start: number, end: number): Place => ({ file: FILE, start, end })
const finding = (at: Place): Finding => ({ damage: 'd', severity: 'lost', at, text: '', hint: '' })
const marked = (index: MessageIndex, ...places: Place[]) =>
  placeFindings(places.map(finding), index, FILE).map(({ message }) => message)

test('a finding is marked in the message around it, else before the next one in the file', () => {
  const index = indexOf(range(0, 10), range(20, 30), range(40, 50))
  expect(marked(index, range(45, 46), range(12, 15), range(20, 30), range(30, 31), range(60, 70))).toEqual([
    2,
    1,
    1,
    2,
    undefined,
  ])
})

test('messages need not be in the order of the file', () => {
  const index = indexOf(range(40, 50), range(0, 10), range(20, 30))
  expect(marked(index, range(12, 15), range(35, 36), range(5, 6))).toEqual([2, 0, 1])
  expect(messageAt(index, 29)).toBe(2)
  expect(messageAt(index, 100)).toBe(0)
})

test('findings in rows and in other files are marked where a message has the same place', () => {
  const row = (table: string, row: number): Place => ({ file: '/db', table, row })
  const index = indexOf(row('message', 7), { file: '/other.json', start: 0, end: 5 }, range(0, 10))
  expect(marked(index, row('message', 7), row('part', 7), { file: '/other.json', start: 3, end: 4 })).toEqual([
    0,
    undefined,
    1,
  ])
})

test('the same id again takes the place of the earlier one', () => {
  const index = indexOf(range(0, 10), range(20, 30))
  index.add({ ...batchOf([range(0, 40)], ['id 0']), offset: 500 })
  expect(index.length).toBe(2)
  expect(index.shown(0)).toEqual({ start: 500, length: 10 })
  expect(index.placeOf(0)).toEqual({ start: 0, end: 40 })
  expect(index.bytes).toBe(20)
})

test('a reading carries on an earlier one only if every index means the same message', () => {
  const places = Array.from({ length: 100 }, (_, at) => range(at * 10, at * 10 + 10))
  const before = indexOf(...places)
  expect(indexOf(...places, range(1000, 1010)).carriesOn(before)).toBe(true)
  expect(indexOf(...places.slice(0, 99)).carriesOn(before)).toBe(false)
  const ids = places.map((_, at) => (at === 98 ? 'another' : `id ${at}`))
  const other = new MessageIndex()
  other.add(batchOf(places, ids))
  expect(other.carriesOn(before)).toBe(false)
  expect(indexOf(...places.with(3, range(30, 41))).carriesOn(before)).toBe(false)
  expect(indexOf(...places.with(97, range(970, 981))).carriesOn(before)).toBe(true)
})
