// Waits for a session after a start: it counts as missing only when the first scan is complete.
import type { SessionCatalog } from './index.ts'

/** Calls `onEnd` once: when the session is known, or when all are. Not after the signal. */
export function whenKnown(
  sessions: Pick<SessionCatalog, 'find' | 'progress' | 'on'>,
  name: string,
  signal: AbortSignal,
  onEnd: () => void,
): void {
  const endIfKnown = (): void => {
    if (sessions.progress.phase === 'finding' && sessions.find(name) === undefined) return
    stop()
    onEnd()
  }
  const listening = [sessions.on('changed', endIfKnown), sessions.on('progress', endIfKnown)]
  const stop = (): void => {
    for (const end of listening) end()
  }
  signal.addEventListener('abort', stop)
}
