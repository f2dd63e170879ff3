// What is in an event. Contents of tools and metadata are stored in base64, so that no search of the disk finds them.
import { isUtf8 } from 'node:buffer'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'

/** Of a string that is not STANDARD base64 of UTF-8, JP takes the characters themselves; so do we. */
export function decodeText(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text && isUtf8(bytes)) return bytes.toString('utf8')
  return decodeUrlSafe(text) ?? text
}

/** What an early version wrote, and JP no longer decodes. Short words look the same, and are left alone. */
function decodeUrlSafe(text: string): string | undefined {
  if (text.length < SURELY_ENCODED || text.length % 4 !== 0 || !/[-_]/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const isIt = bytes.toString('base64url') === text.replace(/={1,2}$/, '')
  return isIt && isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

const SURELY_ENCODED = 24
/** Nothing that is meant to be read is nested deeper. */
const MAX_DEPTH = 200

/** Every string in it, at any depth. */
export function decodeStrings(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return decodeText(value)
  if (depth === MAX_DEPTH) return value
  const list = asArray(value)
  if (list !== undefined) return list.map(item => decodeStrings(item, depth + 1))
  const map = asObject(value)
  if (map === undefined) return value
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, decodeStrings(item, depth + 1)]))
}

/** The event as JP has it in memory. What is not known stays as it is, to the last key. */
export function decodeEvent(event: Json): Json {
  const metadata = event['metadata'] === undefined ? {} : { metadata: decodeStrings(event['metadata']) }
  switch (event['type']) {
    case 'tool_call_request':
      return { ...event, arguments: decodeStrings(event['arguments']), ...metadata }
    case 'tool_call_response': {
      const content = asString(event['content'])
      return { ...event, ...(content === undefined ? {} : { content: decodeText(content) }), ...metadata }
    }
    case 'turn_start':
    case 'chat_request':
    case 'chat_response':
    case 'inquiry_request':
    case 'inquiry_response':
      return { ...event, ...metadata }
    default:
      return event
  }
}

/** `provider/name` or an alias; undefined where the config says none. */
export function modelOf(config: unknown): string | undefined {
  const id = asObject(asObject(asObject(config)?.['assistant'])?.['model'])?.['id']
  if (typeof id === 'string') return id
  const { provider, name } = asObject(id) ?? {}
  if (typeof name !== 'string') return undefined
  return typeof provider === 'string' ? `${provider}/${name}` : name
}
