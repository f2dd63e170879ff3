// The messages of the open conversation, kept up to date with its file.
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { ApiMessage } from '../../../../src/server/protocol.ts'
import { api, type SessionState } from '../../state/api.ts'
import { listen } from '../../state/socket.ts'
import { onSessionChanged } from '../../state/streaming.ts'
import { mergeLiveMessages, NO_FACTS, pendingMessage } from '../../talk/live-messages.ts'
import type { LiveTalk } from '../../talk/use-live-talk.ts'
import { pairTools } from '../parts/pairing.ts'
import type { MessageView } from './message-views.ts'
import { viewMessages } from './message-views.ts'
import { MessageWindow } from './message-window.ts'
import type { WindowState } from './window-state.ts'

export function useConversationWindow(
  sessionKey: string,
  { branch, version }: SessionState,
): { messages: MessageWindow; state: WindowState } {
  const messages = useMemo(
    () =>
      new MessageWindow({
        ask: (query, signal) =>
          api.messages(
            sessionKey,
            {
              ...query,
              ...(branch === undefined ? {} : { branch }),
              ...(version === undefined ? {} : { version }),
            },
            signal,
          ),
      }),
    [sessionKey, branch, version],
  )
  useEffect(() => {
    messages.open()
    const stops = [
      onSessionChanged(sessionKey, () => void messages.refresh()),
      listen('session.status', ({ key }) => void (key === sessionKey && messages.refresh())),
      // The file may have changed while the connection was lost.
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

/** Merges live messages into the loaded ones. `isFresh`: the conversation started while the page was open. */
export function useMergedMessages(
  messages: MessageWindow,
  state: WindowState,
  live: LiveTalk,
  isFresh: boolean,
): { loaded: readonly ApiMessage[]; state: WindowState } {
  return useMemo(() => {
    const sent = [...live.messages.values()]
    const said = [...sent, ...pendingMessage(live.state?.pending ?? null, sent)]
    const facts = state.facts ?? (isFresh ? NO_FACTS : undefined)
    const merged = mergeLiveMessages({ facts, loaded: messages.loaded() }, said)
    return { loaded: merged.loaded, state: { ...state, facts: merged.facts } }
  }, [messages, state, live, isFresh])
}

export interface MessageViews {
  views: ReadonlyMap<number, MessageView>
  models: readonly string[]
}

/** The loaded messages, with calls and results matched. */
export function useMessageViews(loaded: readonly ApiMessage[], facts: WindowState['facts']): MessageViews {
  const before = useRef<ReadonlyMap<number, MessageView>>(new Map())
  return useMemo(() => {
    const views = viewMessages(loaded, pairTools(loaded), before.current)
    before.current = views
    const models = new Set(loaded.flatMap(({ model }) => (model === undefined ? [] : [model])))
    const first = facts?.facts.model
    return { views, models: first === undefined ? [...models] : [...new Set([first, ...models])] }
  }, [loaded, facts])
}
