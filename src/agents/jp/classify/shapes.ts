// What JP requires of metadata.json and of one event. The validator of JP checks less than its loader.
// Events of unknown types are always accepted.
import type { Json } from '../../stores/values.ts'
import { asNumber, asObject } from '../../stores/values.ts'
import { parseTime } from '../times.ts'

export interface Mismatch {
  path: string
  text: string
}

/** The kind of a value for messages. */
export function describeKind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function expected(path: string, wanted: string, value: unknown): Mismatch {
  return value === undefined
    ? { path, text: 'is missing' }
    : { path, text: `should be ${wanted}, and is ${describeKind(value)}` }
}

export function valueAt(value: Json, path: string): unknown {
  let found: unknown = value
  for (const name of path.split('.')) found = asObject(found)?.[name]
  return found
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

const TIMES = ['pinned_at', 'archived_at', 'expires_at']
const LABEL = /^[A-Za-z0-9_-]+$/

export function checkMetadata(value: unknown): Mismatch[] {
  const metadata = asObject(value)
  if (metadata === undefined) return [expected('', 'an object', value ?? null)]
  return [...checkTitle(metadata), ...checkTimes(metadata), ...checkLabels(metadata['labels'])]
}

function checkTitle({ title }: Json): Mismatch[] {
  return title === undefined || title === null || isText(title) ? [] : [expected('title', 'a string', title)]
}

function checkTimes(metadata: Json): Mismatch[] {
  const activated = metadata['last_activated_at']
  const wrong = parseTime(activated) === undefined ? [expectedTime('last_activated_at', activated)] : []
  for (const name of TIMES) {
    const value = metadata[name]
    if (value !== undefined && value !== null && parseTime(value) === undefined) wrong.push(expectedTime(name, value))
  }
  return wrong
}

function expectedTime(path: string, value: unknown): Mismatch {
  return isText(value) ? { path, text: 'is not a time that JP reads' } : expected(path, 'a time', value)
}

function checkLabels(value: unknown): Mismatch[] {
  if (value === undefined) return []
  const labels = asObject(value)
  if (labels === undefined) return [expected('labels', 'an object', value)]
  return Object.entries(labels).flatMap(([name, text]) => {
    if (!LABEL.test(name)) return [{ path: `labels.${name}`, text: 'has a name that JP does not take' }]
    return isText(text) ? [] : [expected(`labels.${name}`, 'a string', text)]
  })
}

/** The validator requires an object with a `timestamp` and a `type` of any value. */
export function checkForValidator(value: unknown): Mismatch[] {
  // serde accepts a list of two as the two fields. Only the loader refuses it.
  if (Array.isArray(value) && value.length === 2) return []
  const event = asObject(value)
  if (event === undefined) return [expected('', 'an object', value)]
  return ['timestamp', 'type'].flatMap(name => (name in event ? [] : [expected(name, '', undefined)]))
}

export function checkForLoader(value: unknown): Mismatch[] {
  const event = asObject(value)
  if (event === undefined) return [expected('', 'an object', value)]
  const { timestamp, type, metadata } = event
  if (!isText(type)) return [expected('type', 'a string', type)]
  const check = isKnownType(type) ? KNOWN[type] : undefined
  if (check === undefined) return []
  const wrong = check(event)
  if (parseTime(timestamp) === undefined)
    wrong.unshift(
      isText(timestamp)
        ? { path: 'timestamp', text: 'is not a time that JP reads' }
        : expected('timestamp', 'a time', timestamp),
    )
  if (metadata !== undefined && asObject(metadata) === undefined)
    wrong.push(expected('metadata', 'an object', metadata))
  return wrong
}

const KNOWN: Record<string, (event: Json) => Mismatch[]> = {
  turn_start: () => [],
  chat_request: event => [
    ...text(event, 'content'),
    ...optional(event, 'schema', isMap, 'an object'),
    ...optional(event, 'author', isText, 'a string'),
  ],
  chat_response: checkResponse,
  tool_call_request: event => [
    ...text(event, 'id'),
    ...text(event, 'name'),
    ...field(event, 'arguments', isMap, 'an object'),
  ],
  tool_call_response: event => [
    ...text(event, 'id'),
    ...text(event, 'content'),
    ...field(event, 'is_error', isBoolean, 'true or false'),
  ],
  inquiry_request: event => [
    ...text(event, 'id'),
    ...field(event, 'source', isMap, 'an object'),
    ...field(event, 'question', isMap, 'an object'),
  ],
  inquiry_response: event => [...text(event, 'id'), ...('answer' in event ? [] : [expected('answer', '', undefined)])],
  config_delta: () => [],
  compaction: event => [
    ...field(event, 'from_turn', isCount, 'a number'),
    ...field(event, 'to_turn', isCount, 'a number'),
  ],
}

export function isKnownType(type: string): boolean {
  return Object.hasOwn(KNOWN, type)
}

const RESPONSE_FIELDS = ['message', 'reasoning', 'data']

function checkResponse(event: Json): Mismatch[] {
  const given = RESPONSE_FIELDS.filter(name => name in event)
  const [first] = given
  if (first === undefined || given.length > 1)
    return [
      {
        path: '',
        text: `should have exactly one of ${RESPONSE_FIELDS.join(', ')}, and has ${given.length === 0 ? 'none' : given.join(' and ')}`,
      },
    ]
  return first === 'data' ? [] : text(event, first)
}

function text(event: Json, name: string): Mismatch[] {
  return field(event, name, isText, 'a string')
}

function field(event: Json, name: string, fits: (value: unknown) => boolean, wanted: string): Mismatch[] {
  return fits(event[name]) ? [] : [expected(name, wanted, event[name])]
}

function optional(event: Json, name: string, fits: (value: unknown) => boolean, wanted: string): Mismatch[] {
  const value = event[name]
  return value === undefined || value === null ? [] : field(event, name, fits, wanted)
}

function isMap(value: unknown): boolean {
  return asObject(value) !== undefined
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isCount(value: unknown): boolean {
  return asNumber(value) !== undefined
}
