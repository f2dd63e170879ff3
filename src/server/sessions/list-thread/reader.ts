// Learns the summaries that are missing, one session after the other, newest first.
import type { Summary } from '../../../catalog/summaries.ts'
import type { SessionRef } from '../../../model/session.ts'
import { sharedBytes } from '../../../model/shared-bytes.ts'
import type { Progress } from '../../api.ts'

export interface Reader {
  /** Reads these sessions instead of those that still wait. */
  readAll(sessions: readonly SessionRef[]): void
  /** Reads this session next. */
  readNext(session: SessionRef): void
  /** Stops, and gives up the running reading. */
  stop(): void
}

export interface ReaderParts {
  isCurrent(session: SessionRef): boolean
  learn(session: SessionRef): Promise<Summary>
  learnt(session: SessionRef, summary: Summary): void
  onProgress(progress: Progress): void
}

export function makeReader(parts: ReaderParts): Reader {
  let waiting: SessionRef[] = []
  let progress: Progress = noProgress()
  let isReading = false
  let isStopped = false
  let share = sharedBytes([])

  const step = (session: SessionRef): void => {
    const bytesDone = Math.min(progress.bytesTotal, progress.bytesDone + share(session))
    progress = { ...progress, done: Math.min(progress.total, progress.done + 1), bytesDone }
    parts.onProgress({ ...progress, bytesDone: Math.round(bytesDone) })
  }
  const run = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    for (let next = waiting.shift(); next !== undefined && !isStopped; next = waiting.shift()) {
      if (parts.isCurrent(next)) parts.learnt(next, await parts.learn(next))
      step(next)
    }
    isReading = false
    if (isStopped) return
    progress = { ...progress, phase: 'done', done: progress.total, bytesDone: progress.bytesTotal }
    parts.onProgress(progress)
  }
  return {
    readAll(sessions) {
      waiting = sessions.toSorted((a, b) => b.updatedAt - a.updatedAt)
      share = sharedBytes(waiting)
      const bytesTotal = Math.round(waiting.reduce((sum, session) => sum + share(session), 0))
      progress = { phase: 'reading', done: 0, total: waiting.length, bytesDone: 0, bytesTotal }
      parts.onProgress(progress)
      void run()
    },
    readNext(session) {
      waiting.unshift(session)
      progress = { ...progress, phase: 'reading', total: progress.total + 1 }
      void run()
    },
    stop() {
      isStopped = true
      waiting = []
    },
  }
}

function noProgress(): Progress {
  return { phase: 'done', done: 0, total: 0, bytesDone: 0, bytesTotal: 0 }
}
