import { expect, test } from 'vitest'
import { isLinear } from './linear.ts'

const uuid = (n: number) => `a0000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const line = (n: number, parent: number | null, body: object = { type: 'user' }) =>
  `${JSON.stringify({ parentUuid: parent === null ? null : uuid(parent), isSidechain: false, ...body, uuid: uuid(n), timestamp: '' })}\n`
const result = { type: 'user', message: { content: [{ type: 'tool_result' }] } }
const call = { type: 'assistant', message: { content: [{ type: 'tool_use' }] } }

function linear(...lines: string[]): boolean {
  return isLinear([Buffer.from(lines.join(''))])
}

test.each<[string, string[]]>([
  ['each record follows the one before', [line(1, null), line(2, 1), line(3, 2)]],
  ['bookkeeping stands between', [line(1, null), '{"type":"mode","mode":"normal"}\n', line(2, 1)]],
  [
    'results of two calls hang side by side',
    [line(1, null), line(2, 1, call), line(3, 2, call), line(4, 2, result), line(5, 3, result), line(6, 5)],
  ],
  ['progress hangs off to one side', [line(1, null), line(2, 1, { type: 'progress' }), line(3, 1)]],
  ['the last record is torn', [line(1, null), line(2, 1), line(3, 1).slice(0, 60)]],
])('where %s, one pass is enough', (_, lines) => expect(linear(...lines)).toBe(true))

test.each<[string, string[]]>([
  ['a record goes back', [line(1, null), line(2, 1), line(3, 1)]],
  ['a parent does not exist', [line(1, null), line(2, 9)]],
  ['there is a second root', [line(1, null), line(2, null)]],
  ['there is a sidechain', [line(1, null), line(2, 1).replace('false', 'true')]],
  ['a record is written otherwise', [line(1, null), '{"type":"user","parentUuid":null,"uuid":"x"}\n']],
  ['there is a title for some record', [line(1, null), '{"type":"summary","summary":"x","leafUuid":"y"}\n']],
  ['a record went back and has no newline yet', [line(1, null), line(2, 1), line(3, 1).trimEnd()]],
])('where %s, the links have to be read', (_, lines) => expect(linear(...lines)).toBe(false))
