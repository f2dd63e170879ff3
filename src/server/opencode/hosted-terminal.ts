// One terminal that was made through the API: its title, its size, its output so far, and the sockets that watch it.
import { constants } from 'node:os'
import type { WebSocket } from 'ws'
import { RethreadError } from '../../model/errors.ts'
import type { Pty, PtyWanted } from '../../opencode/terminal-host.ts'
import { CONGESTED_BYTES, MAX_UNSENT_BYTES } from '../limits.ts'
import type { Size, TerminalClient } from '../terminals/index.ts'
import { FIRST_SIZE, KEPT_CHARS, MAX_WATCHERS, PIECE_CHARS } from './limits.ts'
import { NumberedOutput } from './numbered-output.ts'

const CLOSE = { ended: 1000, tooSlow: 4408, tooMany: 4429 } as const

export interface HostedFacts extends Pick<PtyWanted, 'cwd' | 'directory'> {
  id: string
  /** In the list of all terminals. */
  terminalId: string
  title: string
  command: string
  args: string[]
  pid: number
}

/** It watches its terminal from the first character on, whoever else does. */
export class HostedTerminal implements TerminalClient {
  readonly facts: HostedFacts
  title: string
  size: Size = FIRST_SIZE
  readonly #output = new NumberedOutput(KEPT_CHARS)
  readonly #sockets = new Set<WebSocket>()
  #exitCode: number | undefined

  constructor(facts: HostedFacts) {
    this.facts = facts
    this.title = facts.title
  }

  get info(): Pty {
    const { id, command, args, cwd, pid } = this.facts
    const exit = this.#exitCode === undefined ? {} : { exitCode: this.#exitCode }
    return { id, title: this.title, command, args, cwd, status: this.hasExited ? 'exited' : 'running', pid, ...exit }
  }

  get hasExited(): boolean {
    return this.#exitCode !== undefined
  }

  output(_terminalId: string, data: string): void {
    this.#output.add(data)
    for (const socket of this.#sockets) this.#send(socket, data)
  }

  exit(_terminalId: string, code: number | null, signal: string | null): void {
    this.#exitCode = code ?? codeOf(signal)
    this.closeSockets()
  }

  isCongested(): boolean {
    return [...this.#sockets].some(({ bufferedAmount }) => bufferedAmount > CONGESTED_BYTES)
  }

  /** What came since this place, then where that ends, then what comes. A negative cursor is the end. */
  addSocket(socket: WebSocket, cursor: number): void {
    if (this.#sockets.size >= MAX_WATCHERS) {
      socket.close(CLOSE.tooMany, `This terminal already has ${MAX_WATCHERS} clients.`)
      return
    }
    const text = cursor < 0 ? '' : this.#output.since(cursor)
    for (let at = 0; at < text.length; at += PIECE_CHARS) socket.send(text.slice(at, at + PIECE_CHARS))
    socket.send(positionOf(this.#output.end))
    if (this.hasExited) socket.close(CLOSE.ended, 'It has ended.')
    else this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  closeSockets(): void {
    for (const socket of this.#sockets) socket.close(CLOSE.ended, 'It has ended.')
  }

  #send(socket: WebSocket, data: string): void {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MAX_UNSENT_BYTES)
      socket.close(CLOSE.tooSlow, 'This client does not read its messages. Connect again.')
    else socket.send(data)
  }
}

/** A message of bytes is none of the terminal: a zero, then what is said about it. */
function positionOf(cursor: number): Buffer {
  return Buffer.concat([Buffer.from([0]), Buffer.from(JSON.stringify({ cursor }))])
}

/** As a shell says it. */
function codeOf(signal: string | null): number {
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1]
  return 128 + (number ?? 0)
}

export function noTerminal(id: string): RethreadError {
  return new RethreadError({ code: 'not-found', text: `There is no terminal ${id}.`, hint: 'List the terminals.' })
}
