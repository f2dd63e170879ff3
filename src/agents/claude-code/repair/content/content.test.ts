import { expect, test } from 'vitest'
import { linkedLog, linkedSubject, repairLinks, uuid } from '../../../../../test/support/linked-log.ts'
import { emptyText } from '../../../../repair/damage/empty-text/index.ts'
import { loneSurrogate } from '../../../../repair/damage/lone-surrogate/index.ts'
import { unpairedTool } from '../../../../repair/damage/unpaired-tool/index.ts'
import { unsignedThinking } from '../../../../repair/damage/unsigned-thinking/index.ts'

const ALL = [unpairedTool, emptyText, loneSurrogate, unsignedThinking]
const repairContent = (text: string) => repairLinks(text, ALL)

function contentOf(text: string, id: string): unknown {
  const line = text.split('\n').find(one => one.includes(`"uuid":"${uuid(id)}"`)) ?? ''
  return JSON.parse(line).message.content
}

/** The bytes of one record's content replaced. */
function withContent(text: string, id: string, content: string): string {
  const line = text.split('\n').find(one => one.includes(`"uuid":"${uuid(id)}"`)) ?? ''
  const before = `"content":${JSON.stringify(JSON.parse(line).message.content)}`
  return text.replace(
    line,
    line.replace(before, () => `"content":${content}`),
  )
}

const text = (words: string) => ({ type: 'text', text: words })
const TEXT = (words: string) => JSON.stringify(text(words))
const THINKING = '{"type":"thinking","thinking":"hm","signature":"c2ln"}'
const UNSIGNED = '{"type":"thinking","thinking":"hm","signature":""}'

test('an empty block of text is taken out, wherever it stands in the list', async () => {
  for (const blocks of [
    [TEXT(''), TEXT('a')],
    [TEXT('a'), TEXT(' \n')],
    [TEXT(''), TEXT('a'), TEXT(''), TEXT('')],
  ]) {
    const broken = withContent(linkedLog('u1 a1 u2 a2'), 'a1', `[${blocks.join(' , ')}]`)
    const repaired = await repairContent(broken)
    expect(repaired.found).toEqual(['empty-text'])
    expect(contentOf(repaired.text, 'a1')).toEqual([text('a')])
  }
})

test('where nothing would be left, a word stands in', async () => {
  const broken = withContent(linkedLog('u1 a1 u2 a2'), 'a1', `[${TEXT('')},${TEXT('')}]`)
  expect(contentOf((await repairContent(broken)).text, 'a1')).toEqual([text('(empty)')])
})

test('a line of a message with content in other lines may become empty', async () => {
  const broken = withContent(linkedLog('u1 a1#M c1#M r1 a2'), 'a1', `[${TEXT('')}]`)
  expect(contentOf((await repairContent(broken)).text, 'a1')).toEqual([])
})

test('of several lines that say nothing, one gets the word', async () => {
  const once = withContent(linkedLog('u1 a1#M a2#M u3 a3'), 'a1', `[${TEXT('')}]`)
  const repaired = await repairContent(withContent(once, 'a2', `[${TEXT('')}]`))
  expect([contentOf(repaired.text, 'a1'), contentOf(repaired.text, 'a2')]).toEqual([[text('(empty)')], []])
})

test('a prompt that is an empty text says so', async () => {
  const repaired = await repairContent(withContent(linkedLog('u1 a1 u2 a2'), 'u2', '"  "'))
  expect(contentOf(repaired.text, 'u2')).toBe('(empty)')
})

test('an empty text inside a result is taken out; a result that is an empty string is none', async () => {
  const block = (content: string) => `[{"type":"tool_result","tool_use_id":"toolu_c1","content":${content}}]`
  const broken = withContent(linkedLog('u1 c1 r1 a2'), 'r1', block(`[${TEXT('')},${TEXT('out')}]`))
  const repaired = await repairContent(broken)
  expect(repaired.text).toBe(withContent(broken, 'r1', block(`[${TEXT('out')}]`)))
  const silent = linkedSubject(withContent(broken, 'r1', block('""')))
  expect(await emptyText.detect(silent)).toEqual([])
})

test('half a character is replaced where it stands, at the same length', async () => {
  const broken = withContent(
    linkedLog('u1 a1 u2 a2'),
    'a1',
    '[{"type":"text","text":"x\\ud83d y \\uDE00\\ud83d\\ude00"}]',
  )
  const repaired = await repairContent(broken)
  expect(repaired.found).toEqual(['lone-surrogate'])
  expect(contentOf(repaired.text, 'a1')).toEqual([text('x\ufffd y \ufffd😀')])
  expect(repaired.text).toHaveLength(broken.length)
})

