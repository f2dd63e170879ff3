// What the gate says to a person.
import type { Verdict } from '../../model/verdict.ts'
import type { Countdown } from '../../repair/when-quiet.ts'
import type { Progress, ServerMessageOf, SessionRow, SessionStatus } from '../protocol.ts'

export type Waiting = Omit<ServerMessageOf<'terminal.waiting'>, 'type' | 'requestId'>
export type Notice = NonNullable<ServerMessageOf<'terminal.created'>['notice']>

export function lookingForIt(): Waiting {
  return { phase: 'checking', text: 'Looking for the conversation.', choices: [] }
}

export function checking(agent: string): Waiting {
  return { phase: 'checking', text: `Checking the conversation before ${agent} starts.`, choices: [] }
}

export function stillChecking(agent: string): Waiting {
  const text = `${agent} starts when the check is done.`
  return { phase: 'checking', text, choices: ['without-repair', 'cancel'] }
}

export function repairing(agent: string): Waiting {
  return { phase: 'repairing', text: `Repairing the conversation. ${agent} starts when that is done.`, choices: [] }
}

/** For somebody who did not want to wait. */
export function alreadyRepairing(agent: string): Waiting {
  const text = `The repair is already writing, so ${agent} starts as soon as it has finished.`
  return { phase: 'repairing', text, choices: ['cancel'] }
}

export function slowCheck(row: SessionRow, seconds: number, progress: Progress): Waiting {
  const others =
    progress.phase === 'done' || progress.total === 0
      ? ''
      : ` In the background ${count(progress.done)} of ${count(progress.total)} conversations are done.`
  return {
    phase: 'slow-check',
    text: `The check has taken ${seconds} seconds: the conversation has ${bytes(row.fileSize)}.${others} Started without repair, nothing is repaired until the terminal ends.`,
    choices: ['wait', 'without-repair', 'cancel'],
  }
}

export function busy({ reason, secondsLeft }: Countdown, agent: string): Waiting {
  const next =
    secondsLeft === undefined
      ? `${agent} starts by itself when that has ended. ${reason.hint}`
      : `If nothing more is written, ${agent} starts in ${secondsLeft} ${secondsLeft === 1 ? 'second' : 'seconds'}.`
  return {
    phase: 'busy',
    text: `${reason.text} ${next}`,
    ...(secondsLeft === undefined ? {} : { secondsLeft }),
    choices: ['without-repair', 'cancel'],
  }
}

export function repaired({ loads }: Verdict): Notice {
  const all = Math.max(loads.now, loads.afterRepair)
  return {
    kind: 'repaired',
    status: 'repaired',
    text: `Repaired: ${count(loads.now)} of ${count(all)} messages; undo any time`,
  }
}

export function withoutRepair(status: SessionStatus, because: string): Notice {
  return { kind: 'without-repair', status, text: because }
}

export const NOT_WAITED_FOR =
  'Started without waiting for the check. Nothing is repaired on this conversation until the terminal ends.'

export function notRepaired(why: string | undefined): string {
  return `Not repaired: ${why ?? 'there is nothing that can safely be changed.'}`
}

export function notResumed(status: 'missing' | 'unreadable' | 'unrecoverable', agent: string, why?: string): Notice {
  const what = {
    missing: 'The conversation is not there any more',
    unreadable: 'The conversation could not be read',
    unrecoverable: 'Nothing of the conversation can be loaded, and no repair brings it back',
  }[status]
  const reason = why === undefined ? '' : ` ${why}`
  return { kind: 'not-resumed', status, text: `${what}; ${agent} was started anew.${reason}` }
}

function count(value: number): string {
  return value.toLocaleString('en')
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

function bytes(size: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, size)) / Math.log(1000)))
  const value = size / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}
