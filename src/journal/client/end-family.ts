// Ends a command with everything it started: first it is asked, then it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../disk/errors.ts'
import { findFamily } from '../../disk/process-family.ts'
import { isRunning } from '../../disk/processes.ts'
import { RethreadError } from '../../model/errors.ts'
import { END_LOOK_MS, MAX_KILLS } from './limits.ts'

export interface Family {
  /** The process that was started: it leads a session and a process group of its own. */
  leader: number
  hasExited(): boolean
}

/** Settles when none is left. */
export async function endFamily(family: Family, graceMs: number): Promise<void> {
  // One that was stopped could not hear the question.
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) askAll(family.leader, signal)
  const deadline = performance.now() + graceMs
  while (performance.now() < deadline) {
    if (isGone(family)) return
    await sleep(END_LOOK_MS)
  }
  for (let kills = 0; kills < MAX_KILLS; kills++) {
    if (isGone(family)) return
    killAll(family.leader)
    await sleep(END_LOOK_MS)
  }
  if (!isGone(family)) throw wouldNotEnd(family.leader)
}

/** The number of the leader stays taken as long as anybody is in its group or session, so it is nobody else's until then. */
export function isGone({ leader, hasExited }: Family): boolean {
  if (!hasExited()) return false
  const family = findFamily(leader)
  return family === undefined ? !isRunning(-leader) : family.length === 0
}

/** Each once: to many programs a second question means to drop everything. The group where this system does not show sessions. */
function askAll(leader: number, signal: NodeJS.Signals): void {
  for (const pid of findFamily(leader) ?? [-leader]) signalOne(pid, signal)
}

/** Also by the group, which nobody can leave between the look and the signal by starting another. */
function killAll(leader: number): void {
  for (const pid of [...(findFamily(leader) ?? []), -leader]) signalOne(pid, 'SIGKILL')
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
