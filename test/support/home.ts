// A throw-away home folder with an environment that looks only there.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Environment } from '../../src/agents/environment.ts'

export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'rethread-home-'))
  // A program that a test started may write until it has ended.
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return home
}

export function environmentOf(home: string, variables: Record<string, string> = {}): Environment {
  return { home, platform: 'linux', variables }
}

/** Writes a file below `home`, with its folders, and returns its path. */
export function put(home: string, name: string, content: string | Buffer): string {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

/** JSON records as lines. */
export function lines(...records: unknown[]): string {
  return records.map(record => `${JSON.stringify(record)}\n`).join('')
}

/** The other temporary folders may be in memory. */
const DISK = process.env['RETHREAD_TEST_DISK'] ?? tmpdir()
const MEMORY = '/dev/shm'

export const hasTwoDisks = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(DISK).dev

export function folderOnDisk(): string {
  const folder = mkdtempSync(join(DISK, 'rethread-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