test('an escaped backslash before a u is not an escape of a character', async () => {
  const healthy = withContent(linkedLog('u1 a1 u2 a2'), 'a1', '[{"type":"text","text":"\\\\ud83d \\ud83d\\ude00"}]')
  expect(await loneSurrogate.detect(linkedSubject(healthy))).toEqual([])
})

test('half a character in the input of a call and in an attachment is replaced too', async () => {
  const call = '[{"type":"tool_use","id":"toolu_c1","name":"Bash","input":{"command":"echo \\ud83d"}}]'
  const once = withContent(linkedLog('u1 c1 r1 x1 a2'), 'c1', call).replace('"prompt":"x1"', '"prompt":"\\udc00"')
  const repaired = await repairContent(once)
  expect(repaired.found).toEqual(['lone-surrogate', 'lone-surrogate'])
  expect(repaired.text).toContain('"command":"echo \\ufffd"')
  expect(repaired.text).toContain('"prompt":"\\ufffd"')
})

test('thinking with half a character in it goes whole', async () => {
  const block = '{"type":"thinking","thinking":"\\ud83d","signature":"c2ln"}'
  const repaired = await repairContent(withContent(linkedLog('u1 a1 u2 a2'), 'a1', `[${block},${TEXT('a')}]`))
  expect(repaired.found).toEqual(['lone-surrogate'])
  expect(contentOf(repaired.text, 'a1')).toEqual([text('a')])
})

test.each([
  ['an empty signature', UNSIGNED],
  ['no signature', '{"type":"thinking","thinking":"hm"}'],
])('thinking with %s goes whole', async (_, block) => {
  const repaired = await repairContent(withContent(linkedLog('u1 k1#M a1#M u2 a2'), 'k1', `[${block}]`))
  expect(repaired.found).toEqual(['unsigned-thinking'])
  expect(contentOf(repaired.text, 'k1')).toEqual([])
})

test('thinking alone in its message makes place for a word', async () => {
  const repaired = await repairContent(withContent(linkedLog('u1 k1 u2 a2'), 'k1', `[${UNSIGNED}]`))
  expect(contentOf(repaired.text, 'k1')).toEqual([text('(empty)')])
})

test('an answer that would be nothing but thinking gets a word instead', async () => {
  const repaired = await repairContent(withContent(linkedLog('u1 a1 u2 a2'), 'a1', `[${THINKING},${TEXT('')}]`))
  expect(contentOf(repaired.text, 'a1')).toEqual([text('(empty)')])
})

test('thinking behind a change goes too; thinking before it stays', async () => {
  const broken = withContent(
    linkedLog('u1 k1#A a1#A u2 a2 u3 k3#C a3#C'),
    'a2',
    `[${TEXT('')},${TEXT('a')},${THINKING}]`,
  )
  const repaired = await repairContent(broken)
  expect(repaired.found).toEqual(['empty-text'])
  expect(contentOf(repaired.text, 'k1')).toEqual([{ type: 'thinking', thinking: 'k1', signature: 'c2ln' }])
  expect(contentOf(repaired.text, 'a2')).toEqual([text('a')])
  expect(contentOf(repaired.text, 'k3')).toEqual([])
})

test('several kinds in one record are repaired at once, and none twice', async () => {
  const blocks = [UNSIGNED, TEXT(''), '{"type":"text","text":"b\\ud83d"}', TEXT('')]
  const repaired = await repairContent(withContent(linkedLog('u1 a1 u2 a2'), 'a1', `[${blocks.join(',')}]`))
  expect([...repaired.found].sort()).toEqual(['empty-text', 'lone-surrogate', 'unsigned-thinking'])
  expect(contentOf(repaired.text, 'a1')).toEqual([text('b\ufffd')])
})

test('an empty text beside a result that has no call: each goes, and words stand in', async () => {
  const result = '{"type":"tool_result","tool_use_id":"toolu_gone","content":"x"}'
  const repaired = await repairContent(withContent(linkedLog('u1 a1 u2 a2'), 'u2', `[${result},${TEXT('')}]`))
  expect(contentOf(repaired.text, 'u2')).toEqual([text('(empty)')])
})

test('numbers and bytes that no reader could write again stay as they are', async () => {
  const odd = '{"type":"tool_use","id":"toolu_c1","name":"Bash","input":{"n":12345678901234567890,"z":-0,"e":1.0}}'
  const broken = withContent(linkedLog('u1 c1 r1 a2'), 'c1', `[${TEXT('')},${odd}]`)
  expect((await repairContent(broken)).text).toContain(`"content":[${odd}]`)
})

test('what a resume does not load is left alone', async () => {
  const broken = withContent(linkedLog('u1 a1 u2 a2 u3<a1 a3'), 'a2', `[${TEXT('')}]`)
  expect((await repairContent(broken)).found).toEqual([])
})
