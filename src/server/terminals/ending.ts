// Ends everything that runs in a terminal: first it is asked, as by a terminal window that is closed, then it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../disk/errors.ts'
import { findFamily } from '../../disk/process-family.ts'
import { isRunning } from '../../disk/processes.ts'
import { ENDING_LOOK_MS } from '../limits.ts'

export interface Ending {
  /** Of the process that the terminal was started with: the leader of its session and process group. */
  pid: number
  hasExited(): boolean
  /** For systems without signals. */
  kill(): void
  /** How long after the question. */
  hangUpMs: number
}

/** A process can start another one while it is being killed; after so many looks the system itself keeps it. */
const KILLS = 40

/** Settles when no process is left. */
export async function endAll(ending: Ending): Promise<void> {
  if (process.platform === 'win32') return ending.kill()
  // One that was stopped could not hear the question.
  for (const signal of ['SIGHUP', 'SIGCONT'] as const) signalGroup(ending.pid, signal)
  const deadline = performance.now() + ending.hangUpMs
  while (performance.now() < deadline) {
    if (isGone(ending)) return
    await sleep(ENDING_LOOK_MS)
  }
  for (let kills = 0; kills < KILLS && !isGone(ending); kills++) {
    for (const pid of findFamily(ending.pid) ?? []) signalOne(pid, 'SIGKILL')
    signalGroup(ending.pid, 'SIGKILL')
    await sleep(ENDING_LOOK_MS)
  }
}

/** For somebody who is leaving at once: all are asked, and nobody is waited for. A shell does not pass the question on to what it runs behind. */
export function askAll(leader: number): void {
  if (process.platform === 'win32') return
  for (const signal of ['SIGHUP', 'SIGCONT'] as const) {
    for (const pid of findFamily(leader) ?? []) signalOne(pid, signal)
    signalGroup(leader, signal)
  }
}

/** The number of the leader stays taken as long as anybody is in its group or session, so it is nobody else's. */
function isGone({ pid, hasExited }: Ending): boolean {
  if (!hasExited()) return false
  const family = findFamily(pid)
  return family === undefined ? !isRunning(-pid) : family.length === 0
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  signalOne(-pid, signal)
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended by itself, or has become somebody else's.
    if (!['ESRCH', 'EPERM'].includes(systemCode(error))) throw error
  }
}
