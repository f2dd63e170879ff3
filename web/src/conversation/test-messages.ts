// Messages and pages for the tests of this folder.
import type { ApiMessage, ApiPart, MessagesPage, MessagesQuery } from '../../../src/server/protocol.ts'

export const FILE = '/home/dev/session.jsonl'
/** Each record of the made-up file is this long. */
export const RECORD = 100

export function makeMessage(index: number, parts: ApiPart[] = [], role: ApiMessage['role'] = 'user'): ApiMessage {
  const at = { file: FILE, start: index * RECORD, end: index * RECORD + RECORD - 1 }
  return { index, id: `m${index}`, role, time: null, parts, at }
}

export interface Reading {
  total: number
  reading: number
  isComplete: boolean
  /** So many messages came before the ones with the same ids. */
  shift: number
}

export function makePage(query: MessagesQuery, { total, reading, isComplete, shift }: Reading): MessagesPage {
  const limit = query.limit ?? 60
  const around = query.around === undefined ? undefined : Math.floor(query.around / RECORD) + shift - limit / 2
  const from = Math.max(0, around ?? query.from ?? total - limit)
  const count = Math.max(0, Math.min(limit, total - from))
  const messages = Array.from({ length: count }, (_, at) => ({
    ...makeMessage(from + at - shift),
    index: from + at,
  }))
  return { from, messages, total, isComplete, reading, partial: null, findings: [], branches: [], facts: {} }
}
