// Ends everything that runs in a terminal: first it is asked, as by a terminal window that is closed, then it is killed.
import { askEach, askGroup, endFamily } from '../../disk/processes/end-family.ts'
import { hasErrorCode } from '../../model/errors.ts'

export interface Ending {
  /** Of the process that the terminal was started with: the leader of its session and process group. */
  pid: number
  hasExited(): boolean
  /** For systems without signals. */
  kill(): void
  /** How long after the question. */
  hangUpMs: number
}

/** Settles when no process is left, or only such as the system itself keeps. */
export async function endAll({ pid, hasExited, kill, hangUpMs }: Ending): Promise<void> {
  if (process.platform === 'win32') return kill()
  try {
    await endFamily({ leader: pid, hasExited }, { ask: leader => askGroup(leader, 'SIGHUP'), graceMs: hangUpMs })
  } catch (error) {
    // Nobody can do more about it, and the terminal is of no use to anybody any more.
    if (!hasErrorCode(error, 'timeout')) throw error
  }
}

/** For somebody who is leaving at once: nobody is waited for. A shell does not pass the question on to what it runs behind. */
export function askAll(leader: number): void {
  if (process.platform !== 'win32') askEach(leader, 'SIGHUP')
}
