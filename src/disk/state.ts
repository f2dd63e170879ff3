// rethread's own folder. Files in it are 0600, folders 0700, and reading goes on without it where it cannot be written.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fromSystemError } from './errors.ts'

/** Makes a folder inside the state folder (and the state folder itself), and returns its path. */
export function stateFolder(state: string, ...names: string[]): string {
  const path = join(state, ...names)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

export function makePrivate(path: string): void {
  chmodSync(path, 0o600)
}
