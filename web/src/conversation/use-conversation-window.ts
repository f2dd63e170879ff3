// The messages of the open conversation, kept up with its file while it is on the screen.
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { api } from '../state/api.ts'
import { listen } from '../state/socket.ts'
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
    const refresh = (message: { key: string }) => {
      if (message.key === sessionKey) void messages.refresh()
    }
    const stops = [
      listen('session.changed', refresh),
      listen('session.status', refresh),
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

export interface Seen {
  held: ReturnType<MessageWindow['held']>
  views: ReadonlyMap<number, MessageView>
  models: readonly string[]
}

/** What is held, with calls and results together. */
export function useSeen(messages: MessageWindow, state: WindowState): Seen {
  const before = useRef<ReadonlyMap<number, MessageView>>(new Map())
  return useMemo(() => {
    const held = messages.held()
    const views = viewMessages(held, pairTools(held), before.current)
    before.current = views
    const models = new Set(held.flatMap(({ model }) => (model === undefined ? [] : [model])))
    const first = state.facts?.facts.model
    return { held, views, models: first === undefined ? [...models] : [...new Set([first, ...models])] }
  }, [messages, state])
}
