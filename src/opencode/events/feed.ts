// Publishes the events of the journal to clients, after applying each to the view of its session.
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
  onBackgroundError(error: unknown): void
}

/** Returns a function that stops the feed. */
export function startFeed(options: FeedOptions): () => void {
  const { conversations, views, onBackgroundError } = options
  return conversations.on(event => {
    const projected = views.onEvent(event)
    if (!(projected instanceof Promise)) {
      publish(options, event, projected)
      return undefined
    }
    // The agent waits, so that its next events are published after this one.
    return projected.then(events => publish(options, event, events)).catch(onBackgroundError)
  })
}

function publish(
  { conversations, views, bus, turns, replies, catalogue }: FeedOptions,
  event: JournalEvent,
  events: OpenCodeEvent[],
): void {
  const { sessionId } = event
  const view = views.peek(sessionId)
  const scope = view === undefined ? {} : { directory: view.directory }
  const asked = view === undefined ? events : replies.applyRules(view, events)
  bus.publish(turns.pass(sessionId, asked), scope)
  if (view === undefined) return
  if (event.kind === 'session/update:available_commands_update')
    catalogue.learnCommands(view.session.agent, view.commands)
  // What another process asks is answered there.
  if (conversations.isLive(sessionId) && replies.noteRequests(view, asked)) turns.noteAsked(view)
}
