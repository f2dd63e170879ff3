// The end of a journal, for a conversation that is opened: from there on it is followed. Older messages are shown by the library.

import { readBackwards } from '../../../journal/restore/replay/window.ts'
import type { JournalEvent, JournalStore } from '../../../journal/store/store.ts'
import { MAX_BEGINNING_EVENTS, MAX_TAIL_EVENTS } from '../../limits.ts'

export interface Tail {
  /** Before those of the end, where these tell no commands, the one that did at the beginning. */
  events: JournalEvent[]
  /** From this event on messages are whole; infinity where their beginning was not reached. */
  wholeFrom: number
  /** The last that was looked at. */
  lastSeq: number
}

/** As far back as a prompt, and no farther than is good for whoever else waits. */
export async function readTail(store: JournalStore, sessionId: string): Promise<Tail> {
  let events: JournalEvent[] = []
  let lastSeq = 0
  let firstSeq = Number.POSITIVE_INFINITY
  for await (const page of readBackwards(store, sessionId)) {
    events = [...page.events, ...events]
    lastSeq = Math.max(lastSeq, page.lastSeq)
    firstSeq = Math.min(firstSeq, page.firstSeq)
    if (events.length >= MAX_TAIL_EVENTS || events.some(isPrompt)) break
  }
  const wholeFrom = firstSeq <= 1 ? 0 : (events.find(isPrompt)?.seq ?? Number.POSITIVE_INFINITY)
  const isAllThere = firstSeq <= 1 || events.some(isCommands)
  const told = isAllThere ? undefined : await readFirstCommands(store, sessionId, firstSeq)
  return { events: told === undefined ? events : [told, ...events], wholeFrom, lastSeq }
}

async function readFirstCommands(
  store: JournalStore,
  sessionId: string,
  before: number,
): Promise<JournalEvent | undefined> {
  const { events } = await store.page(sessionId, { after: 0, limit: MAX_BEGINNING_EVENTS })
  return events.findLast(event => isCommands(event) && event.seq < before)
}

function isCommands({ kind }: JournalEvent): boolean {
  return kind === 'session/update:available_commands_update'
}

export function isPrompt({ kind, sender }: JournalEvent): boolean {
  return kind === 'session/prompt' && sender === 'client'
}

/** The last event of the turn that this one belongs to. */
export async function endOfTurn(store: JournalStore, sessionId: string, seq: number): Promise<number> {
  const total = await store.count(sessionId)
  for (let after = seq; after < total; ) {
    const page = await store.page(sessionId, { after, limit: PAGE })
    const next = page.events.find(isPrompt)
    if (next !== undefined) return next.seq - 1
    if (page.lastSeq <= after) break
    after = page.lastSeq
  }
  return total
}

const PAGE = 500
