// The verdict on the open session, requested again when the server reports a change. The old answer stays
// until the new one arrives.
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ApiVerdict, SessionHealth, SessionStatusMessage } from '../../../src/server/protocol.ts'
import { api } from '../state/api.ts'
import { connection, listen } from '../state/socket.ts'
import { useStore } from '../state/store.ts'
import { onSessionChanged } from '../state/streaming.ts'
import type { Request } from '../state/use-request.ts'
import { useRequest } from '../state/use-request.ts'
import { forgetOutcome, outcomes, type Work, works } from './work.ts'

/** The shortest time between two requests for a session that is being written. */
const PAUSE_MS = 500

export interface HealthState {
  request: Request<SessionHealth>
  /** The running action, of this page or another client. */
  work: Work | undefined
}

export function useHealth(key: string): HealthState {
  const request = useRequest(`health ${key}`, signal => api.health(key, signal))
  const refresh = useThrottled(request)
  const [isRepairing, setIsRepairing] = useState(false)
  const own = useStore(works).get(key)
  const outcome = useStore(outcomes).get(key)
  const hear = useEffectEvent((message: SessionStatusMessage) => {
    if (message.key !== key) return
    // Another client repairs the session, so the outcome of our action is outdated.
    if (message.status === 'repairing' && own === undefined) forgetOutcome(key)
    setIsRepairing(message.status === 'repairing')
    if (message.status !== 'repairing' && (isRepairing || isNews(message, request.answer?.verdict))) refresh()
  })
  const wasReady = useRef(connection.get().state === 'ready')
  const hearReady = useEffectEvent(() => {
    // Only a reconnection may have missed something.
    if (wasReady.current) refresh()
    wasReady.current = true
  })
  // The session may have been found by now.
  const hearLibrary = useEffectEvent(() => void (request.state === 'failed' && refresh()))
  useEffect(() => {
    const stops = [
      listen('session.status', message => hear(message)),
      onSessionChanged(key, refresh),
      listen('ready', () => hearReady()),
      listen('library.changed', () => hearLibrary()),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [key, refresh])
  const { again } = request
  useEffect(() => {
    if (outcome !== undefined) again()
  }, [outcome, again])
  return { request, work: own ?? (isRepairing ? 'repairing' : undefined) }
}

/** Our own request leads to a status message too. Requesting again because of it would never end. */
function isNews(message: SessionStatusMessage, verdict: ApiVerdict | undefined): boolean {
  if (verdict === undefined) return false
  const { status, loads, findings } = message
  const isSame =
    (status === verdict.status || (status === 'repaired' && verdict.status === 'healthy')) &&
    (loads === undefined || (loads.now === verdict.loads.now && loads.afterRepair === verdict.loads.afterRepair)) &&
    (findings === undefined || findings === verdict.findings.length + verdict.moreFindings)
  return !isSame
}

/** At most one request at a time, with a pause between two. */
function useThrottled({ state, again }: Request<unknown>): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isWanted = useRef(false)
  const isAsking = state === 'loading'
  const ask = useEffectEvent(() => {
    timer.current = undefined
    if (isAsking) isWanted.current = true
    else again()
  })
  const refresh = useCallback(() => {
    timer.current ??= setTimeout(() => ask(), PAUSE_MS)
  }, [])
  useEffect(() => {
    if (isAsking || !isWanted.current) return
    isWanted.current = false
    refresh()
  }, [isAsking, refresh])
  useEffect(() => () => clearTimeout(timer.current), [])
  return refresh
}
