// All terminals: who they are, how many there may be, and the end of all of them.
import { randomBytes } from 'node:crypto'
import { childEnvironment } from '../../agents/child-environment.ts'
import { requireStartFolder } from '../../disk/processes/start-program.ts'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { HANG_UP_MS, KEPT_OUTPUT_CHARS, MAX_CREATES_PER_MINUTE, MAX_ENDED_TERMINALS, MAX_TERMINALS } from '../limits.ts'
import type { TerminalInfo } from '../protocol.ts'
import { findProgram } from './find-command.ts'
import type { NewTerminal, Size, TerminalClient, Terminals, TerminalsOptions } from './index.ts'
import { Terminal } from './terminal.ts'

export interface TerminalLimits {
  running: number
  ended: number
  createsPerMinute: number
  keptChars: number
  hangUpMs: number
}

const LIMITS: TerminalLimits = {
  running: MAX_TERMINALS,
  ended: MAX_ENDED_TERMINALS,
  createsPerMinute: MAX_CREATES_PER_MINUTE,
  keptChars: KEPT_OUTPUT_CHARS,
  hangUpMs: HANG_UP_MS,
}
const MINUTE_MS = 60_000
const ID_BYTES = 12

type Listener = (terminal: TerminalInfo) => void

export class TerminalRegistry implements Terminals {
  readonly #options: TerminalsOptions
  readonly #limits: TerminalLimits
  /** In the order of their making. */
  readonly #terminals = new Map<string, Terminal>()
  readonly #listeners = { changed: new Set<Listener>(), exit: new Set<Listener>() }
  /** When the last ones were made. */
  #made: number[] = []
  /** Taken off the list as soon as they have ended. */
  readonly #closing = new Set<Terminal>()
  #isStopped = false

  constructor(options: TerminalsOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
  }

  list(): TerminalInfo[] {
    return [...this.#terminals.values()].map(terminal => terminal.info)
  }

  get(id: string): TerminalInfo | undefined {
    return this.#terminals.get(id)?.info
  }

  pidOf(id: string): number {
    return this.#require(id).pid
  }

  ofSession(key: string): TerminalInfo | undefined {
    return this.list().find(({ sessionKey, exit }) => sessionKey === key && exit === null)
  }

  create(wanted: NewTerminal): TerminalInfo {
    this.#refuseTooMany()
    requireStartFolder(wanted.folder)
    const variables = { ...childEnvironment(this.#options), ...wanted.variables }
    const program = findProgram(wanted.program, wanted.folder, variables)
    const id = randomBytes(ID_BYTES).toString('base64url')
    const { keptChars, hangUpMs } = this.#limits
    const onEnd = () => this.#ended(id)
    const terminal = new Terminal({ id, wanted, program, variables, keptChars, hangUpMs, onEnd })
    this.#made.push(performance.now())
    this.#terminals.set(id, terminal)
    this.#tell('changed', terminal.info)
    return terminal.info
  }

  attach(id: string, client: TerminalClient, size: Size): { terminal: TerminalInfo; screen: string; isCut: boolean } {
    const terminal = this.#require(id)
    return { ...terminal.attach(client, size), terminal: terminal.info }
  }

  detach(id: string, client: TerminalClient): void {
    this.#terminals.get(id)?.detach(client)
  }

  detachAll(client: TerminalClient): void {
    for (const terminal of this.#terminals.values()) terminal.detach(client)
  }

  input(id: string, data: string): void {
    this.#require(id).input(data)
  }

  resize(id: string, client: TerminalClient, size: Size): void {
    if (this.#require(id).resize(client, size)) return
    throw refusal('usage', 'This client does not watch the terminal.', 'Attach to it first.')
  }

  close(id: string): void {
    const terminal = this.#require(id)
    if (terminal.hasEnded) {
      this.#terminals.delete(id)
      this.#tell('changed', terminal.info)
      return
    }
    this.#closing.add(terminal)
    void terminal.hangUp()
  }

  on(event: 'changed', listener: () => void): () => void
  on(event: 'exit', listener: (terminal: TerminalInfo) => void): () => void
  on(event: 'changed' | 'exit', listener: Listener): () => void {
    // Each call is a listener of its own, as one function may listen twice.
    const own: Listener = terminal => listener(terminal)
    this.#listeners[event].add(own)
    return () => void this.#listeners[event].delete(own)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#terminals.values()].map(terminal => terminal.hangUp()))
  }

  abandon(): void {
    for (const terminal of this.#terminals.values()) terminal.abandon()
  }

  #refuseTooMany(): void {
    if (this.#isStopped) throw refusal('stopped', 'The server is stopping.', 'Start it again: rethread serve')
    const running = [...this.#terminals.values()].filter(terminal => !terminal.hasEnded).length
    if (running >= this.#limits.running)
      throw refusal('busy', `${running} terminals are already running, which is the limit.`, 'Close one of them.')
    const now = performance.now()
    this.#made = this.#made.filter(time => now - time < MINUTE_MS)
    if (this.#made.length >= this.#limits.createsPerMinute)
      throw refusal(
        'busy',
        `${this.#made.length} terminals were started within a minute, which is the limit.`,
        'Try again in a minute.',
      )
  }

  #ended(id: string): void {
    const terminal = this.#require(id)
    const { info } = terminal
    if (this.#closing.delete(terminal)) this.#terminals.delete(id)
    const ended = [...this.#terminals].filter(([, candidate]) => candidate.hasEnded)
    for (const [old] of ended.slice(0, Math.max(0, ended.length - this.#limits.ended))) this.#terminals.delete(old)
    this.#tell('exit', info)
    this.#tell('changed', info)
  }

  #tell(event: 'changed' | 'exit', terminal: TerminalInfo): void {
    for (const listener of [...this.#listeners[event]]) listener(terminal)
  }

  #require(id: string): Terminal {
    const terminal = this.#terminals.get(id)
    if (terminal !== undefined) return terminal
    throw refusal('not-found', `Terminal ${id} no longer exists.`, 'Reload the page to see which ones there are.')
  }
}

function refusal(code: ErrorCode, text: string, hint: string): RethreadError {
  return new RethreadError({ code, text, hint })
}
