// The fields that Codex requires in a record. It silently skips a line in which one of them is missing or has
// the wrong type.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'

type Check = (value: unknown) => boolean
type Shape = Readonly<Record<string, Check>>

const text: Check = value => typeof value === 'string'
const list: Check = value => Array.isArray(value)
const object: Check = value => asObject(value) !== undefined
const ordinal: Check = value => Number.isSafeInteger(value) && Number(value) >= 0
/** Absent or null. */
const optional =
  (check: Check): Check =>
  value =>
    value === undefined || value === null || check(value)
/** Absent, but never null. */
const omitted =
  (check: Check): Check =>
  value =>
    value === undefined || check(value)
const listOf =
  (check: Check): Check =>
  value =>
    asArray(value)?.every(check) ?? false
/** Types of text that a newer version may know are accepted. */
const taggedText: Check = value => {
  const entry = asObject(value)
  return /^(\w+_)?text$/.test(asString(entry?.['type']) ?? '') && text(entry?.['text'])
}

const contentItem: Check = value => {
  const entry = asObject(value)
  const type = asString(entry?.['type']) ?? ''
  switch (type) {
    case 'input_text':
    case 'output_text':
      return text(entry?.['text']) && optional(list)(entry?.['annotations'])
    case 'input_image':
      return text(entry?.['image_url'])
    case 'input_audio':
      return text(entry?.['audio_url'])
    default:
      return /^(in|out)put_\w+$/.test(type)
  }
}
const output: Check = value => text(value) || list(value)

/** A list is treated as an object without fields. */
const objectOf =
  (shape: Shape): Check =>
  value =>
    Array.isArray(value) || (object(value) && fieldOf(asObject(value) ?? {}, shape, 'payload') === undefined)

const yesOrNo: Check = value => typeof value === 'boolean'
const number: Check = value => typeof value === 'number'

const retained = objectOf({
  id: objectOf({ message_id: text, turn_id: text, role: text }),
  revision: text,
  complete: yesOrNo,
})
const metadata = objectOf({
  retained_source: optional(retained),
  client_authored: omitted(yesOrNo),
  user_input_order: optional(number),
  fallback_token_limit_override: optional(number),
})
const passedThrough = objectOf({ turn_id: optional(text), create_time: optional(number) })

const ENVELOPE: Shape = { timestamp: text, ordinal: optional(ordinal), metadata: optional(metadata) }

const HEADER: Shape = {
  id: text,
  timestamp: text,
  cwd: text,
  originator: text,
  cli_version: text,
  session_id: omitted(text),
  source: omitted(value => text(value) || object(value)),
  thread_source: optional(text),
  model_provider: optional(text),
  base_instructions: optional(object),
  history_mode: omitted(text),
  runtime_workspace_roots: optional(listOf(text)),
  context_window: optional(objectOf({ window_id: text })),
}

const ANY_ITEM: Shape = {
  id: optional(text),
  status: optional(text),
  internal_chat_message_metadata_passthrough: optional(passedThrough),
}

/** The items that are part of the conversation. Items that are not in the list are not checked. */
const ITEMS: ReadonlyMap<string, Shape> = new Map(
  Object.entries<Shape>({
    message: { role: text, content: listOf(contentItem) },
    agent_message: { author: text, recipient: text, content: list },
    reasoning: {
      summary: listOf(taggedText),
      content: optional(listOf(taggedText)),
      encrypted_content: optional(text),
    },
    function_call: { name: text, arguments: text, call_id: text, namespace: optional(text) },
    function_call_output: { output, call_id: optional(text) },
    custom_tool_call: { name: text, input: text, call_id: text, namespace: optional(text) },
    custom_tool_call_output: { output, call_id: text },
    local_shell_call: { action: object, status: text, call_id: optional(text) },
    web_search_call: { action: optional(object) },
    image_generation_call: { status: text, result: text },
  }).map(([type, shape]) => [type, { ...ANY_ITEM, ...shape }]),
)

const COMPACTED: Shape = { message: text, replacement_history: optional(list) }

/**
 * The first field that Codex would refuse, in the envelope or in its payload. Undefined if it accepts the
 * record, and for bare records.
 */
export interface Refused {
  in: 'record' | 'payload'
  field: string
  value: unknown
  /** Codex accepts null here. */
  takesNull: boolean
}

export function refusedField(record: Json): Refused | undefined {
  const payload = asObject(record['payload'])
  if (payload === undefined) return undefined
  return fieldOf(record, ENVELOPE, 'record') ?? fieldOf(payload, shapeOf(record['type'], payload), 'payload')
}

function shapeOf(type: unknown, payload: Json): Shape {
  switch (type) {
    case 'session_meta':
      return headerShape(payload)
    case 'compacted':
      return COMPACTED
    case 'response_item':
      return ITEMS.get(asString(payload['type']) ?? '') ?? {}
    default:
      return {}
  }
}

function fieldOf(value: Json, shape: Shape, place: Refused['in']): Refused | undefined {
  for (const field in shape)
    if (shape[field]?.(value[field]) === false)
      return { in: place, field, value: value[field], takesNull: shape[field](null) }
  return undefined
}

/** Later versions may store histories in ways that these checks do not know. */
const LAST_KNOWN_VERSION = [0, 166] as const

function headerShape(payload: Json): Shape {
  const [major = 0, minor = 0] = (asString(payload['cli_version']) ?? '').split('.').map(Number)
  const isKnown = major === LAST_KNOWN_VERSION[0] && minor <= LAST_KNOWN_VERSION[1]
  return isKnown ? { ...HEADER, history_mode: omitted(mode => mode === 'paginated' || mode === 'legacy') } : HEADER
}

/** The fields of a header that Codex accepts unchanged. */
export function soundFields(payload: Json): Json {
  const shape = headerShape(payload)
  return Object.fromEntries(Object.entries(payload).filter(([field, value]) => shape[field]?.(value) !== false))
}
