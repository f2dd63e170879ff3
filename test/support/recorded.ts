// Sessions that the real agents wrote, as homes that a test may write to.
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryHome } from './home.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/recorded')

/** One for each agent and generation: `codex-0.166.0`. */
export const RECORDINGS = readdirSync(FOLDER, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)

/** A copy of one recording: a home folder with its conversation. */
export function recordedHome(name: string): string {
  const home = temporaryHome()
  cpSync(join(FOLDER, name), home, { recursive: true })
  return home
}
