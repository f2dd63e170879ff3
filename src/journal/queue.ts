// Prompts that wait. Each is in the journal before its client
// gets an answer, and is sent later under its key.
import { randomUUID } from 'node:crypto'
import { JournalWriter, noteEntry, type PublishEvent } from './connection/journal-writer.ts'
import { asFields } from './envelope.ts'
import { type JournalNote, makeNote, QUEUED_MARK, readNote } from './store/notes.ts'
import type { Envelope, JournalSession, JournalStore } from './store/store.ts'

export interface QueueTools {
  store: JournalStore
  publish: PublishEvent
}

export type QueuedPrompt = Pick<JournalNote<'_rethread/queued'>, 'prompt' | 'messageId'>

/** Resolves with the key when the prompt is in the journal. */
export async function queuePrompt(
  tools: QueueTools,
  session: JournalSession,
  { prompt, messageId }: QueuedPrompt,
): Promise<string> {
  const key = randomUUID()
  const named = messageId === undefined ? {} : { messageId }
  await writeNote(tools, session, makeNote('_rethread/queued', session.lastConnectionId, { key, prompt, ...named }))
  return key
}

/** The prompt will not be sent. It stays in the journal, with the reason. */
export async function refuseQueued(
  tools: QueueTools,
  session: JournalSession,
  refused: JournalNote<'_rethread/unsent'>,
): Promise<void> {
  await writeNote(tools, session, makeNote('_rethread/unsent', session.lastConnectionId, refused))
}

/** `seq`: the event of the prompt. Undefined where it cannot be read any longer. */
export async function readQueued(
  store: JournalStore,
  sessionId: string,
  seq: number,
): Promise<QueuedPrompt | undefined> {
  const { events } = await store.page(sessionId, { after: seq - 1, limit: 1 })
  return readNote('_rethread/queued', events[0]?.envelope)
}

/** Whether a prompt was queued before: it names its key. */
export function isQueued(params: object): boolean {
  return QUEUED_MARK in asFields(Reflect.get(params, '_meta'))
}

/** Whether an agent ever got a message of the conversation, or of the one that it was copied from. */
export async function hasTalked(store: JournalStore, sessionId: string): Promise<boolean> {
  for (let after = 0; ; ) {
    const page = await store.page(sessionId, { after, limit: PAGE })
    if (page.skipped.length > 0 || page.events.some(({ kind }) => isTalk(kind))) return true
    if (page.lastSeq <= after || page.lastSeq >= page.total) return false
    after = page.lastSeq
  }
}

const PAGE = 200

function isTalk(kind: string): boolean {
  return kind === 'session/prompt' || kind.endsWith('_message_chunk')
}

async function writeNote({ store, publish }: QueueTools, session: JournalSession, note: Envelope): Promise<void> {
  await new JournalWriter(store, session.lastConnectionId, publish).write([noteEntry(session.id, note)])
}
