// One page out of what was read of a conversation so far.
import { RethreadError } from '../../model/errors.ts'
import type { ReadingEnd, SessionFacts } from '../../model/reading.ts'
import { isPartial } from '../../model/reading.ts'
import type { ApiFinding, ApiMessage, MessagesPage, MessagesQuery } from '../api.ts'
import { explain } from '../explain.ts'
import type { Unnumbered } from './cut.ts'
import { DEFAULT_PAGE } from './limits.ts'
import type { MessageIndex, SpoolRange } from './message-index.ts'
import { messageAt } from './places.ts'

export interface ConversationView {
  index: MessageIndex
  spool: { path: string; read(start: number, length: number): Buffer }
  reading: number
  /** Absent during the first reading. */
  end?: ReadingEnd
  findings: ApiFinding[]
  isComplete: boolean
}

export function makePage(view: ConversationView, query: MessagesQuery): MessagesPage {
  const { from, to } = rangeOf(view.index, query)
  const messages: ApiMessage[] = []
  for (let row = from; row < to; row++) messages.push(parseMessage(row, readSpooled(view, view.index.shown(row))))
  const { end } = view
  return {
    from,
    messages,
    total: view.index.length,
    isComplete: view.isComplete,
    reading: view.reading,
    partial: end === undefined ? null : partialOf(end),
    findings: view.findings.map(explain),
    branches: end?.branches ?? [],
    facts: end === undefined ? {} : factsOf(end.facts),
  }
}

/**
 * The end of a conversation of which nothing else is known yet. Its
 * indexes mean something only under this number.
 */
export function makeTailPage(tail: readonly string[], reading: number, query: MessagesQuery): MessagesPage {
  const from = Math.max(0, tail.length - (query.limit ?? DEFAULT_PAGE))
  const messages = tail.slice(from).map((json, at) => parseMessage(from + at, json))
  const nothingYet = { partial: null, findings: [], branches: [], facts: {} }
  return { from, messages, total: tail.length, isComplete: false, reading, ...nothingYet }
}

/** Whether this page cannot change any more by reading on. */
export function isPageThere(index: MessageIndex, query: MessagesQuery): boolean {
  const limit = query.limit ?? DEFAULT_PAGE
  if (query.message !== undefined) {
    const row = index.findId(query.message)
    return row !== -1 && row + limit < index.length
  }
  if (query.around === undefined && (query.from === undefined || query.from < 0)) return false
  if (query.around === undefined) return index.length >= (query.from ?? 0) + limit
  return messageAt(index, query.around) + limit < index.length
}

function rangeOf(index: MessageIndex, query: MessagesQuery): { from: number; to: number } {
  const total = index.length
  const limit = query.limit ?? DEFAULT_PAGE
  const last = Math.max(0, total - limit)
  const from = firstOf(index, query, limit, last)
  return { from, to: Math.min(total, from + limit) }
}

function firstOf(index: MessageIndex, { from, around, message }: MessagesQuery, limit: number, last: number): number {
  const named = message === undefined ? -1 : index.findId(message)
  const row = named === -1 && around !== undefined ? messageAt(index, around) : named
  if (row !== -1) return Math.min(last, Math.max(0, row - Math.floor(limit / 2)))
  if (from === undefined) return last
  return from < 0 ? Math.max(0, index.length + from) : Math.min(index.length, from)
}

export function parseMessage(index: number, json: string): ApiMessage {
  const message: Unnumbered = JSON.parse(json)
  return { index, ...message }
}

export function readSpooled({ spool }: Pick<ConversationView, 'spool'>, { start, length }: SpoolRange): string {
  const bytes = spool.read(start, length)
  if (bytes.length === length) return bytes.toString('utf8')
  throw new RethreadError({
    code: 'io-error',
    text: `${spool.path} is shorter than what was written to it.`,
    hint: 'Another program removes files of the running server. Restart it.',
    path: spool.path,
    offset: start,
  })
}

function partialOf(end: ReadingEnd): MessagesPage['partial'] {
  if (!isPartial(end)) return null
  const { error, parsedUpTo, recovered } = end
  return { code: error.code, text: error.text, parsedUpTo, recovered }
}

function factsOf(facts: SessionFacts): MessagesPage['facts'] {
  const { title, project, startedAt, agentVersion, model, forkedFrom } = facts
  return {
    ...(title === undefined ? {} : { title }),
    ...(project === undefined ? {} : { project }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(agentVersion === undefined ? {} : { agentVersion }),
    ...(model === undefined ? {} : { model }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
  }
}
