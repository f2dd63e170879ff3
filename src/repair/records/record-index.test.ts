import { expect, test } from 'vitest'
import type { RecordFacts } from './record-index.ts'
import { NONE, RecordIndex } from './record-index.ts'
import { RecordRows } from './record-rows.ts'

function indexOf(...records: RecordFacts[]): RecordIndex {
  const index = new RecordIndex()
  for (const [at, facts] of records.entries()) index.add(at * 10, at * 10 + 9, true, facts)
  return index
}

function toolsOf(index: RecordIndex): { record: number; isResult: boolean; key: number }[] {
  const tools: { record: number; isResult: boolean; key: number }[] = []
  index.eachTool((record, isResult, key) => tools.push({ record, isResult, key }))
  return tools
}

test('a parent is found wherever in the file it is', () => {
  const index = indexOf({ kind: 'talk', id: 'b', parent: 'a' }, { kind: 'talk', id: 'a', parent: null })
  expect([index.parent(0), index.parent(1)]).toEqual([1, NONE])
  expect([index.isOrphan(0), index.isOrphan(1)]).toEqual([false, false])
})

test('a parent that is nowhere makes an orphan', () => {
  const index = indexOf({ kind: 'talk', id: 'b', parent: 'gone' })
  expect(index.isOrphan(0)).toBe(true)
  expect(index.parent(0)).toBe(NONE)
})

test('of several records with one id the last counts', () => {
  const index = indexOf({ kind: 'talk', id: 'a' }, { kind: 'talk', id: 'b', parent: 'a' }, { kind: 'talk', id: 'a' })
  expect(index.parent(1)).toBe(2)
  expect([0, 1, 2].map(record => index.isSuperseded(record))).toEqual([true, false, false])
})

test('a record without an id, a parent or a group has none', () => {
  const index = indexOf({ kind: 'other' })
  expect([index.hasId(0), index.namesParent(0), index.group(0), index.role(0)]).toEqual([
    false,
    false,
    undefined,
    undefined,
  ])
})

test('records of one group share a number, others do not', () => {
  const index = indexOf({ kind: 'talk', group: 'm1' }, { kind: 'talk', group: 'm1' }, { kind: 'talk', group: 'm2' })
  expect(index.group(0)).toBe(index.group(1))
  expect(index.group(0)).not.toBe(index.group(2))
})

test('calls and results have one key', () => {
  const index = indexOf({ kind: 'talk', calls: ['t1', 't2'] }, { kind: 'talk', results: ['t2'] })
  const tools = toolsOf(index)
  expect(tools.map(({ record, isResult }) => [record, isResult])).toEqual([
    [0, false],
    [0, false],
    [1, true],
  ])
  expect(tools[1]?.key).toBe(tools[2]?.key)
  expect(tools[0]?.key).not.toBe(tools[2]?.key)
})

test('what shares its line with something else is not there for the agent', () => {
  const index = new RecordIndex()
  index.add(0, 9, false, { kind: 'talk', id: 'a', calls: ['t'] })
  index.add(10, 19, true, { kind: 'talk', id: 'b', parent: 'a', role: 'assistant', time: 7, results: ['t'] })
  const seen = index.onlyWhole()
  expect(seen.length).toBe(1)
  expect([seen.start(0), seen.role(0), seen.time(0), seen.isOrphan(0)]).toEqual([10, 'assistant', 7, true])
  expect(toolsOf(seen).map(({ record, isResult }) => [record, isResult])).toEqual([[0, true]])
})

test('a hundred thousand records are all found again', () => {
  const index = new RecordIndex()
  for (let at = 0; at < 100_000; at++)
    index.add(at, at + 1, true, { kind: 'talk', id: `id ${at}`, parent: `id ${at - 1}` })
  for (let at = 1; at < 100_000; at += 997) expect(index.parent(at)).toBe(at - 1)
  expect(index.find('id 100000')).toBe(NONE)
})

test('where the last record of an id is not there for the agent, the one before it counts', () => {
  const index = new RecordIndex()
  index.add(0, 9, true, { kind: 'talk', id: 'a' })
  index.add(10, 19, true, { kind: 'talk', id: 'a' })
  index.add(20, 29, true, { kind: 'talk', id: 'b', parent: 'a' })
  index.add(30, 39, false, { kind: 'talk', id: 'a' })
  expect([0, 1, 2, 3].map(record => index.isSuperseded(record))).toEqual([true, true, false, false])
  expect([index.parent(2), index.find('a')]).toEqual([3, 3])
  const seen = index.onlyWhole()
  expect([0, 1, 2].map(record => seen.isSuperseded(record))).toEqual([true, false, false])
  expect([seen.parent(2), seen.find('a')]).toEqual([1, 1])
})

test('a key is the same in an index and in what the agent sees of it, also for an id that no record has', () => {
  const index = new RecordIndex()
  index.add(0, 9, false, { kind: 'talk', group: 'hidden' })
  index.add(10, 19, true, { kind: 'talk', group: 'seen', calls: ['t'] })
  const seen = index.onlyWhole()
  expect(seen.group(0)).toBe(index.keyOf('seen'))
  expect(toolsOf(seen).map(({ key }) => key)).toEqual([index.keyOf('t')])
  expect(seen.keyOf('new')).toBe(index.keyOf('new'))
  expect(index.keyOf('new')).toBeLessThan(seen.keyLimit)
})

/** The same rows, stored and restored. */
function stored({ rows }: RecordIndex): RecordIndex {
  const mark = rows.mark()
  const pieces = [...rows.bytes(mark)].map(piece => Uint8Array.from(piece))
  const again = new RecordRows(rows.seeds)
  again.restore(mark, structuredClone(rows.extra(mark)), bytes => bytes.set(pieces.shift() ?? []))
  return new RecordIndex(again)
}

test('places beyond four gigabytes are kept exactly, and after a restore', () => {
  const starts = [0, 4e9, 2 ** 32 - 1, 2 ** 32, 5e9, 13e9]
  const index = new RecordIndex()
  for (const start of starts) index.add(start, start + 100, true, { kind: 'talk' })
  for (const each of [index, stored(index)])
    expect(starts.map((_, record) => [each.start(record), each.end(record)])).toEqual(starts.map(at => [at, at + 100]))
})

test('times of any kind are kept exactly, and after a restore', () => {
  const times = [1.7e12, 0, -1, -62_135_596_800_000, 8.64e15, -8.64e15, 1.7e12 + 0.5, 2 ** 32, Number.NaN]
  const index = new RecordIndex()
  for (const [at, time] of times.entries()) index.add(at * 10, at * 10 + 9, true, { kind: 'talk', time })
  for (const each of [index, stored(index)]) expect(times.map((_, record) => each.time(record))).toEqual(times)
})

test('an index whose tables were released still finds ids, parents and keys', () => {
  const index = indexOf(
    { kind: 'talk', id: 'b', parent: 'a', calls: ['t'] },
    { kind: 'talk', id: 'a', parent: null },
    { kind: 'other' },
    { kind: 'talk', id: 'b', parent: 'a', results: ['t'] },
  )
  const [{ key } = { key: NONE }] = toolsOf(index)
  index.rows.releaseTables()
  expect([0, 1, 2, 3].map(record => index.parent(record))).toEqual([1, NONE, NONE, 1])
  expect([index.find('b'), index.find('a'), index.find(''), index.latest(0)]).toEqual([3, 1, NONE, 3])
  expect([index.keyOf('t'), index.keyOf('another')]).toEqual([key, index.keyLimit - 1])
})
