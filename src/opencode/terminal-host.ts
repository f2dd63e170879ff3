// What the API needs of terminals. The server has them; here is only known what can be asked of it.

/** A type, not an interface: events take any object, and only a type is known to have no more fields. */
export type Pty = {
  /** Begins with `pty`. */
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
  /** The person's shell where none is named. */
  command?: string
  args?: string[]
  cwd: string
  title?: string
  /** Over what terminals get anyway. */
  env?: Record<string, string>
  /** Of the call, which may be another than where it runs. */
  directory: string
}

export interface PtyChange {
  title?: string
  size?: { rows: number; cols: number }
}

export interface Shell {
  path: string
  name: string
  /** Whether scripts for the usual shells run in it. */
  acceptable: boolean
}

/** Opens one connection, once, for a while. */
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

/** Of those that were made through the API; the page lists them among all others. Unknown ids throw `not-found`. */
export interface TerminalHost {
  /** Of one folder, where one is named. */
  list(directory?: string): Pty[]
  get(id: string): Pty
  /** Throws before anything is started: too many, too fast, not installed, the folder is gone. */
  create(wanted: PtyWanted): Pty
  update(id: string, change: PtyChange): Pty
  /** Gone from the list at once; what runs is asked to end, and ended where it does not. */
  remove(id: string): void
  shells(): Shell[]
  issueTicket(id: string): Ticket
  on(listener: (event: PtyEvent, directory: string) => void): () => void
}
