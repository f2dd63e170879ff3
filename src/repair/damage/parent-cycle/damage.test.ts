import { expect, test } from 'vitest'
import { linkedLog, linkedSubject, loadedIds, parentsOf, repairLinks } from '../../../../test/support/linked-log.ts'
import { NONE, RecordIndex } from '../../records/record-index.ts'
import { brokenParent } from '../broken-parent/index.ts'
import { Forest, findCycles } from '../shared/link-forest.ts'
import { chooseParents } from '../shared/new-parents.ts'
import { parentCycle } from './index.ts'

const OLD = '2.0.14'
const NEW = '2.1.325'
const WHOLE = 'u1 a1 u2 a2 u3 a3'

test.each([
  ['a record that is its own parent', 'u1 a1 u2<u2 a2 u3 a3'],
  ['a root that is its own parent', 'u1<u1 a1 u2 a2 u3 a3'],
  ['the last record as its own parent', 'u1 a1 u2 a2 u3 a3<a3'],
  ['a circle of two', 'u1 a1 u2<a2 a2 u3 a3'],
  ['a circle of all', 'u1<a3 a1 u2 a2 u3 a3'],
  ['a circle before the end', 'u1<a2 a1 u2 a2 u3 a3'],
  ['a circle from the middle to the end', 'u1 a1 u2<a3 a2 u3 a3'],
  ['two circles', 'u1<a1 a1 u2<a2 a2 u3<a2 a3'],
])('%s is cut, and both the hanging and the healing agent load all', async (_, words) => {
  const broken = linkedLog(words)
  expect(loadedIds(linkedSubject(broken, OLD))).toBe('')
  const { found, text } = await repairLinks(broken, [parentCycle, brokenParent], OLD)
  expect(new Set(found)).toEqual(new Set(['parent-cycle']))
  expect(text).toHaveLength(broken.length)
  for (const version of [OLD, NEW]) expect(loadedIds(linkedSubject(text, version))).toBe(WHOLE)
})

test('a circle is cut at the record whose parent comes later, and there alone', async () => {
  const { found, text } = await repairLinks(linkedLog('u1 a1 u2<u3 a2 u3 a3'), [parentCycle], OLD)
  expect(found).toHaveLength(1)
  expect(parentsOf(text)).toBe('u1<- a1<u1 u2<a1 a2<u2 u3<a2 a3<u3')
})

test('of two records whose parents stand later in the file, the one that is also earlier by the clock is cut', async () => {
  const { text } = await repairLinks(linkedLog('u1@0 u3<a2@3 a1<a3@1 u2<a1@2 a2<u2@2.5 a3<u3@4'), [parentCycle], OLD)
  expect(parentsOf(text)).toBe('u1<- u3<a2 a1<u1 u2<a1 a2<u2 a3<u3')
})

test('a circle beside the conversation is cut too', async () => {
  const { text } = await repairLinks(linkedLog('u1 a1 ~u8<a8 ~a8 u2 a2'), [parentCycle], OLD)
  expect(parentsOf(text)).toContain('u8<-')
})

test('a circle through progress is cut at what was said', async () => {
  const { text } = await repairLinks(linkedLog('u1 a1 u2<p2 a2 p2'), [parentCycle], '2.1.25')
  expect(parentsOf(text)).toBe('u1<- a1<u1 u2<a1 a2<u2 p2<a2')
})

test('a circle and a missing parent are repaired together without a new circle', async () => {
  const { text } = await repairLinks(linkedLog('u1<a2 a1 u2 a2 u3<? a3'), [parentCycle, brokenParent], OLD)
  expect(loadedIds(linkedSubject(text, OLD))).toBe(WHOLE)
  expect((await repairLinks(text, [parentCycle, brokenParent], OLD)).found).toEqual([])
})

test('a link to what comes later is cut too where a missing parent has opened its circle', async () => {
  const { found, text } = await repairLinks(linkedLog('u1 a1 u2<u3 a2 u3<? a3'), [parentCycle, brokenParent], OLD)
  expect(new Set(found)).toEqual(new Set(['parent-cycle', 'broken-parent']))
  expect(loadedIds(linkedSubject(text, OLD))).toBe(WHOLE)
})

test('an opened cycle does not hang where the agent has a fallback', async () => {
  const words = 'u1@0 a1<a3@3 u2@10 a2@77 u3<?@80 a3@81'
  const { text } = await repairLinks(linkedLog(words), [parentCycle, brokenParent], NEW)
  expect(loadedIds(linkedSubject(text, NEW))).toBe(WHOLE)
})

/** The parent of each record is the one before it; that of the first is `first`. */
function longChain(length: number, first: string): RecordIndex {
  const index = new RecordIndex()
  for (let record = 0; record < length; record++) {
    const parent = record === 0 ? first : `id-${record - 1}`
    index.add(record * 10, record * 10 + 9, true, { kind: 'talk', role: 'user', id: `id-${record}`, parent })
  }
  return index
}

test('a circle of very many records is found once, without recursion', () => {
  const length = 100_000
  const index = longChain(length, `id-${length - 1}`)
  expect(findCycles(index)).toEqual([0])
  expect(chooseParents(index, [0]).parents).toEqual(new Map([[0, NONE]]))
})

test('very many broken links are planned in one pass', () => {
  const length = 50_000
  const index = new RecordIndex()
  for (let record = 0; record < length; record++)
    index.add(record * 10, record * 10 + 9, true, { kind: 'talk', id: `id-${record}`, parent: `gone-${record}` })
  const all = Array.from({ length }, (_, record) => record)
  const { parents } = chooseParents(index, all)
  expect(all.every(record => parents.get(record) === record - 1)).toBe(true)
})

test('trees grow together as records find new parents', () => {
  const index = longChain(6, 'gone')
  const forest = new Forest(index, new Set([0, 3]))
  expect([forest.top(2), forest.top(5)]).toEqual([0, 3])
  forest.join(3, 2)
  expect(forest.top(5)).toBe(0)
})
