// Whether the open conversation is live, and its live state.
import { useEffect, useRef } from 'react'
import type { SessionDetail } from '../../../src/server/protocol.ts'
import type { ApiFailure } from '../state/api.ts'
import { talkApi } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { noteUnlisted, unlisted } from '../state/unlisted.ts'
import type { LiveTalk } from '../talk/use-live-talk.ts'
import { useLiveTalk } from '../talk/use-live-talk.ts'

export interface Talk {
  isTalk: boolean
  /** The conversation started while the page was open, so all messages are known without a reading. */
  isFresh: boolean
  live: LiveTalk
}

export function useTalk(
  sessionKey: string,
  branch: string | undefined,
  detail: SessionDetail | undefined,
  failure: ApiFailure | undefined,
): Talk {
  const isUnlisted = useStore(unlisted).has(sessionKey)
  const isFresh = useRef(false)
  isFresh.current ||= isUnlisted
  // Also while the session is listed but its details have not arrived.
  const isTalk = branch === undefined && (isFresh.current || detail?.conversation !== undefined)
  const isUnknown = failure?.code === 'session-not-found'
  // A reloaded page may show a conversation without messages.
  useEffect(() => {
    if (!isUnknown) return
    const abort = new AbortController()
    talkApi.state(sessionKey, abort.signal).then(
      ({ isListed }) => void (isListed || noteUnlisted(sessionKey)),
      () => undefined,
    )
    return () => abort.abort()
  }, [sessionKey, isUnknown])
  return { isTalk, isFresh: isFresh.current, live: useLiveTalk(sessionKey, isTalk) }
}
