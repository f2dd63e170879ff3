// Follows one conversation while it is open: its state, and its last messages as they grow.
import { useEffect, useState } from 'react'
import type { ApiError, TalkState } from '../../../src/server/protocol.ts'
import { listen, send } from '../state/socket.ts'
import { setStreaming } from '../state/streaming.ts'
import { noteListed } from '../state/unlisted.ts'
import type { LiveMessages } from './live-messages.ts'
import { takeMessages } from './live-messages.ts'

export interface LiveTalk {
  /** Null until the server has sent it. */
  state: TalkState | null
  messages: LiveMessages
  /** Why it cannot be followed. */
  failure: ApiError | null
}

const NOTHING: LiveTalk = { state: null, messages: new Map(), failure: null }

export function useLiveTalk(key: string, isOn: boolean): LiveTalk {
  const [live, setLive] = useState(NOTHING)
  useEffect(() => {
    if (!isOn) return
    const requestId = `talk ${key}`
    const watch = () => void send({ type: 'conversation.watch', requestId, id: key })
    const stops = [
      // After a reconnection the server sends everything again.
      listen('ready', watch),
      listen('conversation.state', ({ type: _, ...state }) => {
        if (state.key !== key) return
        if (state.isListed) noteListed(key)
        setLive(before => ({ ...before, state, failure: null }))
      }),
      listen('conversation.messages', ({ key: of, messages, isWhole }) => {
        if (of !== key) return
        setLive(before => ({ ...before, messages: takeMessages(before.messages, messages, isWhole) }))
      }),
      listen('error', ({ requestId: of, code, text, hint }) => {
        if (of === requestId) setLive(before => ({ ...before, failure: { code, text, hint } }))
      }),
    ]
    watch()
    return () => {
      for (const stop of stops) stop()
      send({ type: 'conversation.unwatch', id: key })
      setLive(NOTHING)
    }
  }, [key, isOn])
  const isStreaming = live.state?.status === 'busy' && live.messages.size > 0
  useEffect(() => {
    setStreaming(key, isStreaming)
    return () => setStreaming(key, false)
  }, [key, isStreaming])
  return live
}
