import { expect, test } from 'vitest'
import { linkedLog, linkedSubject, loadedIds, parentsOf, repairLinks } from '../../../../test/support/linked-log.ts'
import { brokenParent } from '../broken-parent/index.ts'
import { progressParent } from './index.ts'

const OLD = '2.0.14'
const WHOLE = 'u1 a1 u2 a2 u3 a3'

test('for an agent that does not know progress, links are moved past it', async () => {
  const broken = linkedLog('u1 a1 u2 a2 p1 p2 u3 a3')
  expect(loadedIds(linkedSubject(broken, OLD))).toBe('u3 a3')
  const { found, text } = await repairLinks(broken, [progressParent], OLD)
  expect(found).toEqual(['progress-parent'])
  expect(parentsOf(text)).toBe('u1<- a1<u1 u2<a1 a2<u2 p1<a2 p2<p1 u3<a2 a3<u3')
  expect(text).toHaveLength(broken.length)
  expect(loadedIds(linkedSubject(text, OLD))).toBe(WHOLE)
})

test('all links through progress on the way are moved at once', async () => {
  const words = Array.from({ length: 12 }, (_, turn) => `u${turn} a${turn} p${turn}`).join(' ')
  const { found, text } = await repairLinks(linkedLog(words), [progressParent], OLD)
  expect(found).toHaveLength(11)
  expect(loadedIds(linkedSubject(text, OLD)).split(' ')).toHaveLength(24)
})

test.each(['2.1.25', '2.1.30', '2.1.85', '2.1.325'])('%s knows progress, so nothing is wrong', async version => {
  const subject = linkedSubject(linkedLog('u1 a1 u2 a2 p1 p2 u3 a3'), version)
  expect(await progressParent.detect(subject)).toEqual([])
})

test('without an installed agent, the version that wrote last decides', async () => {
  const words = 'u1 a1 p1 u2 a2'
  expect(await progressParent.detect(linkedSubject(linkedLog(words, { version: '2.1.25' })))).toEqual([])
  expect(await progressParent.detect(linkedSubject(linkedLog(words, { version: OLD })))).toHaveLength(1)
})

test('progress beside the way, and links on a dead branch, are left alone', async () => {
  const words = 'u1 a1 p1 u2<a1 a2 p2 u3<p2 a3 u4<a1 a4'
  expect(await progressParent.detect(linkedSubject(linkedLog(words), OLD))).toEqual([])
})

test('where progress is known only before its child, one behind it is passed', async () => {
  const words = 'u1 a1 p1 u2 a2 u3<p9 a3 p9<a2@270'
  const { found, text } = await repairLinks(linkedLog(words), [progressParent], '2.1.325')
  expect(found).toHaveLength(1)
  expect(parentsOf(text)).toContain('u3<a2')
  expect(parentsOf(text)).toContain('u2<p1')
})

test('progress whose own parent is missing is repaired first', async () => {
  const { found, text } = await repairLinks(linkedLog('u1 a1 u2 a2 p1<? u3 a3'), [brokenParent, progressParent], OLD)
  expect(new Set(found)).toEqual(new Set(['broken-parent', 'progress-parent']))
  expect(loadedIds(linkedSubject(text, OLD))).toBe(WHOLE)
})

test('progress that nothing stands before costs nothing', async () => {
  expect(await progressParent.detect(linkedSubject(linkedLog('p1 u1 a1'), OLD))).toEqual([])
})

test('progress that runs in a circle does not hang', async () => {
  expect(await progressParent.detect(linkedSubject(linkedLog('u1 p1<p2 p2 u2 a2'), OLD))).toEqual([])
})

test('a progress record that is its own parent does not move others', async () => {
  expect(await progressParent.detect(linkedSubject(linkedLog('u1 a1 p1<p1 u2 a2 p2 u3 a3'), '2.1.60'))).toEqual([])
})
