// Terminals: an agent or a shell in a PTY, which any number of clients watch and write to.

import type { ChildEnvironmentOptions } from '../../agents/child-environment.ts'
import type { Program } from '../../model/program.ts'
import type { TerminalInfo } from '../protocol.ts'
import type { TerminalLimits } from './registry.ts'
import { TerminalRegistry } from './registry.ts'

export { personsShell } from '../../agents/child-environment.ts'

export interface Terminals {
  list(): TerminalInfo[]
  get(id: string): TerminalInfo | undefined
  /** The pid of the process that was started. It may have ended. */
  pidOf(id: string): number
  /** The terminal that runs this session and has not ended. */
  ofSession(key: string): TerminalInfo | undefined
  /** Throws before anything is started: too many terminals, too fast, not installed, or no folder. */
  create(wanted: NewTerminal): TerminalInfo
  /** Returns the stored output; `client` gets what comes after it. Attaching again is a resize. */
  attach(id: string, client: TerminalClient, size: Size): { terminal: TerminalInfo; screen: string; isCut: boolean }
  detach(id: string, client: TerminalClient): void
  detachAll(client: TerminalClient): void
  /** Input to an ended terminal is dropped: the key was pressed before the user saw the end. */
  input(id: string, data: string): void
  resize(id: string, client: TerminalClient, size: Size): void
  /** Asks the program to end, and removes the terminal when it has. */
  close(id: string): void
  on(event: 'changed', listener: () => void): () => void
  on(event: 'exit', listener: (terminal: TerminalInfo) => void): () => void
  /** Asks all programs to end and kills those that do not. Resolves when no process is left. */
  stop(): Promise<void>
  /** For an immediate exit: asks all programs to end and does not wait. */
  abandon(): void
}

export interface NewTerminal extends Size {
  /** Null for a shell. */
  agent: string | null
  sessionId: string | null
  sessionKey: string | null
  title: string
  program: Program
  folder: string
  /** Added to the variables of all terminals. */
  variables?: Readonly<Record<string, string>>
}

/** Neither call may throw: messages to a closed client are dropped. */
export interface TerminalClient {
  output(terminalId: string, data: string): void
  exit(terminalId: string, code: number | null, signal: string | null): void
  /** Too many bytes are unsent. The output of the program is paused meanwhile. */
  isCongested?(): boolean
}

export interface Size {
  cols: number
  rows: number
}

export interface TerminalsOptions extends ChildEnvironmentOptions {
  /** For tests. */
  limits?: Partial<TerminalLimits>
}

export function makeTerminals(options: TerminalsOptions): Terminals {
  return new TerminalRegistry(options)
}
