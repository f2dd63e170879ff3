// From the journal to the clients: every event is shown in the view of its session, and told to whoever listens.
import type { Conversations } from '../../journal/conversations.ts'
import type { JournalEvent } from '../../journal/store/store.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Views } from '../projection/views.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { Replies } from '../turns/replies.ts'
import type { Turns } from '../turns/turns.ts'
import type { Bus } from './bus.ts'

export interface FeedOptions {
  conversations: Conversations
  views: Views
  bus: Bus
  turns: Turns
  replies: Replies
  catalogue: Catalogue
  onTrouble(error: unknown): void
}

/** Returns how to stop it. */
export function startFeed(options: FeedOptions): () => void {
  const { conversations, views, onTrouble } = options
  return conversations.on(event => {
    const told = views.onEvent(event)
    if (!(told instanceof Promise)) {
      tell(options, event, told)
      return undefined
    }
    // The agent waits: what it says next is told behind it.
    return told.then(events => tell(options, event, events)).catch(onTrouble)
  })
}

function tell(
  { views, bus, turns, replies, catalogue }: FeedOptions,
  event: JournalEvent,
  events: OpenCodeEvent[],
): void {
  const { sessionId } = event
  const view = views.peek(sessionId)
  const scope = view === undefined ? {} : { directory: view.directory }
  bus.publish(turns.pass(sessionId, events), scope)
  if (view === undefined) return
  if (event.kind === 'session/update:available_commands_update')
    catalogue.learnCommands(view.session.agent, view.commands)
  if (replies.noteAsked(view, events)) turns.noteAsked(sessionId)
}
