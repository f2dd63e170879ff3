// Terminals of the OpenCode API, on top of those of the server: the same limits apply, and the page shows
// them too.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { WebSocket } from 'ws'
import { statIfThere } from '../../disk/files/handles.ts'
import { RethreadError } from '../../model/errors.ts'
import { program, words, written } from '../../model/program.ts'
import type { Pty, PtyChange, PtyEvent, PtyWanted, Shell, TerminalHost, Ticket } from '../../opencode/terminal-host.ts'
import type { Terminals } from '../terminals/index.ts'
import { personsShell } from '../terminals/index.ts'
import { Tickets } from '../tickets.ts'
import { HostedTerminal, noTerminal } from './hosted-terminal.ts'
import { FIRST_SIZE, MAX_COLS, MAX_ROWS } from './limits.ts'

type Listener = (event: PtyEvent, directory: string) => void

export class OwnTerminalHost implements TerminalHost {
  readonly #terminals: Terminals
  readonly #tickets = new Tickets()
  /** In the order of creation. */
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
    // A client with the token may type anything into a shell, so it may also choose the arguments.
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
    this.#notify(hosted, { type: 'pty.created', properties: { info: hosted.info } })
    return hosted.info
  }

  update(id: string, { title, size }: PtyChange): Pty {
    const hosted = this.#require(id)
    if (title !== undefined && title !== '') hosted.title = title
    if (size !== undefined) {
      hosted.size = { cols: Math.min(size.cols, MAX_COLS), rows: Math.min(size.rows, MAX_ROWS) }
      if (!hosted.hasExited) this.#terminals.resize(hosted.facts.terminalId, hosted, hosted.size)
    }
    this.#notify(hosted, { type: 'pty.updated', properties: { info: hosted.info } })
    return hosted.info
  }

  remove(id: string): void {
    const hosted = this.#require(id)
    this.#hosted.delete(id)
    this.#terminals.close(hosted.facts.terminalId)
    hosted.closeSockets()
    this.#notify(hosted, { type: 'pty.deleted', properties: { id } })
  }

  shells(): Shell[] {
    return listShells()
  }

  issueTicket(id: string): Ticket {
    this.#require(id)
    return this.#tickets.issue(id)
  }

  on(listener: Listener): () => void {
    // A new function for each call, because the same function may be added twice.
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

  /** Forwards input to the terminal. Input that is refused closes the socket with the reason. */
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

  /** The hosted terminal has already received the exit. */
  #ended(id: string): void {
    const hosted = this.#hosted.get(id)
    if (hosted === undefined) return
    this.#notify(hosted, { type: 'pty.exited', properties: { id, exitCode: hosted.info.exitCode ?? 0 } })
  }

  /** Removes terminals that were closed on the page or are no longer listed. */
  #dropGone(): void {
    for (const [id, hosted] of this.#hosted) {
      if (this.#terminals.get(hosted.facts.terminalId) !== undefined) continue
      this.#hosted.delete(id)
      this.#notify(hosted, { type: 'pty.deleted', properties: { id } })
    }
  }

  #notify({ facts }: HostedTerminal, event: PtyEvent): void {
    for (const listener of [...this.#listeners]) listener(event, facts.directory)
  }

  #require(id: string): HostedTerminal {
    const hosted = this.#hosted.get(id)
    if (hosted === undefined) throw noTerminal(id)
    return hosted
  }
}

const INPUT_REFUSED = 1013
/** WebSocket allows 123 bytes for a reason. */
const MAX_REASON_CHARS = 100

const LIST = '/etc/shells'
/** Programs in the list that are not POSIX shells. */
const OTHER_LANGUAGES = new Set(['fish', 'nu', 'elvish', 'xonsh', 'tmux', 'screen'])

export function listShells(list = readList()): Shell[] {
  const paths = [personsShell().command, ...list].filter(path => statIfThere(path, 'stat')?.isFile() === true)
  return [...new Set(paths)].map(path => {
    const name = basename(path)
    return { path, name, acceptable: !OTHER_LANGUAGES.has(name) }
  })
}

/** Not every system has the file. */
function readList(): string[] {
  if (statIfThere(LIST, 'stat')?.isFile() !== true) return []
  const lines = readFileSync(LIST, 'utf8').split('\n')
  return lines.map(line => line.trim()).filter(line => line.startsWith('/'))
}
