// Whether a process is there, without doing anything to it.
import { systemCode } from '../files/system-errors.ts'

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process may not be asked, but is there.
    return systemCode(error) === 'EPERM'
  }
}
