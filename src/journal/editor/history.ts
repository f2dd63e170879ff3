// Sends the history of a conversation to an editor, from the journal, as an agent does when it loads a
// session.
import type { ConversationChange } from '../conversation/changes.ts'
import { ConversationReducer } from '../conversation/reducer.ts'
import { asFields } from '../envelope.ts'
import { promptParams, readNote } from '../store/notes.ts'
import type { JournalEvent, JournalStore } from '../store/store.ts'
import type { EditorWire } from './editor-wire.ts'
import { isAgentNotification, withOurSessionId } from './opened-sessions.ts'

const PAGE = 500
const SKIPPED_TEXT = 'Part of this conversation could not be read in the journal.'

/** Sends page by page. Returns the last event it has sent. */
export async function sendHistory(store: JournalStore, wire: EditorWire, sessionId: string): Promise<number> {
  const reducer = new ConversationReducer()
  let after = 0
  for (;;) {
    const page = await store.page(sessionId, { after, limit: PAGE })
    for (const event of page.events)
      for (const line of linesOf(event, reducer.apply(event), sessionId)) await wire.write(line)
    if (page.skipped.length > 0) await wire.write(updateLine(sessionId, thought(SKIPPED_TEXT)))
    if (page.lastSeq <= after || page.lastSeq >= page.total) return Math.max(after, page.lastSeq)
    after = page.lastSeq
  }
}

function linesOf(event: JournalEvent, changes: readonly ConversationChange[], sessionId: string): Buffer[] {
  if (event.kind === 'session/prompt' || event.kind === '_rethread/prompt_taken')
    return promptLines(event, changes, sessionId)
  if (event.kind.startsWith('session/update') && isAgentNotification(event)) return [withOurSessionId(event)]
  return endedTools(changes).map(callId =>
    updateLine(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: callId, status: 'failed' }),
  )
}

/** A prompt that was sent a second time makes no second message. */
function promptLines({ envelope }: JournalEvent, changes: readonly ConversationChange[], sessionId: string): Buffer[] {
  if (!changes.some(({ type }) => type === 'message')) return []
  const prompt: unknown = asFields(promptParams(envelope))['prompt']
  const blocks: unknown[] = Array.isArray(prompt) ? prompt : []
  return blocks.map(content => updateLine(sessionId, { sessionUpdate: 'user_message_chunk', content }))
}

/** Tools that were interrupted. No later event ends them. */
function endedTools(changes: readonly ConversationChange[]): string[] {
  return changes.flatMap(change =>
    change.type === 'part' && change.part.type === 'tool' && change.part.status === 'interrupted'
      ? [change.part.callId]
      : [],
  )
}

export function updateLine(sessionId: string, update: object): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } }))
}

/** A thought, so that it is shown beside the answer. */
export function thought(text: string): object {
  return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }
}

// The notice about how a conversation was restored, and what the agent may have lost.

export interface RestoredFacts {
  rung: string
  text: string
  lost: string | undefined
}

export function restoredFacts({ kind, envelope }: JournalEvent): RestoredFacts | undefined {
  if (kind !== '_rethread/restored') return undefined
  const note = readNote('_rethread/restored', envelope)
  return note === undefined ? undefined : { rung: note.rung, text: note.text, lost: note.lost }
}

/** A notice where the editor supports it, otherwise a thought, so that the person sees it. */
export function restoredLine(sessionId: string, { text, lost }: RestoredFacts, initialize: unknown): Buffer {
  const session = asFields(asFields(asFields(initialize)['clientCapabilities'])['session'])
  const said = lost === undefined ? text : `${text} ${lost}`
  if (session['notices'] === undefined || session['notices'] === null)
    return updateLine(sessionId, thought(`[rethread] The conversation was restored. ${said}\n`))
  const severity = lost === undefined ? 'info' : 'warning'
  return updateLine(sessionId, {
    sessionUpdate: 'notice',
    severity,
    title: 'The conversation was restored.',
    description: said,
  })
}
