// The state of the sessions, for a client that connects: which work, which are idle, and
// which were interrupted by the end of an earlier server. Without it, a client that saw a
// session busy shows it busy until its next turn.
import type { Api } from '../api.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { StateEvent } from './sse.ts'

/** The most recently used ones. A client shows no others as busy. */
const MAX_SESSIONS = 500
const MAX_INTERRUPTED = 50

/** A client shows these itself when it opens the session. */
const LEFT_OUT: readonly OpenCodeEvent['type'][] = ['session.error', 'session.status', 'session.idle']

export async function stateOf(api: Api): Promise<StateEvent[]> {
  const { sessions, turns, views } = api
  const state: StateEvent[] = []
  for (const id of api.conversations.interrupted.slice(0, MAX_INTERRUPTED)) state.push(...(await interruption(api, id)))
  for (const { record, session } of (await sessions.list()).slice(0, MAX_SESSIONS)) {
    const isBusy = turns.isBusy(record.id) || views.peek(record.id)?.status.type === 'busy'
    const status = { type: isBusy ? ('busy' as const) : ('idle' as const) }
    const event: OpenCodeEvent = { type: 'session.status', properties: { sessionID: session.id, status } }
    state.push({ event, directory: session.directory })
  }
  return state
}

/**
 * The end of the turn that was cut off: its messages, its tools and its
 * requests. Nothing once there was another turn.
 */
async function interruption({ sessions, turns, views, conversations }: Api, id: string): Promise<StateEvent[]> {
  const session = await sessions.findIfThere(id)
  if (session === undefined || turns.isBusy(id)) return []
  const { seq, events } = await views.lastEnd(id)
  const isNewest = (await conversations.store.count(id)) === seq
  const shown = isNewest ? events.filter(({ type }) => !LEFT_OUT.includes(type)) : []
  return shown.map(event => ({ event, directory: session.cwd }))
}
