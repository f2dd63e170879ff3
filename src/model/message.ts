// The messages of a conversation, independent of the agent. All text in here is untrusted: it is shown, never
// interpreted.
import type { Usage } from './usage.ts'

export type { Usage }

/** Where something is stored: a byte range of a file, or a row in a database file. */
export type Place = FilePlace | RowPlace

export interface FilePlace {
  file: string
  start: number
  end: number
}

export interface RowPlace {
  file: string
  table: string
  row: string | number
}

/**
 * `user`, `assistant` and `tool` are the conversation. `system` is what the agent added itself, and records
 * of unknown type.
 */
export type Role = 'user' | 'assistant' | 'tool' | 'system'

export type Part =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'tool-call'; id: string; name: string; input: unknown }
  | { type: 'tool-result'; id: string; output: string; isError: boolean }
  | {
      type: 'file'
      name: string | null
      mime: string | null
      source: 'inline' | 'path' | 'url'
      reference: string | null
      /** A picture inside the record, in base64. `mime` then follows from its bytes. */
      data?: string
    }
  | { type: 'notice'; text: string }
  | { type: 'unknown'; recordType: string; value: unknown }

export interface Message {
  id: string
  role: Role
  /** ISO 8601, or null if the store records no time for a message. */
  time: string | null
  parts: Part[]
  at: Place
  model?: string
  usage?: Usage
}

/** Notices and unknown records are shown, but do not count as messages. */
export function isConversation({ role }: Pick<Message, 'role'>): boolean {
  return role !== 'system'
}
