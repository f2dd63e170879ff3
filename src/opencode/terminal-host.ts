// The interface to the server's terminals.

/** A type, not an interface: events accept any object type, and an interface is not one. */
export type Pty = {
  /** Starts with `pty`. */
  id: string
  title: string
  command: string
  args: string[]
  cwd: string
  status: 'running' | 'exited'
  pid: number
  exitCode?: number
}

export interface PtyWanted {
  /** Default: the user's shell. */
  command?: string
  args?: string[]
  cwd: string
  title?: string
  /** Added to the environment of every terminal. */
  env?: Record<string, string>
  /** The folder of the call. The terminal may run in another one. */
  directory: string
}

export interface PtyChange {
  title?: string
  size?: { rows: number; cols: number }
}

export interface Shell {
  path: string
  name: string
  /** Whether it runs scripts for common shells. */
  acceptable: boolean
}

/** Opens one connection, once, within a limited time. */
export interface Ticket {
  ticket: string
  /** In seconds. */
  expires_in: number
}

export type PtyEvent =
  | { type: 'pty.created'; properties: { info: Pty } }
  | { type: 'pty.updated'; properties: { info: Pty } }
  | { type: 'pty.exited'; properties: { id: string; exitCode: number } }
  | { type: 'pty.deleted'; properties: { id: string } }

/**
 * Terminals that were created through the API. The page lists them with all others. Unknown ids throw
 * `not-found`.
 */
export interface TerminalHost {
  /** Only those of one folder, if named. */
  list(directory?: string): Pty[]
  get(id: string): Pty
  /** Throws before it starts anything: too many, too fast, not installed, or no such folder. */
  create(wanted: PtyWanted): Pty
  update(id: string, change: PtyChange): Pty
  /** Removes it from the list at once. Its processes are asked to end, then killed. */
  remove(id: string): void
  shells(): Shell[]
  issueTicket(id: string): Ticket
  on(listener: (event: PtyEvent, directory: string) => void): () => void
}
