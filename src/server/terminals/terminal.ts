// One terminal: what runs in it, who watches it, how large it is, and how it ended.
import { lineOf } from '../../model/paste.ts'
import type { FoundProgram } from '../../model/program.ts'
import type { TerminalInfo } from '../protocol.ts'
import { askAll, endAll } from './ending.ts'
import type { NewTerminal, Size, TerminalClient } from './index.ts'
import { TerminalOutput } from './output.ts'
import type { Exit } from './pty.ts'
import { Pty } from './pty.ts'

export interface TerminalOptions {
  id: string
  wanted: NewTerminal
  /** As it was found. */
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
  /** Of the process that was started; others may be left for a moment. */
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
      // What we ended has ended with its last process, not with the first one.
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

  /** Whether it was attached. */
  detach(client: TerminalClient): boolean {
    const wasAttached = this.#clients.delete(client)
    if (wasAttached) this.#fit()
    return wasAttached
  }

  /** Whether it is attached. */
  resize(client: TerminalClient, size: Size): boolean {
    if (!this.#clients.has(client)) return false
    this.#clients.set(client, size)
    this.#fit()
    return true
  }

  input(data: string): void {
    this.#pty.write(data)
  }

  /** Asks what runs to end, and waits for nothing. */
  abandon(): void {
    if (!this.hasEnded) askAll(this.#pty.pid)
  }

  /** Settles when nothing of it runs any more. A second call joins the first. */
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
   * As large as the smallest of those who watch: each of them sees the whole screen, and nobody a broken one. Who leaves gives the room back;
   * with nobody there it stays as it was.
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
