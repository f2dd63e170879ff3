// Terminals with stand-in agents in a temporary home, and a client that keeps what it is shown.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { agents } from '../../src/agents/index.ts'
import { program, textValue, words } from '../../src/model/program.ts'
import type { NewTerminal, TerminalClient, Terminals, TerminalsOptions } from '../../src/server/terminals/index.ts'
import { makeTerminals } from '../../src/server/terminals/index.ts'
import { environmentOf, put, temporaryHome } from './home.ts'

export class Watcher implements TerminalClient {
  shown = ''
  exits: { code: number | null; signal: string | null }[] = []
  isStuck = false

  output(_terminalId: string, data: string): void {
    this.shown += data
  }

  exit(_terminalId: string, code: number | null, signal: string | null): void {
    this.exits.push({ code, signal })
  }

  isCongested(): boolean {
    return this.isStuck
  }

  async sees(text: string | RegExp): Promise<void> {
    await expect.poll(() => this.shown, { interval: 5 }).toMatch(text)
  }

  async seesExit(): Promise<{ code: number | null; signal: string | null }> {
    await expect.poll(() => this.exits.length, { interval: 5 }).toBe(1)
    return this.exits[0] ?? { code: null, signal: 'none was given' }
  }
}

export interface Stage {
  home: string
  terminals: Terminals
  /** Puts a program on the PATH of what runs in the terminals. */
  standIn(name: string, script: string): void
}

export const SIZE = { cols: 80, rows: 24 }

export function makeStage(options: Partial<TerminalsOptions> = {}): Stage {
  const home = temporaryHome()
  const bin = join(home, 'bin')
  const context = { agents, environment: environmentOf(home) }
  const terminals = makeTerminals({ context, pathFirst: bin, ...options })
  onTestFinished(() => terminals.stop())
  const standIn = (name: string, script: string): void => chmodSync(put(home, `bin/${name}`, script), 0o755)
  return { home, terminals, standIn }
}

/** A terminal in which the shell runs a script. */
export function running(stage: Stage, script: string, more: Partial<NewTerminal> = {}): NewTerminal {
  const what = { agent: null, sessionId: null, sessionKey: null, title: 'a test' }
  return {
    ...what,
    program: program('sh', words('-c', textValue(script || ':'))),
    folder: stage.home,
    ...SIZE,
    ...more,
  }
}

/** Starts a script and watches it from the beginning. */
export function watch(stage: Stage, script: string, size = SIZE): { id: string; watcher: Watcher } {
  const { terminalId } = stage.terminals.create(running(stage, script, size))
  const watcher = new Watcher()
  watcher.shown = stage.terminals.attach(terminalId, watcher, size).screen
  return { id: terminalId, watcher }
}
