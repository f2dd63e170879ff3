// A program in a real pseudo-terminal: what it shows, the keys it is given, and how it ends.

import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { expect, onTestFinished } from 'vitest'

export const KEYS = { enter: '\r', down: '\u001b[B', up: '\u001b[A', ctrlC: '\u0003', ctrlD: '\u0004', ctrlU: '\u0015' }

export interface Screen {
  /** All of what was shown, without colours and movements. */
  text(): string
  /** The same with them. */
  raw(): string
  /** Its lines, without bars that were taken away. */
  lines(): string[]
  /** When this was shown, behind everything that was waited for before. */
  sees(text: string | RegExp): Promise<void>
  type(...keys: string[]): void
  kill(signal: NodeJS.Signals): void
  ended: Promise<number>
}

export interface PtyOptions {
  folder: string
  env?: Record<string, string>
  columns?: number
}

export function runInTerminal(command: string, args: string[], options: PtyOptions): Screen {
  const { CI: _, NO_COLOR: __, JP_EDITOR: ___, VISUAL: ____, EDITOR: _____, ...inherited } = process.env
  const pty = spawn(command, args, {
    name: options.env?.['TERM'] ?? 'xterm-256color',
    cwd: options.folder,
    env: { ...inherited, ...options.env },
    cols: options.columns ?? 100,
    rows: 40,
  })
  let shown = ''
  let seen = 0
  let hasEnded = false
  pty.onData(data => {
    shown += data
  })
  const ended = new Promise<number>(resolve =>
    pty.onExit(({ exitCode }) => {
      hasEnded = true
      resolve(exitCode)
    }),
  )
  onTestFinished(() => {
    if (!hasEnded) pty.kill('SIGKILL')
  })
  const text = (): string => plain(shown)
  return {
    text,
    raw: () => shown,
    lines: () => plain(withoutErased(shown)).split('\n'),
    ended,
    async sees(wanted) {
      const find = (): RegExpExecArray | null =>
        (typeof wanted === 'string' ? asPattern(wanted) : wanted).exec(text().slice(seen))
      await expect.poll(() => (find() === null ? text().slice(seen) : 'seen'), { interval: 10 }).toBe('seen')
      const found = find()
      seen += (found?.index ?? 0) + (found?.[0].length ?? 0)
    },
    kill: signal => pty.kill(signal),
    type: (...keys) => {
      for (const key of keys) pty.write(key)
    },
  }
}

function plain(shown: string): string {
  return stripVTControlCharacters(shown).replace(/\r/g, '')
}

/** What takes a line away begins at its first column. */
function withoutErased(shown: string): string {
  const parts = shown.split('\r\u001b[J')
  const last = parts.pop() ?? ''
  return parts.map(part => part.slice(0, part.lastIndexOf('\n') + 1)).join('') + last
}

/** Words may stand in different lines, as wide as the terminal is. */
function asPattern(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ +/g, '[\\s│]+'))
}
