// The messages of the open conversation, kept up with its file while it is on the screen.
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { ApiMessage } from '../../../src/server/protocol.ts'
import { api } from '../state/api.ts'
import { listen } from '../state/socket.ts'
import { onSessionChanged } from '../state/talking.ts'
import { layOver, NO_FACTS, pendingMessage } from '../talk/lay-over.ts'
import type { LiveTalk } from '../talk/use-live-talk.ts'
import type { MessageView } from './message-views.ts'
import { viewMessages } from './message-views.ts'
import { MessageWindow } from './message-window.ts'
import { pairTools } from './pairing.ts'
import type { WindowState } from './window-state.ts'

export function useConversationWindow(
  sessionKey: string,
  branch: string | undefined,
): { messages: MessageWindow; state: WindowState } {
  const messages = useMemo(
    () =>
      new MessageWindow({
        ask: (query, signal) => api.messages(sessionKey, branch === undefined ? query : { ...query, branch }, signal),
      }),
    [sessionKey, branch],
  )
  useEffect(() => {
    messages.open()
    const stops = [
      onSessionChanged(sessionKey, () => void messages.refresh()),
      listen('session.status', ({ key }) => void (key === sessionKey && messages.refresh())),
      // What was written while the connection was lost.
      listen('ready', () => void messages.refresh()),
    ]
    return () => {
      for (const stop of stops) stop()
      messages.close()
    }
  }, [messages, sessionKey])
  const state = useSyncExternalStore(messages.subscribe, messages.get)
  return { messages, state }
}

/** What was read, with what is being said over it. `isFresh`: all of it was said while this was open. */
export function useLaid(
  messages: MessageWindow,
  state: WindowState,
  live: LiveTalk,
  isFresh: boolean,
): { held: readonly ApiMessage[]; state: WindowState } {
  return useMemo(() => {
    const told = [...live.messages.values()]
    const said = [...told, ...pendingMessage(live.state?.pending ?? null, told)]
    const facts = state.facts ?? (isFresh ? NO_FACTS : undefined)
    const laid = layOver({ facts, held: messages.held() }, said)
    return { held: laid.held, state: { ...state, facts: laid.facts } }
  }, [messages, state, live, isFresh])
}

export interface Seen {
  views: ReadonlyMap<number, MessageView>
  models: readonly string[]
}

/** What is held, with calls and results together. */
export function useSeen(held: readonly ApiMessage[], facts: WindowState['facts']): Seen {
  const before = useRef<ReadonlyMap<number, MessageView>>(new Map())
  return useMemo(() => {
    const views = viewMessages(held, pairTools(held), before.current)
    before.current = views
    const models = new Set(held.flatMap(({ model }) => (model === undefined ? [] : [model])))
    const first = facts?.facts.model
    return { views, models: first === undefined ? [...models] : [...new Set([first, ...models])] }
  }, [held, facts])
}
