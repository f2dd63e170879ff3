import { expect, test } from 'vitest'
import { linkedLog, linkedSubject, repairLinks, uuid } from '../../../../../test/support/linked-log.ts'
import { brokenParent } from '../../../../repair/damage/broken-parent/index.ts'
import { progressParent } from '../../../../repair/damage/progress-parent/index.ts'
import { unpairedTool } from '../../../../repair/damage/unpaired-tool/index.ts'
import { load } from '../../loader/index.ts'
import { INTERRUPTED_RESULT } from './interrupted-result.ts'

interface Stored {
  uuid: string
  parentUuid: string | null
  timestamp: string
  message: { content: { type: string; tool_use_id?: string; content?: string; is_error?: boolean }[] }
}

const recordsIn = (text: string): Stored[] =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
const find = (text: string, id: string) => recordsIn(text).find(record => record.uuid === uuid(id))
const contentOf = (text: string, id: string) => find(text, id)?.message.content
const added = (text: string): Stored[] => recordsIn(text).filter(({ uuid: id }) => !id.startsWith('00000000-'))
const repairTools = (text: string, version?: string) => repairLinks(text, [unpairedTool], version)

test('a call without a result gets one that says so, and the next record continues from it', async () => {
  const { found, text } = await repairTools(linkedLog('u1 a1#M c1#M u2 a2'))
  expect(found).toEqual(['unpaired-tool'])
  const [result] = added(text)
  expect(result?.parentUuid).toBe(uuid('c1'))
  expect(result?.timestamp).toBe(find(text, 'c1')?.timestamp)
  const answer = { tool_use_id: 'toolu_c1', type: 'tool_result', content: INTERRUPTED_RESULT, is_error: true }
  expect(result?.message.content).toEqual([answer])
  expect(find(text, 'u2')?.parentUuid).toBe(result?.uuid)
  expect(recordsIn(text).map(({ uuid: id }) => id)[3]).toBe(result?.uuid)
})

test('an inserted record has the envelope of its neighbours, and nothing else changes', async () => {
  const broken = linkedLog('u1 a1#M c1#M u2 a2', { version: '2.1.99' })
  const { text } = await repairTools(broken)
  const [result] = added(text)
  const envelope = { isSidechain: false, cwd: '/home/dev/shop', version: '2.1.99', type: 'user' }
  expect(result).toMatchObject({ ...envelope, sourceToolAssistantUUID: uuid('c1') })
  const lines = text.split('\n').filter(line => !line.includes(`"uuid":"${result?.uuid}"`))
  expect(lines.join('\n').replace(`"parentUuid":"${result?.uuid}"`, `"parentUuid":"${uuid('c1')}"`)).toBe(broken)
})

test('the same log gives the same plan each time', async () => {
  const broken = linkedLog('u1 c1 u2 a2')
  expect((await repairTools(broken)).text).toBe((await repairTools(broken)).text)
})

test('several calls of one message get their results one behind the other', async () => {
  const { found, text } = await repairTools(linkedLog('u1 c1#M c2#M c3#M r2<c3=c2 a3'))
  expect(found).toHaveLength(2)
  const [first, second] = added(text)
  expect(first?.message.content[0]?.tool_use_id).toBe('toolu_c1')
  expect(second?.message.content[0]?.tool_use_id).toBe('toolu_c3')
  expect([first?.parentUuid, second?.parentUuid]).toEqual([uuid('c3'), first?.uuid])
  expect(find(text, 'r2')?.parentUuid).toBe(second?.uuid)
})

test('a result stands before the results that other lines of its message already have', async () => {
  const { text } = await repairTools(linkedLog('u1 c1#M c2#M r2=c2 c3#M r3=c3 a4'))
  const [result] = added(text)
  expect(result?.parentUuid).toBe(uuid('c2'))
  expect(find(text, 'r2')?.parentUuid).toBe(result?.uuid)
})

test.each(['2.0.14', '2.1.25', '2.1.325'])(
  'calls made at once, with results side by side, are no damage to %s',
  async version => {
    const healthy = linkedLog('u1 a1#M c1#M c2#M c3#M r3<c3=c3 r1<c1=c1 r2<c2=c2 a2 u3 a3', { version })
    const subject = linkedSubject(healthy)
    expect(await unpairedTool.detect({ ...subject, visible: subject.index })).toEqual([])
  },
)

test('a call at the end of the log is answered last of all, so that a resume begins there', async () => {
  const { text } = await repairTools(linkedLog('u1 c1#M c2#M'))
  expect(added(text).map(({ timestamp }) => timestamp.slice(-6))).toEqual(['0.001Z', '0.002Z'])
  const { chain } = load(linkedSubject(text))
  expect(chain).toHaveLength(5)
})

