// Waits while a session is being written, then runs a step. Shared by the terminal, the page and a restore.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reason, RepairReport, Verdict } from '../model/verdict.ts'

/** An agent that is not idle by then works for longer than a person waits. */
export const MAX_QUIET_WAIT_MS = 120_000
/** How often the session is checked again. An agent may be closed before the countdown ends. */
const RECHECK_MS = 2000
const SECOND_MS = 1000
/**
 * The pause is at least this many times as long as the check, so that a large session is not checked all the
 * time.
 */
const MIN_PAUSE_FACTOR = 2

export interface Countdown {
  reason: Reason
  /** The remaining seconds if nothing more is written. Absent where a running process makes that unknown. */
  secondsLeft?: number
}

export interface QuietOptions {
  /** Called once a second. */
  onWait(countdown: Countdown): void
  signal?: AbortSignal
  /** Wait for a recent change to age, but not for a running process. */
  onlyRecent?: boolean
  /** Default: `MAX_QUIET_WAIT_MS`. */
  maxMs?: number
}

export interface Attempted {
  /** Absent where the caller did not wait for it. */
  verdict?: Verdict
  report?: RepairReport
}

/**
 * Calls `attempt` until the verdict is not `busy` or the time is over; the reason then says so. Rejects with
 * the reason of the signal.
 */
export async function whenQuiet<Done extends Attempted>(
  attempt: () => Promise<Done>,
  { onWait, signal, onlyRecent = false, maxMs = MAX_QUIET_WAIT_MS }: QuietOptions,
): Promise<Done> {
  const waitStarted = performance.now()
  for (;;) {
    const attemptStarted = performance.now()
    const done = await attempt()
    const reason = done.verdict?.status === 'busy' ? done.verdict.reason : undefined
    if (reason === undefined || (onlyRecent && reason.retryAfterMs === undefined)) return done
    const now = performance.now()
    const left = maxMs - (now - waitStarted)
    if (left <= 0) return withReason(done, stillBusy(reason, now - waitStarted))
    const pause = Math.max(RECHECK_MS, (now - attemptStarted) * MIN_PAUSE_FACTOR)
    await countDown(reason, Math.min(pause, reason.retryAfterMs ?? pause, left), onWait, signal)
  }
}

function withReason<Done extends Attempted>(done: Done, reason: Reason): Done {
  const { verdict, report } = done
  return {
    ...done,
    ...(verdict === undefined ? {} : { verdict: { ...verdict, reason } }),
    ...(report?.error === undefined ? {} : { report: { ...report, error: reason } }),
  }
}

async function countDown(
  reason: Reason,
  pauseMs: number,
  onWait: QuietOptions['onWait'],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { retryAfterMs } = reason
  for (let waited = 0; waited < pauseMs; waited += SECOND_MS) {
    const secondsLeft =
      retryAfterMs === undefined ? {} : { secondsLeft: Math.ceil((retryAfterMs - waited) / SECOND_MS) }
    onWait({ reason, ...secondsLeft })
    try {
      await sleep(Math.min(SECOND_MS, pauseMs - waited), undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  }
}

function stillBusy(reason: Reason, waitedMs: number): Reason {
  const seconds = Math.round(waitedMs / SECOND_MS)
  return {
    code: reason.code,
    text: `${reason.text} This was still the case after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, and nothing was changed.`,
    hint: 'Close the agent that uses this session, then try again.',
  }
}
