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
  /** Of the process that was started, which may have ended. */
  pidOf(id: string): number
  /** The one that runs this session; one that has ended does not. */
  ofSession(key: string): TerminalInfo | undefined
  /** Throws before anything is started: too many, too fast, not installed, the folder is gone. */
  create(wanted: NewTerminal): TerminalInfo
  /** Everything so far, as much as is kept; `client` gets what comes after. Attaching again is a resize. */
  attach(id: string, client: TerminalClient, size: Size): { terminal: TerminalInfo; screen: string; isCut: boolean }
  detach(id: string, client: TerminalClient): void
  detachAll(client: TerminalClient): void
  /** What an ended terminal is sent goes nowhere, as the key was pressed before its end was seen. */
  input(id: string, data: string): void
  resize(id: string, client: TerminalClient, size: Size): void
  /** Asks what runs to end, and takes it off the list once it has. */
  close(id: string): void
  on(event: 'changed', listener: () => void): () => void
  on(event: 'exit', listener: (terminal: TerminalInfo) => void): () => void
  /** For good. Asks all to end, and ends those that do not: settles when no process is left. */
  stop(): Promise<void>
  /** For a process that ends at once: asks all to end, and waits for none. */
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
  /** Over those that all terminals get. */
  variables?: Readonly<Record<string, string>>
}

/** Neither call may throw: whoever is gone takes nothing. */
export interface TerminalClient {
  output(terminalId: string, data: string): void
  exit(terminalId: string, code: number | null, signal: string | null): void
  /** Too much of what it was given is still unsent. Meanwhile what runs is held back. */
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
