// Ends a process with everything it started: first all are asked, then they are killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { RethreadError } from '../../model/errors.ts'
import { systemCode } from '../files/system-errors.ts'
import { isRunning } from './is-running.ts'
import { findFamily } from './process-family.ts'

export interface Family {
  /** The process that was started: it leads a session and a process group of its own. */
  leader: number
  hasExited(): boolean
}

export interface Ending {
  /** How they are asked; once, for to many programs a second question means to drop everything. */
  ask(leader: number): void
  /** Between the question and the killing. */
  graceMs: number
}

/** How often it is looked whether all have ended. */
const LOOK_MS = 20
/** A process can start another one while it is being killed; after so many looks the system itself keeps it. */
const MAX_KILLS = 50

/** Settles when none is left. Not for Windows, which has neither sessions nor signals. */
export async function endFamily(family: Family, { ask, graceMs }: Ending): Promise<void> {
  ask(family.leader)
  const deadline = performance.now() + graceMs
  while (performance.now() < deadline) {
    if (isGone(family)) return
    await sleep(LOOK_MS)
  }
  for (let kills = 0; kills < MAX_KILLS; kills++) {
    if (isGone(family)) return
    // Also by the group, which nobody can leave between the look and the signal by starting another.
    for (const pid of [...(findFamily(family.leader) ?? []), -family.leader]) signalOne(pid, 'SIGKILL')
    await sleep(LOOK_MS)
  }
  if (!isGone(family)) throw wouldNotEnd(family.leader)
}

/** The number of the leader stays taken as long as anybody is in its group or session, so it is nobody else's until then. */
export function isGone({ leader, hasExited }: Family): boolean {
  if (!hasExited()) return false
  const family = findFamily(leader)
  return family === undefined ? !isRunning(-leader) : family.length === 0
}

/** Each of them; the group where this system does not show sessions. One that was stopped could not hear it, and is woken. */
export function askEach(leader: number, question: 'SIGTERM' | 'SIGHUP'): void {
  for (const signal of [question, 'SIGCONT'] as const)
    for (const pid of findFamily(leader) ?? [-leader]) signalOne(pid, signal)
}

/** As by a terminal window that is closed: a shell passes it on to what it runs. */
export function askGroup(leader: number, question: 'SIGTERM' | 'SIGHUP'): void {
  for (const signal of [question, 'SIGCONT'] as const) signalOne(-leader, signal)
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended by itself, or has become somebody else's.
    if (!['ESRCH', 'EPERM'].includes(systemCode(error))) throw error
  }
}

function wouldNotEnd(leader: number): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `What the process ${leader} started was killed and is still there.`,
    hint: `See what holds it: ps -o pid,stat,wchan,args -s ${leader}`,
  })
}
