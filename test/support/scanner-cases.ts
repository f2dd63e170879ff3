// Lines and files for the scanners: records of the kind that stores ask about, and everything that can be wrong with them.
import type { Random } from './random.ts'
import { below } from './random.ts'

const NAMES = [
  'type',
  'uuid',
  'parentUuid',
  'message',
  'content',
  'id',
  'tool_use_id',
  'text',
  'signature',
  'timestamp',
  'attachment',
  'isSidechain',
  'version',
  'leafUuid',
  'payload',
  'summary',
  'call_id',
  'ordinal',
  'other',
  '__proto__',
  'constructor',
  'é',
]
const WORDS = [
  'user',
  'assistant',
  'text',
  'thinking',
  'tool_use',
  'tool_result',
  'last-prompt',
  'attachment',
  'system',
]
const TIMES = [
  '2026-11-15T09:00:00.000Z',
  '2026-02-30T09:00:00.000Z',
  '2024-02-29T23:59:59.999Z',
  '2026-11-15',
  '1969-12-31T00:00:00.000Z',
  '9999-12-31T24:00:00.000Z',
]
const SCALARS = [
  '0',
  '-0',
  '1e999',
  '-1.5E+3',
  '123456789012345678901234567890',
  'true',
  'false',
  'null',
  '""',
  '" "',
  '{}',
  '[]',
]
/** Valid inside of a string. */
const PIECES = [
  'a',
  'plain words ',
  '\\n',
  '\\"',
  '\\\\',
  '\\/',
  '\\u0041',
  '\\ud83d\\ude00',
  '\\ud800',
  '\\udc00',
  '\\u00a0',
  '\\u2003',
  ' ',
  '\u3000',
  'é',
  '漢',
  '😀',
  '{"',
  '}{',
  '[',
  ':',
  ',',
  '\u2028',
  '\ufeff',
  '\u007f',
]
/** Not valid somewhere. */
const WRONG = [
  '\\',
  '\\x',
  '\\u12',
  '\\u12g4',
  '\\,',
  '\\:',
  '\\}',
  '"',
  '"\t',
  '""',
  '}x',
  ']"',
  ',\u0001',
  ':\u0001',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\t',
  '\r',
  '\n',
  '\0',
  '\0\0\0\0',
  '\b',
  '\f',
  '\u001a',
  '01',
  '1.',
  '.5',
  '+1',
  '1e',
  '-',
  'nul',
  'truex',
  'NaN',
  '//',
  '\ufeff',
  '}{',
  '}\n{',
]
const BAD_BYTES = [
  [0xff],
  [0x80],
  [0xc0, 0xaf],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x98],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2],
  [0xc3],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xe0, 0x80, 0x80],
  [0xef, 0xbb, 0xbf],
]

function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[below(random, from.length)]
  if (found === undefined) throw new Error('There is nothing to pick from.')
  return found
}

function text(random: Random): string {
  const length = below(random, 20) === 0 ? below(random, 200) : below(random, 4)
  return `"${Array.from({ length }, () => pick(random, PIECES)).join('')}"`
}

/** White space that JSON allows. */
function space(random: Random): string {
  return below(random, 12) === 0 ? pick(random, [' ', '\t', '\r', '   ']) : ''
}

function value(random: Random, depth: number): string {
  const kind = below(random, depth > 0 ? 12 : 7)
  if (kind < 2) return `"${pick(random, WORDS)}"`
  if (kind < 4) return text(random)
  if (kind === 4) return pick(random, SCALARS)
  if (kind === 5) return `"${pick(random, TIMES)}"`
  if (kind === 6) return `"id-${below(random, 9)}"`
  if (kind < 10) return object(random, depth - 1)
  return `[${list(random, () => value(random, depth - 1))}]`
}

function list(random: Random, make: () => string): string {
  return Array.from({ length: below(random, 4) }, () => `${space(random)}${make()}${space(random)}`).join(',')
}

function object(random: Random, depth: number): string {
  const name = (): string => (below(random, 30) === 0 ? '"typ\\u0065"' : `"${pick(random, NAMES)}"`)
  return `{${list(random, () => `${name()}${space(random)}:${value(random, depth)}`)}}`
}

function block(random: Random): string {
  const id = `toolu_${below(random, 9)}`
  const blocks = [
    `{"type":"text","text":${text(random)}}`,
    `{"type":"thinking","thinking":"x","signature":${text(random)}}`,
    `{"type":"tool_use","id":"${id}","name":"Bash","input":${value(random, 3)}}`,
    `{"type":"tool_result","tool_use_id":"${id}","content":[{"type":"text","text":${text(random)}}]}`,
    value(random, 3),
  ]
  return pick(random, blocks)
}

