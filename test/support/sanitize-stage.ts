// A workspace with damaged conversations, and the real command in a real pseudo-terminal.

import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CliResult, rethreadInTurn } from './cli.ts'
import { put, temporaryHome } from './home.ts'
import { EVENTS_FIXTURE, type Files, META, putWorkspace, WHOLE } from './jp/store.ts'
import { rethreadBin } from './package.ts'
import { type PtyOptions, runInTerminal, type Screen } from './pty.ts'

export const GOOD_EVENTS = EVENTS_FIXTURE.toString()
/** A comma behind the last event. */
export const BAD_EVENTS = GOOD_EVENTS.replace(/\n\]\s*$/, ',\n]')

export interface SanitizeStage {
  home: string
  /** The folder of the workspace. */
  folder: string
  /** Adds a conversation; its id counts up. */
  add(files: Files, slug?: string): string
  /** The content of a file of a conversation. */
  read(name: string, file: string): string
  files(name: string): string[]
  names(): string[]
  editor(script: string): string
  inTerminal(args: string[], options?: Partial<PtyOptions>): Screen
  /** With no terminal, or with one that nobody is asked at. */
  alone(...args: string[]): Promise<CliResult>
}

export function makeSanitizeStage(): SanitizeStage {
  const home = temporaryHome()
  const conversations = join(home, 'shop', '.jp', 'conversations')
  const folder = join(home, 'shop')
  let next = 17935272000
  const ours = ['--home', home, '--state', join(home, 'state')]
  return {
    home,
    folder,
    add(files, slug = 'price-field-in-the-cart') {
      const name = `${next++}-${slug}`
      putWorkspace(home, { ...WHOLE, 'metadata.json': META, ...files }, name)
      return name
    },
    read: (name, file) => readFileSync(join(conversations, name, file), 'utf8'),
    files: name => readdirSync(join(conversations, name)).sort(),
    names: () => readdirSync(conversations).sort(),
    editor(script) {
      const path = put(home, 'my editor.sh', `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o755)
      return `'${path}'`
    },
    inTerminal: (args, options = {}) =>
      runInTerminal(process.execPath, [rethreadBin, ...ours, ...args], { folder, ...options }),
    alone: (...args) => rethreadInTurn(home, '--state', join(home, 'state'), ...args),
  }
}