test('a call in a last line that no newline ends is answered on a line of its own', async () => {
  const { text } = await repairTools(linkedLog('u1 c1').trimEnd())
  expect(recordsIn(text)).toHaveLength(3)
  expect(text.endsWith('}\n')).toBe(true)
})

test.each(['2.0.14', '2.1.25'])('reports of progress behind the call are passed, for %s', async version => {
  const broken = linkedLog('u1 c1 p1 p2 u2 a2', { version })
  const { text } = await repairLinks(broken, [brokenParent, progressParent, unpairedTool])
  const [result] = added(text)
  expect(result?.parentUuid).toBe(uuid('c1'))
  expect(find(text, 'u2')?.parentUuid).toBe(result?.uuid)
})

test('a result whose call is lost makes place for a few words', async () => {
  const { found, text } = await repairTools(linkedLog('u1 a1 r1=gone a2'))
  expect(found).toEqual(['unpaired-tool'])
  expect(contentOf(text, 'r1')).toEqual([{ type: 'text', text: expect.stringContaining('was removed') }])
  expect(added(text)).toEqual([])
})

test('among other results it leaves nothing behind, as no words may stand there', async () => {
  const { text } = await repairTools(linkedLog('u1 c1#M r1 r2=gone a2'))
  expect(contentOf(text, 'r2')).toEqual([])
})

test('of a record that says more, only the result goes', async () => {
  const broken = linkedLog('u1 a1 r1=gone a2').replace(
    '"content":"r1"}]',
    '"content":"r1"},{"type":"text","text":"and"}]',
  )
  const { text } = await repairTools(broken)
  expect(contentOf(text, 'r1')).toEqual([{ type: 'text', text: 'and' }])
})

test('the second result of a call goes, and the first stays', async () => {
  const { found, text } = await repairTools(linkedLog('u1 c1 r1 r2=c1 a2'))
  expect(found).toEqual(['unpaired-tool'])
  expect(contentOf(text, 'r1')?.[0]?.tool_use_id).toBe('toolu_c1')
  expect(contentOf(text, 'r2')).toEqual([])
})

test('a result behind a compaction whose call is before it has no call', async () => {
  const { found } = await repairTools(linkedLog('u1 c1 b1 r1=c1 a2'))
  expect(found).toEqual(['unpaired-tool'])
})

test('nor does it matter that something before the compaction is broken', async () => {
  const { found } = await repairTools(linkedLog('u1 c1 u2<? b1<u2 r1=c1 a2'))
  expect(found).toEqual(['unpaired-tool'])
})

test('compacted records are left alone', async () => {
  expect(await unpairedTool.detect(linkedSubject(linkedLog('u1 c1 u2 a2 r9=gone a3 b1 u4 a4')))).toEqual([])
})

test('a dead branch is left alone', async () => {
  expect(await unpairedTool.detect(linkedSubject(linkedLog('u1 a1 u2 c2 u3<a1 a3')))).toEqual([])
})

test('a call or result that stands on a damaged line is not taken for lost', async () => {
  const healthy = linkedLog('u1 c1#M c2#M r2=c2 a3 r1<c1=c1@1')
  for (const id of ['c2', 'r1']) {
    const line = healthy.split('\n').find(one => one.includes(`"uuid":"${uuid(id)}"`)) ?? ''
    const hidden = healthy.replace(line, `\0\0\0\0\0\0${line}`)
    expect(await unpairedTool.detect(linkedSubject(hidden))).toEqual([])
  }
})

test('a result whose link is broken waits for the link', async () => {
  const broken = linkedLog('u1 c1 r1<?=c1 a2')
  expect(await unpairedTool.detect(linkedSubject(broken))).toEqual([])
  const { found, text } = await repairLinks(broken, [brokenParent, unpairedTool])
  expect(found).toEqual(['broken-parent'])
  expect(contentOf(text, 'r1')?.[0]?.tool_use_id).toBe('toolu_c1')
})

test('a result whose call is in a line beside the way is linked through it', async () => {
  const broken = linkedLog('u1 c1#M c2#M r1<c1=c1 r2<r1=c2 a3', { version: '2.1.25' })
  const { found, text } = await repairTools(broken)
  expect(found).toEqual(['unpaired-tool'])
  expect(find(text, 'r1')?.parentUuid).toBe(uuid('c2'))
  expect(text).toHaveLength(broken.length)
})

test('links in a circle are left to those who repair them', async () => {
  expect(await unpairedTool.detect(linkedSubject(linkedLog('u1<a2 c1 u2 a2'), '2.1.325'))).toEqual([])
})