/** Like a record of a linked log. */
function record(random: Random): string {
  const fields = [
    `"uuid":"u${below(random, 20)}"`,
    `"parentUuid":${pick(random, ['null', `"u${below(random, 20)}"`, '""', '5'])}`,
    `"type":"${pick(random, WORDS)}"`,
    `"timestamp":"${pick(random, TIMES)}"`,
    `"isSidechain":${pick(random, ['true', 'false'])}`,
    `"message":{"id":"m${below(random, 5)}","content":${pick(random, [text(random), `[${list(random, () => block(random))}]`])}}`,
    `"attachment":${value(random, 3)}`,
    `"leafUuid":"u${below(random, 20)}"`,
    `"other":"${'x'.repeat(below(random, 140))}"`,
  ]
  const some = fields.filter(() => below(random, 4) > 0)
  if (below(random, 10) === 0) some.push(pick(random, fields))
  return `{${some.join(',')}}`
}

const ITEMS = [
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'local_shell_call',
  'user_message',
  'agent_reasoning',
  'thread_rolled_back',
  'compaction',
]

/** Like a record with an envelope, or without one. */
function rollout(random: Random): string {
  const some = (...fields: string[]): string => fields.filter(() => below(random, 4) > 0).join(',')
  const odd = (usual: string): string => (below(random, 8) === 0 ? value(random, 2) : usual)
  const texts = `[${list(random, () => `{"type":"summary_text","text":${text(random)}}`)}]`
  const item = some(
    `"type":"${pick(random, ITEMS)}"`,
    `"id":${odd(`"item-${below(random, 9)}"`)}`,
    `"role":"${pick(random, WORDS)}"`,
    `"call_id":${odd(`"call-${below(random, 9)}"`)}`,
    `"name":${odd('"shell"')},"arguments":${odd(text(random))},"output":${odd(text(random))}`,
    `"summary":${odd(texts)},"content":${odd('null')}`,
    `"status":${odd('"completed"')},"action":${odd('{"command":[]}')},"text":${odd(text(random))}`,
    `"num_turns":${odd(String(below(random, 4)))}`,
    ...(below(random, 4) === 0 ? [`"message":${text(random)}`] : []),
  )
  if (below(random, 5) === 0) return `{${item}}`
  const type = pick(random, ['response_item', 'event_msg', 'session_meta', 'turn_context', 'compacted'])
  return `{${some(
    `"timestamp":${odd(`"${pick(random, TIMES)}"`)}`,
    `"type":"${type}"`,
    `"ordinal":${odd(pick(random, [String(below(random, 1000)), '7', 'null', '-1', '1.5']))}`,
    `"payload":${odd(`{${item}}`)}`,
    `"metadata":${odd('{"user_input_order":1}')}`,
  )}}`
}

function line(random: Random): Buffer {
  const kind = below(random, 12)
  const good = kind < 4 ? record(random) : kind < 8 ? rollout(random) : kind < 11 ? object(random, 4) : value(random, 4)
  let bytes: Buffer = Buffer.from(`${space(random)}${good}${space(random)}`)
  for (let mutations = below(random, 3) === 0 ? below(random, 3) + 1 : 0; mutations > 0; mutations--)
    bytes = mutate(bytes, random)
  return bytes
}

function mutate(bytes: Buffer, random: Random): Buffer {
  const [at, to] = [below(random, bytes.length + 1), below(random, bytes.length + 1)]
  const insert = (piece: Buffer): Buffer => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
  switch (below(random, 7)) {
    case 0:
      return insert(Buffer.from(pick(random, WRONG)))
    case 1:
      return insert(Buffer.from(pick(random, BAD_BYTES)))
    case 2:
      return insert(Buffer.from(pick(random, PIECES)))
    case 3:
      return insert(Buffer.from([below(random, 256)]))
    case 4:
      return Buffer.concat([bytes.subarray(0, Math.min(at, to)), bytes.subarray(Math.max(at, to))])
    case 5:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)])
    default: {
      const copy = Buffer.from(bytes)
      if (at < copy.length) copy.writeUInt8(copy.readUInt8(at) ^ (1 << below(random, 8)), at)
      return copy
    }
  }
}

/** A file of some lines. The last one may be without its newline. */
export function scannerCase(random: Random): Buffer {
  const lines = Array.from({ length: below(random, 5) + 1 }, () => line(random))
  const parts = lines.flatMap(bytes => [bytes, Buffer.from('\n')])
  return Buffer.concat(below(random, 3) === 0 ? parts.slice(0, -1) : parts)
}
