import { describe, expect, test } from 'vitest'
import {
  linkedLog,
  linkedSubject,
  loadedIds,
  parentsOf,
  repairLinks,
  uuid,
} from '../../../../test/support/linked-log.ts'
import { brokenParent } from '../broken-parent/index.ts'
import { secondRoot } from './index.ts'

const VERSIONS = ['2.0.14', '2.1.25', '2.1.325']
const repair = (text: string, version = '2.0.14') => repairLinks(text, [brokenParent, secondRoot], version)

describe.each(VERSIONS)('a resume by %s', version => {
  test.each([
    ['a prompt', 'u1 a1 u2 a2 u3<- a3', 'u3 a3'],
    ['an answer', 'u1 a1 u2 a2<- u3 a3', 'a2 u3 a3'],
  ])('begins at %s that names no parent, and reaches all after the repair', async (_, words, before) => {
    expect(loadedIds(linkedSubject(linkedLog(words), version))).toBe(before)
    const { found, text } = await repair(linkedLog(words), version)
    expect(found).toEqual(['second-root'])
    expect(loadedIds(linkedSubject(text, version))).toBe('u1 a1 u2 a2 u3 a3')
  })
})

test('a field that is absent is put in, and every other byte stays', async () => {
  const field = `"parentUuid":"${uuid('a1')}",`
  const healthy = linkedLog('u1 a1 u2 a2')
  const { text } = await repair(healthy.replace(field, ''))
  expect(text).toBe(healthy)
})

test('several are linked at once', async () => {
  const { text } = await repair(linkedLog('u1 a1 u2<- a2 u3<- a3'))
  expect(parentsOf(text)).toBe('u1<- a1<u1 u2<a1 a2<u2 u3<a2 a3<u3')
})

test.each([
  ['the beginning after a compaction', 'u1 a1 b1 u2 a2'],
  ['a root after a compaction', 'u1 a1 b1 u2<- a2'],
  ['what a sub-agent was asked', 'u1 a1 ~u8<- ~a8 u2<a1 a2'],
  ['a note that nothing was said behind', 'u1 a1 s9<- u2<a1 a2'],
  ['a root that stands behind what goes on from it', 'a1<u1@2 u1<-@1 u2<a1@3 a2@4'],
])('%s is none', async (_, words) => {
  expect((await repair(linkedLog(words))).found).toEqual([])
})

test('a first prompt that is written a second time is none', async () => {
  const text = linkedLog('u1 a1 u2 a2')
  expect((await repair(`${text}${text.split('\n')[0]}\n`)).found).toEqual([])
})

test('a person who went back to before the first message began again', async () => {
  const restart = `${JSON.stringify({ type: 'last-prompt', leafUuid: null, explicit: true, sessionId: 's' })}\n`
  const text = `${linkedLog('u1 a1')}${restart}${linkedLog('u2<- a2')}`
  expect((await repair(text)).found).toEqual([])
})
