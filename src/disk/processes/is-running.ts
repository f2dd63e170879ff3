// Whether a process exists, without affecting it.
import { systemCode } from '../files/system-errors.ts'

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user cannot be signalled, but exists.
    return systemCode(error) === 'EPERM'
  }
}
