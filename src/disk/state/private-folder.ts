// Folders in the system's temporary folder for copies of what people said: nobody else may look into them, and they do not outlive the process that made them.
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

/** What was left by threads of ours that were ended in the middle of something, and by processes that were killed. For when nothing of ours is at work. */
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

/** Somebody else's on the same machine is not ours to remove. */
function removeIfOurs(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))) throw error
  }
}
