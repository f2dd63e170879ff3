// One terminal: its program, the clients that watch it, its size, and how it ended.

import { askEach, askGroup, endFamily } from '../../disk/processes/end-family.ts'
import { hasErrorCode } from '../../model/errors.ts'
import { lineOf } from '../../model/paste.ts'
import type { FoundProgram } from '../../model/program.ts'
import type { TerminalInfo } from '../protocol.ts'
import type { NewTerminal, Size, TerminalClient } from './index.ts'
import { TerminalOutput } from './output.ts'
import type { Exit } from './pty.ts'
import { Pty } from './pty.ts'

export interface TerminalOptions {
  id: string
  wanted: NewTerminal
  /** The program that was found on the PATH. */
  program: FoundProgram
  variables: Record<string, string>
  keptChars: number
  hangUpMs: number
  onEnd(): void
}

export class Terminal {
  readonly #options: TerminalOptions
  readonly #pty: Pty
  readonly #output: TerminalOutput
  readonly #clients = new Map<TerminalClient, Size>()
  /** The exit of the process that was started. Its children may still run for a moment. */
  #exit: Exit | undefined
  #ending: Promise<void> | undefined
  #hasEnded = false

  constructor(options: TerminalOptions) {
    const { wanted, program, variables } = options
    this.#options = options
    this.#pty = new Pty(program, { folder: wanted.folder, variables, cols: wanted.cols, rows: wanted.rows })
    const target = { send: (text: string) => this.#send(text), isCongested: () => this.#isCongested() }
    this.#output = new TerminalOutput(this.#pty, target, options.keptChars)
    this.#pty.onData(text => this.#output.add(text))
    this.#pty.onExit(exit => {
      this.#exit = exit
      // A terminal that we hang up ends with its last process, not with the first.
      if (this.#ending === undefined) this.#end()
    })
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get pid(): number {
    return this.#pty.pid
  }

  get info(): TerminalInfo {
    const { id, wanted } = this.#options
    return {
      terminalId: id,
      agent: wanted.agent,
      sessionId: wanted.sessionId,
      sessionKey: wanted.sessionKey,
      title: wanted.title,
      command: lineOf(wanted.program),
      folder: wanted.folder,
      exit: this.#hasEnded ? (this.#exit ?? { code: null, signal: null }) : null,
    }
  }

  attach(client: TerminalClient, size: Size): { screen: string; isCut: boolean } {
    const screen = this.#output.screen()
    this.#clients.set(client, size)
    this.#fit()
    return screen
  }

  /** Returns whether the client was attached. */
  detach(client: TerminalClient): boolean {
    const wasAttached = this.#clients.delete(client)
    if (wasAttached) this.#fit()
    return wasAttached
  }

  /** Returns whether the client is attached. */
  resize(client: TerminalClient, size: Size): boolean {
    if (!this.#clients.has(client)) return false
    this.#clients.set(client, size)
    this.#fit()
    return true
  }

  input(data: string): void {
    this.#pty.write(data)
  }

  /** Asks the program to end, without waiting. */
  abandon(): void {
    if (!this.hasEnded) askAll(this.#pty.pid)
  }

  /** Resolves when none of its processes runs. A second call returns the same promise. */
  async hangUp(): Promise<void> {
    if (this.#hasEnded) return
    this.#output.letGo()
    this.#ending ??= endAll({
      pid: this.#pty.pid,
      hasExited: () => this.#exit !== undefined,
      kill: () => this.#pty.kill(),
      hangUpMs: this.#options.hangUpMs,
    }).then(() => this.#end())
    await this.#ending
  }

  /**
   * The terminal has the size of the smallest client, so that each client sees the whole screen. Without
   * clients the size stays.
   */
  #fit(): void {
    const sizes = [...this.#clients.values()]
    if (sizes.length === 0) return
    this.#pty.resize({
      cols: Math.min(...sizes.map(size => size.cols)),
      rows: Math.min(...sizes.map(size => size.rows)),
    })
  }

  #send(text: string): void {
    for (const client of this.#clients.keys()) client.output(this.#options.id, text)
  }

  #isCongested(): boolean {
    return [...this.#clients.keys()].some(client => client.isCongested?.() === true)
  }

  #end(): void {
    this.#output.flush()
    this.#hasEnded = true
    const { code, signal } = this.#exit ?? { code: null, signal: null }
    for (const client of this.#clients.keys()) client.exit(this.#options.id, code, signal)
    this.#options.onEnd()
  }
}

export interface Ending {
  /** The process that the terminal was started with. It leads its session and process group. */
  pid: number
  hasExited(): boolean
  /** For systems without signals. */
  kill(): void
  /** The time between the hang-up and the kill. */
  hangUpMs: number
}

/**
 * Sends a hang-up as a closed terminal window does, then kills. Resolves when no process is left, except
 * those that cannot be killed.
 */
export async function endAll({ pid, hasExited, kill, hangUpMs }: Ending): Promise<void> {
  if (process.platform === 'win32') return kill()
  try {
    await endFamily({ leader: pid, hasExited }, { ask: leader => askGroup(leader, 'SIGHUP'), graceMs: hangUpMs })
  } catch (error) {
    // Processes that survive a kill cannot be ended. The terminal is removed anyway.
    if (!hasErrorCode(error, 'timeout')) throw error
  }
}

/** Sends a hang-up to all processes without waiting. A shell does not pass it on to its background jobs. */
export function askAll(leader: number): void {
  if (process.platform !== 'win32') askEach(leader, 'SIGHUP')
}
