// Every row was run on the real agent, with a message in the middle of ten.
import { expect, test } from 'vitest'
import { linkedLog, linkedSubject } from '../../../../test/support/linked-log.ts'
import { load } from './index.ts'

const TEN = linkedLog('u1 a1 u2 a2 u3 a3 u4 a4 u5 a5').split('\n')
const CONTENT = /"content":(?:\[.*?\]|"u2")\}/

function withContent(line: number, content: string): string {
  return TEN.map((text, place) => (place === line ? text.replace(CONTENT, `${content}}`) : text)).join('\n')
}

const [PROMPT, ANSWER] = [2, 3]

test.each([
  ['a null in an answer', ANSWER, '"content":[null]', 0, 0, 8],
  ['an answer that is a text', ANSWER, '"content":"text"', 0, 0, 8],
  ['an answer that is a number', ANSWER, '"content":7', 0, 0, 8],
  ['an answer without blocks', ANSWER, '"content":[]', 8, 8, 10],
  ['an answer of strings', ANSWER, '"content":["x"]', 10, 10, 8],
  ['a block without a type', ANSWER, '"content":[{"text":"x"}]', 10, 10, 8],
  ['a prompt that is an object', PROMPT, '"content":{"type":"text","text":"x"}', 0, 0, 9],
  ['a prompt that is a number', PROMPT, '"content":7', 0, 0, 9],
  ['a prompt of strings', PROMPT, '"content":["x"]', 10, 10, 9],
  ['a prompt without blocks', PROMPT, '"content":[]', 9, 9, 9],
])('%s', (_, line, content, ...sent) => {
  const text = withContent(line, content)
  expect(text).toContain(content)
  const seen = ['2.0.14', '2.1.25', '2.1.325'].map(version => load(linkedSubject(text, version)).sent)
  expect(seen).toEqual(sent)
})
