// Ends a process with everything it started: first by a signal to all, then by SIGKILL.
import { setTimeout as sleep } from 'node:timers/promises'
import { RethreadError } from '../../model/errors.ts'
import { systemCode } from '../files/system-errors.ts'
import { findFamily } from './process-family.ts'
import { isRunning } from './process-identity.ts'

export interface Family {
  /** The process that was started. It leads its own session and process group. */
  leader: number
  hasExited(): boolean
}

export interface EndOptions {
  /**
   * How they are asked to end. Only once: many programs treat a second request as an order to drop
   * everything.
   */
  ask(leader: number): void
  /** The time between the request and SIGKILL. */
  graceMs: number
}

/** How often to check whether all have ended. */
const POLL_MS = 20
/**
 * A process can start another one while it is being killed. After this many attempts the system itself keeps
 * it alive.
 */
const MAX_KILLS = 50

/** Resolves when no process is left. Not for Windows, which has neither sessions nor signals. */
export async function endFamily(family: Family, { ask, graceMs }: EndOptions): Promise<void> {
  ask(family.leader)
  const deadline = performance.now() + graceMs
  while (performance.now() < deadline) {
    if (isFamilyGone(family)) return
    await sleep(POLL_MS)
  }
  for (let kills = 0; kills < MAX_KILLS; kills++) {
    if (isFamilyGone(family)) return
    // Also by the group, which a process cannot leave between the check and the signal by starting another.
    for (const pid of [...(findFamily(family.leader) ?? []), -family.leader]) signalOne(pid, 'SIGKILL')
    await sleep(POLL_MS)
  }
  if (!isFamilyGone(family)) throw wouldNotEnd(family.leader)
}

/** The pid of the leader is not reused while its group or session has members. */
export function isFamilyGone({ leader, hasExited }: Family): boolean {
  if (!hasExited()) return false
  const family = findFamily(leader)
  return family === undefined ? !isRunning(-leader) : family.length === 0
}

/**
 * Signals each process, or the group where this system does not show sessions. A stopped process is continued
 * so that it can react.
 */
export function askEach(leader: number, question: 'SIGTERM' | 'SIGHUP'): void {
  for (const signal of [question, 'SIGCONT'] as const)
    for (const pid of findFamily(leader) ?? [-leader]) signalOne(pid, signal)
}

/** Like a closed terminal window: a shell passes the signal on to the programs it runs. */
export function askGroup(leader: number, question: 'SIGTERM' | 'SIGHUP'): void {
  for (const signal of [question, 'SIGCONT'] as const) signalOne(-leader, signal)
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // The process has ended, or its pid now belongs to another user.
    if (!['ESRCH', 'EPERM'].includes(systemCode(error))) throw error
  }
}

function wouldNotEnd(leader: number): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `Processes started by process ${leader} are still running after a kill.`,
    hint: `See what holds it: ps -o pid,stat,wchan,args -s ${leader}`,
  })
}
