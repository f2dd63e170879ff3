// What a journal holds, and what the mock agent was informed: for tests of how conversations come back.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectMessages } from '../../src/journal/conversation/assemble-messages.ts'
import type { ConversationChange, ConversationPart } from '../../src/journal/conversation/changes.ts'
import { ConversationReducer } from '../../src/journal/conversation/reducer.ts'
import { asFields } from '../../src/journal/envelope.ts'
import { REPLAY_MARK } from '../../src/journal/restore/replay/build-replay.ts'
import { type JournalNote, type NoteName, readNote } from '../../src/journal/store/notes.ts'
import type { JournalEvent, JournalStore } from '../../src/journal/store/store.ts'
import type { Talk } from './talk.ts'

const PAGE = 5000

export async function eventsIn(store: JournalStore, id: string): Promise<JournalEvent[]> {
  const events: JournalEvent[] = []
  for (let after = 0; ; ) {
    const page = await store.page(id, { after, limit: PAGE })
    events.push(...page.events)
    if (page.lastSeq <= after || page.lastSeq >= page.total) return events
    after = page.lastSeq
  }
}

export async function notesIn<Name extends NoteName>(store: JournalStore, id: string, name: Name) {
  const events = await eventsIn(store, id)
  return events.flatMap(({ envelope }): JournalNote<Name>[] => {
    const note = readNote(name, envelope)
    return note === undefined ? [] : [note]
  })
}

/** `user: words`, `assistant: words (incomplete)`, in the order in which they began. */
export async function saidIn(store: JournalStore, id: string): Promise<string[]> {
  return collectMessages(await eventsIn(store, id)).map(({ message, parts }) => {
    const end = message.isIncomplete === true ? ' (incomplete)' : message.error === undefined ? '' : ' (error)'
    return `${message.role}: ${parts.map(textOf).join('|')}${end}`
  })
}

function textOf(part: ConversationPart): string {
  if (part.type === 'tool') return `[${part.status}]`
  return part.type === 'text' || part.type === 'thought' ? part.text : `[${part.type}]`
}

export async function changesIn(store: JournalStore, id: string): Promise<ConversationChange[]> {
  const reducer = new ConversationReducer()
  return (await eventsIn(store, id)).flatMap(event => reducer.apply(event))
}

/** Every line that any process of the mock agent has received, in order. */
export function heardBy(folder: string, name = 'agent.log'): Record<string, unknown>[] {
  const path = join(folder, name)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => asFields(JSON.parse(line)))
}

export function methodsHeard(folder: string): string[] {
  return heardBy(folder).flatMap(({ method }) => (typeof method === 'string' ? [method] : []))
}

export interface HeardPrompt {
  sessionId: unknown
  /** Without what was put in front of it. */
  text: string
  replays: string[]
}

export function promptsHeard(folder: string): HeardPrompt[] {
  return heardBy(folder)
    .filter(({ method }) => method === 'session/prompt')
    .map(({ params }) => {
      const { sessionId, prompt } = asFields(params)
      const texts = (Array.isArray(prompt) ? prompt : []).map(block => String(asFields(block)['text']))
      const isReplay = (text: string) => text.includes(REPLAY_MARK)
      return { sessionId, text: texts.filter(text => !isReplay(text)).join(), replays: texts.filter(isReplay) }
    })
}

/** The next event like this. */
export function notified(
  { conversations }: Pick<Talk, 'conversations'>,
  isIt: (event: JournalEvent) => boolean,
): Promise<JournalEvent> {
  return new Promise(resolve => {
    const off = conversations.on(event => {
      if (!isIt(event)) return undefined
      off()
      resolve(event)
      return undefined
    })
  })
}

export function isKind(kind: string): (event: JournalEvent) => boolean {
  return event => event.kind === kind
}

export const CHUNK = 'session/update:agent_message_chunk'
