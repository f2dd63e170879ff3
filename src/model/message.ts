// What a conversation is made of, whatever agent wrote it. All text in here is hostile: it is shown, never interpreted.
import type { Usage } from './usage.ts'

export type { Usage }

/** Where something is stored: a byte range of a file, or a row of a table in a database file. */
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

/** `user`, `assistant` and `tool` are the conversation; `system` is what the agent put in by itself and what we could not name. */
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
      /** A picture that stands in the record itself, in base64; `mime` is then what its bytes say. */
      data?: string
    }
  | { type: 'notice'; text: string }
  | { type: 'unknown'; recordType: string; value: unknown }

export interface Message {
  id: string
  role: Role
  /** ISO 8601, or null where the store keeps no time for a message. */
  time: string | null
  parts: Part[]
  at: Place
  model?: string
  usage?: Usage
}

/** Notices and unknown records are shown but are not part of the count a person would make. */
export function isConversation(message: Message): boolean {
  return message.role !== 'system'
}
