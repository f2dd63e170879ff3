import { describe, expect, test } from 'vitest'
import {
  linkedLog,
  linkedSubject,
  loadedIds,
  parentsOf,
  repairLinks,
  uuid,
} from '../../../../test/support/linked-log.ts'
import type { LogSubject } from '../damage.ts'
import { brokenParent } from './index.ts'

const OLD = '2.0.14'
const NEW = '2.1.325'
const repairOne = (words: string, version = OLD) => repairLinks(linkedLog(words), [brokenParent], version)
const parentAfter = async (words: string, id: string): Promise<string | undefined> => {
  const { text } = await repairOne(words)
  return parentsOf(text)
    .split(' ')
    .find(link => link.startsWith(`${id}<`))
}

test('a record whose parent is nowhere goes on from the one before it, and the agent loads all', async () => {
  const broken = linkedLog('u1 a1 u2 a2 u3<? a3')
  expect(loadedIds(linkedSubject(broken, OLD))).toBe('u3 a3')
  const { found, text } = await repairOne('u1 a1 u2 a2 u3<? a3')
  expect(found).toEqual(['broken-parent'])
  expect(parentsOf(text)).toBe('u1<- a1<u1 u2<a1 a2<u2 u3<a2 a3<u3')
  expect(loadedIds(linkedSubject(text, OLD))).toBe('u1 a1 u2 a2 u3 a3')
})

test('the edit is as long as what it replaces, and every other byte stays', async () => {
  const broken = linkedLog('u1 a1 u2<?x a2')
  const { text } = await repairOne('u1 a1 u2<?x a2')
  expect(text).toBe(broken.replace(uuid('?x'), uuid('a1')))
})

test('with nothing before it the record becomes a root, in the same width', async () => {
  const broken = linkedLog('u1<? a1')
  const { text } = await repairOne('u1<? a1')
  expect(text).toBe(broken.replace(`"${uuid('?')}"`, `null${' '.repeat(34)}`))
})

test('a parent that is no id at all is replaced too', async () => {
  const broken = linkedLog('u1 a1 u2').replace(`"parentUuid":"${uuid('a1')}"`, '"parentUuid":7')
  const { text } = await repairLinks(broken, [brokenParent])
  expect(parentsOf(text)).toBe('u1<- a1<u1 u2<a1')
})

describe('the new parent', () => {
  test.each([
    ['is of the same lane', 'u1 a1 ~u8<- ~a8 u2<? a2', 'u2', 'u2<a1'],
    ['is of the same sidechain', 'u1 a1 ~u8<- ~a8 u2 a2 ~u9<?', 'u9', 'u9<a8'],
    ['is none in an empty sidechain', 'u1 a1 ~u9<? ~a9', 'u9', 'u9<-'],
    ['is never progress', 'u1 a1 p1 p2 u2<? a2', 'u2', 'u2<a1'],
    ['can be a note that leads back to what was said last', 'u1 a1 s1 x2 u2<? a2', 'u2', 'u2<x2'],
    ['is no note on something that was said long before', 'u1 a1 u2 a2 s9<u1 u3<? a3', 'u3', 'u3<a2'],
    ['is on the branch that the conversation had gone on with', 'u1 a1 u2 a2 u3<a1 a3 u4<? a4', 'u4', 'u4<a3'],
    ['is not beyond a compaction', 'u1 a1 b1 u2<? a2', 'u2', 'u2<b1'],
    ['is not beyond a compaction for a sidechain either', '~u8 ~a8 b1 u1 ~u9<?', 'u9', 'u9<-'],
    ['is what stands behind the compaction', 'u1 a1 b1 u2 a2 u3<? a3', 'u3', 'u3<a2'],
    ['of a result is its call', 'u1 c1#M c2#M r1<c1 r2<?=c2 a2', 'r2', 'r2<c2'],
    [
      'of a result is the result before it where these follow each other',
      'u1 c1#M c2#M r1=c1 r2<?=c2 a2',
      'r2',
      'r2<r1',
    ],
    ['of a result is not a call beyond a compaction', 'u1 c1 b1 u2 r1<?=c1', 'r1', 'r1<u2'],
    ['is no record that was written again later', 'u1 a1 u2<? a2 a1<u1', 'u2', 'u2<u1'],
    ['of progress is what it reports on', 'u1 a1 p1<? u2<a1', 'p1', 'p1<a1'],
  ])('%s', async (_, words, id, link) => expect(await parentAfter(words, id)).toBe(link))

  test('never descends from the record itself', async () => {
    // Parents may stand later in the file: here everything before the broken record hangs on it.
    expect(await parentAfter('u2<u1@2 a2<u2@3 u1<?@1 a1@4', 'u1')).toBe('u1<-')
    expect(await parentAfter('u0@0 a2<u1@2 u1<?@1 a1@3', 'u1')).toBe('u1<u0')
  })

  test('of several broken records never makes a circle', async () => {
    const { text } = await repairOne('u3<? a1<? u1<a1 a3<u3 u4<? a4')
    expect((await repairLinks(text, [brokenParent], OLD)).found).toEqual([])
    expect(loadedIds(linkedSubject(text, OLD))).toBe('u3 a3 u4 a4')
  })
})

test('a parent that stands on a damaged line is not missing', async () => {
  const [u1, a1, u2, a2] = linkedLog('u1 a1 u2 a2').split('\n')
  expect(await brokenParent.detect(linkedSubject(`${u1}${a1}\n${u2}\n${a2}\n`))).toEqual([])
})

test('the finding says which record is missing, and where another file has it', async () => {
  const subject = linkedSubject(linkedLog('u1 a1 u2<?x a2'))
  const [plain] = await brokenParent.detect(subject)
  expect(plain?.finding).toMatchObject({ severity: 'survived', damage: 'broken-parent' })
  expect(plain?.finding.detail).toContain(uuid('?x'))
  const repair: LogSubject['repair'] = {
    ...subject.repair,
    findInOtherSessions: () => new Map([[uuid('?x'), '/other.jsonl']]),
  }
  const inOtherFiles: LogSubject = { ...subject, session: { ...subject.session }, repair }
  expect((await brokenParent.detect(inOtherFiles))[0]?.finding.detail).toContain('/other.jsonl')
})

describe('an agent that goes on past a gap by itself', () => {
  test('loads no less than before', async () => {
    const { text, refused } = await repairLinks(linkedLog('u1 a1 u2 a2@181 u3<?@183 a3'), [brokenParent], NEW)
    expect(refused).toEqual([])
    expect(loadedIds(linkedSubject(text, NEW))).toBe('u1 a1 u2 a2 u3 a3')
  })

  test('is followed where it goes on to more than stands before the record', async () => {
    // The answer that belongs before it stands behind it in the file.
    const { text, refused } = await repairLinks(linkedLog('u1 u2<?@63 a1<u1@61 a2<u2@70'), [brokenParent], NEW)
    expect(refused).toEqual([])
    expect(loadedIds(linkedSubject(text, NEW))).toBe('u1 a1 u2 a2')
  })

  test('is left to itself where the repair would make it load less', async () => {
    // It goes on from a1, beyond the compaction, where no repair leads.
    const words = 'u1@1 a1@2 b1@2 u2<?@3 a2@4'
    const broken = linkedLog(words)
    expect(loadedIds(linkedSubject(broken, NEW))).toBe('u1 a1 u2 a2')
    const { text, found, refused } = await repairLinks(broken, [brokenParent], NEW)
    expect(found).toEqual(['broken-parent'])
    expect(refused).toHaveLength(1)
    expect(text).toBe(broken)
  })
})
