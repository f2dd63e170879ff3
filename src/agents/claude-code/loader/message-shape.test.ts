// Every row was run on the real agent: the first ones with a message in the middle of ten.
import { expect, test } from 'vitest'
import { linkedLog, linkedSubject } from '../../../../test/support/linked-log.ts'
import { load } from './index.ts'

const TEN = linkedLog('u1 a1 u2 a2 u3 a3 u4 a4 u5 a5').split('\n')
const CONTENT = /"content":(?:\[.*?\]|"u2")\}/

function withContent(line: number, content: string): string {
  return TEN.map((text, place) => (place === line ? text.replace(CONTENT, `${content}}`) : text)).join('\n')
}

const [PROMPT, ANSWER] = [2, 3]
const TEXT = '{"type":"text","text":"words"}'
const CALL = '{"type":"tool_use","id":"t1","name":"Bash","input":{}}'
const THINKING = '{"type":"thinking","thinking":"x","signature":"c2ln"}'
const CALL_OPENING = '{"type":"tool_use"'
const RESULT_OPENING = '{"type":"tool_result"'
const THINKING_OPENING = '{"type":"thinking"'
const VERSIONS = ['2.0.14', '2.1.25', '2.1.325']

test.each([
  ['a null in an answer', ANSWER, '"content":[null]', 0, 0, 8],
  ['an answer that is a text', ANSWER, '"content":"text"', 0, 0, 10],
  ['an answer that is a blank text', ANSWER, '"content":" "', 0, 0, 8],
  ['an answer that is a number', ANSWER, '"content":7', 0, 0, 8],
  ['an answer without blocks', ANSWER, '"content":[]', 8, 8, 10],
  ['an answer of strings', ANSWER, '"content":["x"]', 10, 10, 8],
  ['a block without a type', ANSWER, '"content":[{"text":"x"}]', 10, 10, 8],
  ['a number in an answer', ANSWER, '"content":[7]', 10, 10, 8],
  ['a text block without text', ANSWER, '"content":[{"type":"text"}]', 10, 0, 8],
  ['a text block with a number', ANSWER, '"content":[{"type":"text","text":7}]', 10, 10, 8],
  ['a null before a text', ANSWER, `"content":[null,${TEXT}]`, 0, 0, 10],
  ['a null behind a text', ANSWER, `"content":[${TEXT},null]`, 0, 0, 10],
  ['a number before a text', ANSWER, `"content":[7,${TEXT}]`, 10, 10, 10],
  ['a string before a text', ANSWER, `"content":["x",${TEXT}]`, 10, 10, 10],
  ['a list before a text', ANSWER, `"content":[[],${TEXT}]`, 10, 10, 10],
  ['a block without a type before a text', ANSWER, `"content":[{"text":"x"},${TEXT}]`, 10, 10, 10],
  ['a text block without text before a text', ANSWER, `"content":[{"type":"text"},${TEXT}]`, 10, 0, 10],
  ['a null before a blank text', ANSWER, '"content":[null,{"type":"text","text":" "}]', 0, 0, 8],
  ['a null before a call without a result', ANSWER, `"content":[null,${CALL}]`, 0, 0, 8],
  ['a null before thinking', ANSWER, `"content":[null,${THINKING}]`, 0, 0, 8],
  ['a prompt that is an object', PROMPT, '"content":{"type":"text","text":"x"}', 0, 0, 9],
  ['a prompt that is a number', PROMPT, '"content":7', 0, 0, 9],
  ['a prompt of strings', PROMPT, '"content":["x"]', 10, 10, 9],
  ['a null in a prompt', PROMPT, '"content":[null]', 0, 0, 9],
  ['a null before the text of a prompt', PROMPT, `"content":[null,${TEXT}]`, 0, 0, 10],
  ['a number before the text of a prompt', PROMPT, `"content":[7,${TEXT}]`, 10, 10, 10],
  ['a null before a blank text in a prompt', PROMPT, '"content":[null,{"type":"text","text":" "}]', 0, 0, 10],
  ['a prompt without blocks', PROMPT, '"content":[]', 9, 9, 9],
])('%s', (_, line, content, ...sent) => {
  const text = withContent(line, content)
  expect(text).toContain(content)
  expect(VERSIONS.map(version => load(linkedSubject(text, version)).sent)).toEqual(sent)
})

test.each([
  ['a null before a call', 'u1 a1 u2 c2 r2 a2 u3 a3', CALL_OPENING, 'null', 0, 0, 8],
  ['a null before a result', 'u1 a1 u2 c2 r2 a2 u3 a3', RESULT_OPENING, 'null', 0, 0, 8],
  ['a null before a last call without a result', 'u1 a1 u2 c2', CALL_OPENING, 'null', 0, 0, 6],
  ['a string before a call without a result', 'u1 a1 u2 c2 u3 a3', CALL_OPENING, '"x"', 6, 6, 4],
  ['a string before thinking', 'u1 a1 u2 k2 u3 a3', THINKING_OPENING, '"x"', 6, 6, 4],
  ['a string before thinking of a longer message', 'u1 a1 u2 k2#M a2#M u3 a3', THINKING_OPENING, '"x"', 6, 6, 6],
])('%s', (_, words, opening, stray, ...sent) => {
  const text = linkedLog(words).replace(`[${opening}`, `[${stray},${opening}`)
  expect(text).toContain(`[${stray},`)
  expect(VERSIONS.map(version => load(linkedSubject(text, version)).sent)).toEqual(sent)
})
