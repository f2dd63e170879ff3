// Private folders in the system's temporary folder, for copies of conversations. They are removed when the
// process that created them ends.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromSystemError } from '../files/system-errors.ts'

const NAME = /^rethread-(\d+)-\w{6}$/

export interface PrivateFolder {
  folder: string
  remove(): void
}

export function makePrivateFolder(): PrivateFolder {
  try {
    const folder = mkdtempSync(join(tmpdir(), `rethread-${process.pid}-`))
    return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
  } catch (error) {
    throw fromSystemError(error, tmpdir())
  }
}

/**
 * Removes folders left by terminated threads and killed processes. Call it while no task of this process
 * runs.
 */
export function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(NAME.exec(name)?.[1])
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) removeIfOurs(join(tmpdir(), name))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** A folder of another user on the same machine stays. */
function removeIfOurs(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))) throw error
  }
}
