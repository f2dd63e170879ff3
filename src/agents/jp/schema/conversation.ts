// The shapes of metadata.json and of the events.
import { TIME } from './formats.ts'
import type { Shape, Struct } from './shape.ts'
import { ANY, choice, either, FLAG, list, map, optional, struct, TEXT, U64 } from './shape.ts'

/** JP reads the file itself, not a parsed value. So it refuses a field that occurs twice. */
export const METADATA_SHAPE: Struct = struct(
  {
    title: optional(TEXT),
    last_activated_at: TIME,
    pinned_at: optional(TIME),
    archived_at: optional(TIME),
    expires_at: optional(TIME),
    labels: map(TEXT),
  },
  ['last_activated_at'],
)

/** What JP's validator requires of every event. The values do not matter. */
export const VALIDATED_EVENT: Struct = struct({ timestamp: ANY, type: ANY }, ['timestamp', 'type'])

const OBJECT = map(ANY)
function event(fields: Record<string, Shape>, needed: readonly string[] = []): Struct {
  const all = { timestamp: TIME, type: TEXT, metadata: OBJECT, ...fields }
  return { ...struct(all, ['timestamp', ...needed]), takesList: false }
}

const SOURCE: Shape = {
  type: 'tagged',
  tag: 'source',
  isNumbered: true,
  variants: {
    tool: struct({ name: TEXT }, ['name']),
    assistant: struct({}, []),
    user: struct({}, []),
    other: struct({ name: TEXT }, ['name']),
  },
}

const ANSWER_TYPE: Shape = {
  type: 'tagged',
  tag: 'type',
  isNumbered: true,
  variants: {
    boolean: struct({}, []),
    select: struct({ options: list(struct({ value: ANY, description: optional(TEXT) }, ['value'])) }, ['options']),
    text: struct({}, []),
  },
}

const QUESTION = struct({ text: TEXT, answer_type: ANSWER_TYPE, default: ANY }, ['text', 'answer_type'])

const TOOL_CALLS: Shape = {
  type: 'tagged',
  tag: 'policy',
  variants: { strip: struct({ request: FLAG, response: FLAG }, ['request', 'response']), omit: struct({}, []) },
}

/** JP keeps an event of any other type as it is. */
export const EVENT_SHAPES: Readonly<Record<string, Shape>> = {
  // It has no members of its own, and JP refuses others.
  turn_start: { ...event({}), others: 'refused' },
  chat_request: event({ content: TEXT, schema: optional(OBJECT), author: optional(TEXT) }, ['content']),
  chat_response: either(
    event({ message: TEXT }, ['message']),
    event({ reasoning: TEXT }, ['reasoning']),
    event({ data: ANY }, ['data']),
  ),
  tool_call_request: event({ id: TEXT, name: TEXT, arguments: OBJECT }, ['id', 'name']),
  tool_call_response: event({ id: TEXT, content: TEXT, is_error: FLAG }, ['id', 'content', 'is_error']),
  inquiry_request: event({ id: TEXT, source: SOURCE, question: QUESTION }, ['id', 'source', 'question']),
  inquiry_response: event({ id: TEXT, answer: ANY }, ['id', 'answer']),
  // A delta that does not fit counts as an empty one.
  config_delta: ANY,
  compaction: struct(
    {
      timestamp: TIME,
      from_turn: U64,
      to_turn: U64,
      summary: optional(struct({ summary: TEXT }, ['summary'])),
      reasoning: optional(choice('strip')),
      tool_calls: optional(TOOL_CALLS),
    },
    ['timestamp', 'from_turn', 'to_turn'],
  ),
}

export function isKnownType(type: string): boolean {
  return Object.hasOwn(EVENT_SHAPES, type)
}
