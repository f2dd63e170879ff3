// What looks broken and is not: none of it is ever reported, let alone "fixed", whatever version of the agent will resume it.
import { describe, expect, test } from 'vitest'
import { linkedLog, linkedSubject, uuid } from '../../../../test/support/linked-log.ts'
import { brokenParent } from '../broken-parent/index.ts'
import { parentCycle } from '../parent-cycle/index.ts'
import { progressParent } from '../progress-parent/index.ts'

const damages = [brokenParent, parentCycle, progressParent]

async function findIn(text: string): Promise<string[]> {
  const found: string[] = []
  for (const version of ['2.1.25', '2.1.325', undefined])
    for (const damage of damages)
      for (const { finding } of await damage.detect(linkedSubject(text, version))) found.push(finding.damage)
  return found
}

describe('not damage', () => {
  test.each([
    ['several roots', 'u1 a1 u2<- a2 u3<- a3'],
    ['a compaction and what it says it came from', 'u1 a1 b1 u2 a2'],
    ['a dead branch after going back', 'u1 a1 u2 a2 u3<a1 a3'],
    ['a dead branch of many records', 'u1 a1 u2 a2 u3 a3 u4 a4 u5<a1 a5'],
    ['a record that was written again', 'u1 a1 u2 a2 a1<u1 u3<a2 a3'],
    ['all records written again', 'u1 a1 u2 a2 u1<- a1<u1 u2<a1 a2<u2'],
    ['the root of a sidechain', 'u1 c1 ~u8<- ~a8 r1<c1 a2'],
    ['a sidechain that hangs on the main lane', 'u1 c1 ~u8<c1 ~a8 r1<c1 a2'],
    ['a parent later in the file', 'u1@0 a1@1 u3<a2@4 a3@5 u2<a1@2 a2@3'],
    ['links through progress', 'u1 a1 p1 u2 a2'],
    ['several calls at once', 'u1 c1#M c2#M r1<c1 r2<c2 a2'],
    ['a file of a sub-agent', '~u1 ~a1 ~u2 ~a2'],
  ])('%s', async (_, words) => expect(await findIn(linkedLog(words))).toEqual([]))

  test('records without an id', async () => {
    const own = `${JSON.stringify({ type: 'summary', summary: 'x', leafUuid: uuid('gone') })}\n`
    const queue = `${JSON.stringify({ type: 'queue-operation', operation: 'enqueue', sessionId: 's' })}\n`
    expect(await findIn(own + queue + linkedLog('u1 a1'))).toEqual([])
  })

  test('a snapshot that names a record', async () => {
    const snapshot = (id: string) =>
      `${JSON.stringify({ type: 'file-history-snapshot', messageId: uuid(id), snapshot: {} })}\n`
    expect(await findIn(snapshot('u1') + linkedLog('u1 a1') + snapshot('gone'))).toEqual([])
  })

  test('a link through a type of record that is not known yet', async () => {
    const text = linkedLog('u1 a1 s2 u3 a3').replace('"type":"system"', '"type":"something-new"')
    expect(await findIn(text)).toEqual([])
  })

  test('an empty file', async () => expect(await findIn('')).toEqual([]))
})
