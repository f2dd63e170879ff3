// Any journal: turns as agents have them, pieces of turns, and what no agent should send.
import fc from 'fast-check'
import type { Envelope } from '../../../src/journal/store/store.ts'
import { codePoint } from '../code-point.ts'
import {
  answered,
  chunk,
  envelopeOf,
  failed,
  permission,
  prompt,
  SETTLED,
  thought,
  tool,
  toolUpdate,
  update,
  userChunk,
} from './conversation-samples.ts'

const text = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.constantFrom('plain words', '[rethread replay]', '\u0000\u0001\n', '😀😀😀'),
)
const id = fc.integer({ min: 1, max: 4 })
const call = fc.constantFrom('t1', 't2', 't3')
const messageId = fc.constantFrom(undefined, 'a', 'b')
const status = fc.constantFrom('pending', 'in_progress', 'completed', 'failed', 'odd', null)
const variant = fc.constantFrom('tool_call', 'plan', 'usage_update', 'notice', 'agent_message_chunk', '__proto__', 'x')

const sensible: fc.Arbitrary<Envelope> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(text, messageId).map(([said, of]) => chunk(said, of)) },
  { weight: 2, arbitrary: fc.tuple(id, text).map(([number, said]) => prompt(number, said)) },
  { weight: 2, arbitrary: id.map(number => answered(number)) },
  {
    weight: 2,
    arbitrary: fc.tuple(call, status, text).map(([of, now, rawOutput]) => toolUpdate(of, { status: now, rawOutput })),
  },
  fc.tuple(call, fc.jsonValue()).map(([of, rawInput]) => tool(of, { rawInput })),
  fc.tuple(text, messageId).map(([said, of]) => userChunk(said, of)),
  text.map(thought),
  id.map(number => failed(number, { code: 1, message: 'no' })),
  id.map(number => permission(number)),
  id.map(number => envelopeOf('client', { id: number, result: { outcome: { outcome: 'cancelled' } } })),
  id.map(number => prompt(number, 'elsewhere', 'connection-2')),
  fc.constant(SETTLED),
  fc.constant(envelopeOf('client', { id: 9, method: 'session/load', params: {} })),
)

const sender = fc.constantFrom('client' as const, 'agent' as const)
const anyMethod = fc.constantFrom(
  'session/prompt',
  'session/update',
  'session/request_permission',
  'elicitation/create',
  '_rethread/settled',
  '_rethread/restored',
  'toString',
  'x',
)
const rpcId = fc.oneof(id, fc.constantFrom('a', null, {}, undefined))

const garbage: fc.Arbitrary<Envelope> = fc.oneof(
  fc.tuple(sender, fc.jsonValue()).map(([from, message]) => envelopeOf(from, message)),
  fc
    .tuple(sender, anyMethod, rpcId, fc.jsonValue())
    .map(([from, method, number, params]) => envelopeOf(from, { id: number, method, params })),
  fc
    .tuple(
      variant,
      fc.dictionary(
        fc.constantFrom('content', 'toolCallId', 'entries', 'status', 'title', 'locations'),
        fc.jsonValue(),
      ),
    )
    .map(([name, more]) => update(name, more)),
  fc.tuple(sender, rpcId, fc.jsonValue()).map(([from, number, result]) => envelopeOf(from, { id: number, result })),
)

export const anyEnvelopes: fc.Arbitrary<Envelope[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: sensible }, { weight: 1, arbitrary: garbage }),
  { maxLength: 40 },
)
