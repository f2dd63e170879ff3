import { describe, expect, test } from 'vitest'
import { linkedLog, linkedSubject, loadedIds, repairLinks } from '../../../../test/support/linked-log.ts'
import { malformedMessage } from './index.ts'

const VERSIONS = ['2.0.14', '2.1.25', '2.1.325']
const LINES = linkedLog('u1 a1 u2 a2 u3 a3').split('\n')
const repair = (text: string, version: string) => repairLinks(text, [malformedMessage], version)
const edit = (line: number, change: (record: string) => string): string =>
  LINES.map((record, place) => (place === line ? change(record) : record)).join('\n')
const content = (text: string, line: number): unknown => JSON.parse(text.split('\n')[line] ?? '').message.content

const [PROMPT, ANSWER] = [2, 3]
const NOTE = [{ type: 'text', text: '[The content of this message could not be read.]' }]

describe.each(VERSIONS)('%s resumes everything again', version => {
  test.each([
    ['a message that is absent', ANSWER, /"message":\{.*\]\},/, '', NOTE],
    ['a message that is null', ANSWER, /"message":\{.*\]\}/, '"message":null', NOTE],
    ['an empty message', ANSWER, /"message":\{.*\]\}/, '"message":{}', NOTE],
    ['content that is absent', ANSWER, /,"content":\[.*\]\}/, '}', NOTE],
    ['content that is a number', ANSWER, /"content":\[.*\]\}/, '"content":7}', NOTE],
    ['an answer that is a text', ANSWER, /"content":\[.*\]\}/, '"content":"said"}', [{ type: 'text', text: 'said' }]],
    ['a null among blocks', ANSWER, /"content":\[/, '"content":[null,', [{ type: 'text', text: 'a2' }]],
    ['a list of nothing but null', ANSWER, /"content":\[.*\]\}/, '"content":[null]}', NOTE],
    ['a prompt without content', PROMPT, /,"content":"u2"/, '', NOTE],
    [
      'a prompt that is a block',
      PROMPT,
      /"content":"u2"/,
      '"content":{"type":"text","text":"u2"}',
      [{ type: 'text', text: 'u2' }],
    ],
  ])('after the repair of %s', async (_, line, old, by, after) => {
    const broken = edit(line, record => record.replace(old, by))
    expect(broken).not.toBe(LINES.join('\n'))
    const { found, text } = await repair(broken, version)
    expect(found).toEqual(['malformed-message'])
    expect(loadedIds(linkedSubject(text, version))).toBe('u1 a1 u2 a2 u3 a3')
    expect(linkedSubject(text, version).repair.load(linkedSubject(text, version)).messages).toBe(6)
    expect(content(text, line)).toEqual(after)
    expect((await repair(text, version)).found).toEqual([])
  })
})

test('a malformed message that the resume does not pass is left alone', async () => {
  const lines = linkedLog('u1 a1 u2 a2 u3<a1 a3').split('\n')
  const text = lines.map((line, place) =>
    place === ANSWER ? line.replace(/"content":\[.*?\]\}/, '"content":7}') : line,
  )
  expect((await repair(text.join('\n'), '2.0.14')).found).toEqual([])
})
