// The sentences that the gate sends to clients.

import { failureOf } from '../../model/errors.ts'
import { formatNumber } from '../../model/format-number.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Countdown } from '../../repair/when-quiet.ts'
import type { Progress, ServerMessageOf, SessionRow, SessionStatus } from '../protocol.ts'
import { FolderGone } from './programs.ts'

export type WaitingMessage = Omit<ServerMessageOf<'terminal.waiting'>, 'type' | 'requestId'>
export type ResumeNotice = NonNullable<ServerMessageOf<'terminal.created'>['notice']>

export function searching(): WaitingMessage {
  return { phase: 'checking', text: 'Finding the conversation.', choices: [] }
}

export function checking(agent: string): WaitingMessage {
  return { phase: 'checking', text: `Checking the conversation before ${agent} starts.`, choices: [] }
}

export function stillChecking(agent: string): WaitingMessage {
  const text = `${agent} starts when the check is done.`
  return { phase: 'checking', text, choices: ['without-repair', 'cancel'] }
}

export function repairing(agent: string): WaitingMessage {
  return { phase: 'repairing', text: `Repairing the conversation. ${agent} starts when that is done.`, choices: [] }
}

/** For a user who did not want to wait. */
export function alreadyRepairing(agent: string): WaitingMessage {
  const text = `The repair is already writing, so ${agent} starts as soon as it has finished.`
  return { phase: 'repairing', text, choices: ['cancel'] }
}

export function slowCheck(row: SessionRow, seconds: number, progress: Progress): WaitingMessage {
  const others =
    progress.phase === 'done' || progress.total === 0
      ? ''
      : ` ${formatNumber(progress.done)} of ${formatNumber(progress.total)} conversations are checked in the background.`
  return {
    phase: 'slow-check',
    text: `The check has taken ${seconds} seconds: the conversation has ${bytes(row.fileSize)}.${others} If you start without repair, nothing is repaired until the terminal ends.`,
    choices: ['wait', 'without-repair', 'cancel'],
  }
}

export function busy({ reason, secondsLeft }: Countdown, agent: string): WaitingMessage {
  const next =
    secondsLeft === undefined
      ? `${agent} starts once that has ended. ${reason.hint}`
      : `If nothing more is written, ${agent} starts in ${secondsLeft} ${secondsLeft === 1 ? 'second' : 'seconds'}.`
  return {
    phase: 'busy',
    text: `${reason.text} ${next}`,
    ...(secondsLeft === undefined ? {} : { secondsLeft }),
    choices: ['without-repair', 'cancel'],
  }
}

export function repaired({ loads }: Verdict): ResumeNotice {
  const all = Math.max(loads.now, loads.afterRepair)
  return {
    kind: 'repaired',
    status: 'repaired',
    text: `Repaired: ${formatNumber(loads.now)} of ${formatNumber(all)} messages; undo any time`,
  }
}

export function withoutRepair(status: SessionStatus, because: string): ResumeNotice {
  return { kind: 'without-repair', status, text: because }
}

export const NOT_WAITED_FOR =
  'Started without waiting for the check. This conversation is not repaired until the terminal ends.'

export function notRepaired(why: string | undefined): string {
  return `Not repaired: ${why ?? 'nothing can safely be changed.'}`
}

export function notResumed(
  status: 'missing' | 'unreadable' | 'unrecoverable',
  agent: string,
  why?: string,
): ResumeNotice {
  const because = {
    missing: 'this one no longer exists',
    unreadable: 'this one cannot be read',
    unrecoverable: 'this one cannot be loaded or repaired',
  }[status]
  const reason = why === undefined ? '' : ` ${why}`
  return { kind: 'not-resumed', status, text: `${agent} started a new conversation because ${because}.${reason}` }
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

function bytes(size: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, size)) / Math.log(1000)))
  const value = size / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}

export function gateError(error: unknown, requestId: string): ServerMessageOf<'error'> {
  const { code, text, hint } = failureOf('', error)
  const offers = error instanceof FolderGone && error.offers.length > 0 ? { offers: error.offers } : {}
  return { type: 'error', code, text, hint, requestId, ...offers }
}
