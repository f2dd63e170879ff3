// The effect of one record of the log. The kinds are tested in the order of the agent's own loader.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'

export type LogChange =
  | { type: 'rewind'; to: string }
  | { type: 'message'; id: string }
  /**
   * Facts about the session. A change may replace the whole conversation. A header only adds messages to it.
   */
  | { type: 'metadata'; metadata: Json; messages: unknown[] | undefined; replaces: boolean }
  | { type: 'unknown' }

export function changeOf(record: Json): LogChange {
  const to = asString(record['$rewindTo'])
  if (to !== undefined) return { type: 'rewind', to }
  const id = asString(record['id'])
  if (id !== undefined) return { type: 'message', id }
  const set = asObject(record['$set'])
  const metadata = set ?? (isHeader(record) ? record : undefined)
  if (metadata === undefined) return { type: 'unknown' }
  const messages = asArray(metadata['messages'])
  // Another value in place of the list is shown as unknown.
  if (messages === undefined && metadata['messages'] !== undefined) return { type: 'unknown' }
  return { type: 'metadata', metadata, messages, replaces: set !== undefined && messages !== undefined }
}

/** Any of these fields makes a JSON object inside a torn line a record and not a piece of one. */
export function isRecord(value: Json): boolean {
  if (typeof value['id'] === 'string') return typeof value['type'] === 'string' && 'timestamp' in value
  return '$set' in value || '$rewindTo' in value || isHeader(value)
}

/** The messages that a record lists, for a `$set` and for a header with messages. */
export function listedMessages(record: Json): unknown[] {
  const change = changeOf(record)
  return change.type === 'metadata' ? (change.messages ?? []) : []
}

function isHeader(record: Json): boolean {
  return typeof record['sessionId'] === 'string' && typeof record['projectHash'] === 'string'
}
