// All terminals: the list, the limits, and stopping them.
import { randomBytes } from 'node:crypto'
import { childEnvironment } from '../../agents/child-environment.ts'
import type { Variables } from '../../disk/processes/find-command.ts'
import { locateProgram, requireStartFolder } from '../../disk/processes/start-program.ts'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { quote } from '../../model/paste.ts'
import type { FoundProgram, Program } from '../../model/program.ts'
import {
  HANG_UP_MS,
  MAX_CREATES_PER_MINUTE,
  MAX_ENDED_TERMINALS,
  MAX_TERMINALS,
  OUTPUT_BUFFER_CHARS,
} from '../limits.ts'
import type { TerminalInfo } from '../protocol.ts'
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
  keptChars: OUTPUT_BUFFER_CHARS,
  hangUpMs: HANG_UP_MS,
}
const MINUTE_MS = 60_000
const ID_BYTES = 12

type Listener = (terminal: TerminalInfo) => void

export class TerminalRegistry implements Terminals {
  readonly #options: TerminalsOptions
  readonly #limits: TerminalLimits
  /** In the order of creation. */
  readonly #terminals = new Map<string, Terminal>()
  readonly #listeners = { changed: new Set<Listener>(), exit: new Set<Listener>() }
  /** The times of the last creations. */
  #made: number[] = []
  /** Removed from the list as soon as they have ended. */
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
    this.#notify('changed', terminal.info)
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
      this.#notify('changed', terminal.info)
      return
    }
    this.#closing.add(terminal)
    void terminal.hangUp()
  }

  on(event: 'changed', listener: () => void): () => void
  on(event: 'exit', listener: (terminal: TerminalInfo) => void): () => void
  on(event: 'changed' | 'exit', listener: Listener): () => void {
    // A new function for each call, because the same function may be added twice.
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
    this.#notify('exit', info)
    this.#notify('changed', info)
  }

  #notify(event: 'changed' | 'exit', terminal: TerminalInfo): void {
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

/** Finds the program first: a PTY with a missing program would only show a screen that ends at once. */
export function findProgram(program: Program, folder: string, variables: Variables): FoundProgram {
  const found = locateProgram(program, folder, variables)
  if (found !== undefined) return found
  throw new RethreadError({
    code: 'unsupported',
    text: `${program.command} is not installed, or not on the PATH.`,
    hint: `Check whether it is installed: which ${quote(program.command)}`,
  })
}
