// A generated home for one measurement, and the commands that everything is compared with, over the very same files.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MadeSample } from '../../src/agents/samples/sample.ts'
import type { LibraryOptions } from '../generator/index.ts'
import { generateLibrary } from '../generator/index.ts'
import type { Command } from './processes.ts'
import { outputOf } from './processes.ts'
import type { Program } from './program.ts'

export interface Library {
  home: string
  made: MadeSample[]
  files: number
  bytes: number
  /** An empty state folder: the next command meets these sessions for the first time. */
  freshState(): string
  cat: Command
  countLines: Command
  /** How often a word appears, with ripgrep where it is installed, else with grep. */
  countWord(word: string): Command
  find: Command
  remove(): void
}

export type Kind = Omit<LibraryOptions, 'home' | 'seed'>

const SEED = 1

export function makeLibrary(folder: string, kind: Kind): Library {
  const root = mkdtempSync(join(folder, 'library-'))
  const home = join(root, 'home')
  const made = generateLibrary({ ...kind, home, seed: SEED })
  const names = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
  const list = join(root, 'files')
  writeFileSync(list, names.join('\0'))
  const overFiles = (...command: string[]): Command => ({ file: 'xargs', args: ['-0', '-a', list, ...command] })
  return {
    home,
    made,
    files: names.length,
    bytes: names.reduce((sum, name) => sum + statSync(name).size, 0),
    freshState: () => mkdtempSync(join(root, 'state-')),
    cat: overFiles('cat'),
    countLines: overFiles('wc', '-l'),
    countWord: word => overFiles(hasRipgrep() ? 'rg' : 'grep', '-c', '-i', '-w', word),
    find: { file: 'find', args: [home, '-type', 'f', '-printf', '%p %s %T@ %i\\n'] },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

function hasRipgrep(): boolean {
  return spawnSync('rg', ['--version']).status === 0
}

interface Listed {
  sessions: { sessionId: string; messageCount: number; partial: boolean }[]
}

/** Speed counts only if everything was read: as many sessions and messages as were written, and none of them in part. */
export function assertReadCompletely(program: Program, library: Library): void {
  const state = library.freshState()
  const { sessions } = JSON.parse(
    outputOf(program.run('--home', library.home, '--state', state, 'list', '--json')),
  ) as Listed
  const known = new Map(sessions.map(session => [session.sessionId, session]))
  for (const { agent, store, sessionId, messages } of library.made) {
    const listed = known.get(sessionId)
    if (listed?.messageCount === messages && !listed.partial) continue
    throw new Error(
      `${agent} ${store} ${sessionId}: ${messages} messages were written, but listed was ${JSON.stringify(listed)}`,
    )
  }
}
