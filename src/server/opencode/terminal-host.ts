// Terminals of the API, over those of the server: the same limits, the same end, and the page shows them too.
import type { WebSocket } from 'ws'
import { RethreadError } from '../../model/errors.ts'
import { program, words, written } from '../../model/program.ts'
import type { Pty, PtyChange, PtyEvent, PtyWanted, Shell, TerminalHost, Ticket } from '../../opencode/terminal-host.ts'
import { personsShell, type Terminals } from '../terminals/index.ts'
import { HostedTerminal, noTerminal } from './hosted-terminal.ts'
import { FIRST_SIZE, MAX_COLS, MAX_ROWS } from './limits.ts'
import { listShells } from './shells.ts'
import { Tickets } from './tickets.ts'

type Listener = (event: PtyEvent, directory: string) => void

export class OwnTerminalHost implements TerminalHost {
  readonly #terminals: Terminals
  readonly #tickets = new Tickets()
  /** In the order of their making. */
  readonly #hosted = new Map<string, HostedTerminal>()
  readonly #listeners = new Set<Listener>()

  constructor(terminals: Terminals) {
    this.#terminals = terminals
    terminals.on('exit', ({ terminalId }) => this.#ended(`pty_${terminalId}`))
    terminals.on('changed', () => this.#dropGone())
  }

  list(directory?: string): Pty[] {
    const all = [...this.#hosted.values()]
    return all.filter(({ facts }) => directory === undefined || facts.directory === directory).map(({ info }) => info)
  }

  get(id: string): Pty {
    return this.#require(id).info
  }

  create(wanted: PtyWanted): Pty {
    // A client with the token may type anything into a shell: these words are its own.
    const started =
      wanted.command === undefined ? personsShell() : program(wanted.command, words(written(wanted.args ?? [])))
    const { command, args } = started
    const title = wanted.title || command
    const made = this.#terminals.create({
      ...{ agent: null, sessionId: null, sessionKey: null, title, program: started, folder: wanted.cwd },
      ...FIRST_SIZE,
      ...(wanted.env === undefined ? {} : { variables: wanted.env }),
    })
    const { terminalId } = made
    const hosted = new HostedTerminal({
      ...{ id: `pty_${terminalId}`, terminalId, title, command, args: [...args] },
      ...{ cwd: wanted.cwd, directory: wanted.directory, pid: this.#terminals.pidOf(terminalId) },
    })
    this.#hosted.set(hosted.facts.id, hosted)
    hosted.output(terminalId, this.#terminals.attach(terminalId, hosted, hosted.size).screen)
    this.#tell(hosted, { type: 'pty.created', properties: { info: hosted.info } })
    return hosted.info
  }

  update(id: string, { title, size }: PtyChange): Pty {
    const hosted = this.#require(id)
    if (title !== undefined && title !== '') hosted.title = title
    if (size !== undefined) {
      hosted.size = { cols: Math.min(size.cols, MAX_COLS), rows: Math.min(size.rows, MAX_ROWS) }
      if (!hosted.hasExited) this.#terminals.resize(hosted.facts.terminalId, hosted, hosted.size)
    }
    this.#tell(hosted, { type: 'pty.updated', properties: { info: hosted.info } })
    return hosted.info
  }

  remove(id: string): void {
    const hosted = this.#require(id)
    this.#hosted.delete(id)
    this.#terminals.close(hosted.facts.terminalId)
    hosted.closeSockets()
    this.#tell(hosted, { type: 'pty.deleted', properties: { id } })
  }

  shells(): Shell[] {
    return listShells()
  }

  issueTicket(id: string): Ticket {
    this.#require(id)
    return this.#tickets.issue(id)
  }

  on(listener: Listener): () => void {
    // Each call is a listener of its own, as one function may listen twice.
    const own: Listener = (event, directory) => listener(event, directory)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  has(id: string): boolean {
    return this.#hosted.has(id)
  }

  redeem(id: string, ticket: string): boolean {
    return this.#tickets.redeem(id, ticket)
  }

  /** What is typed goes in as it comes; what cannot be taken closes the socket with the reason. */
  connect(id: string, socket: WebSocket, cursor: number): void {
    const hosted = this.#require(id)
    socket.on('message', data => {
      try {
        this.#terminals.input(hosted.facts.terminalId, String(data))
      } catch (error) {
        if (!(error instanceof RethreadError)) throw error
        socket.close(INPUT_REFUSED, error.message.slice(0, MAX_REASON_CHARS))
      }
    })
    hosted.addSocket(socket, cursor)
  }

  /** The terminal has told it to the hosted one before. */
  #ended(id: string): void {
    const hosted = this.#hosted.get(id)
    if (hosted === undefined) return
    this.#tell(hosted, { type: 'pty.exited', properties: { id, exitCode: hosted.info.exitCode ?? 0 } })
  }

  /** Closed on the page, or ended so long ago that it is not kept. */
  #dropGone(): void {
    for (const [id, hosted] of this.#hosted) {
      if (this.#terminals.get(hosted.facts.terminalId) !== undefined) continue
      this.#hosted.delete(id)
      this.#tell(hosted, { type: 'pty.deleted', properties: { id } })
    }
  }

  #tell({ facts }: HostedTerminal, event: PtyEvent): void {
    for (const listener of [...this.#listeners]) listener(event, facts.directory)
  }

  #require(id: string): HostedTerminal {
    const hosted = this.#hosted.get(id)
    if (hosted === undefined) throw noTerminal(id)
    return hosted
  }
}

const INPUT_REFUSED = 1013
/** A reason may be 123 bytes long. */
const MAX_REASON_CHARS = 100
