// One terminal that was created through the OpenCode API: its title, size, output so far, and the sockets
// that watch it.
import { constants } from 'node:os'
import type { WebSocket } from 'ws'
import { RethreadError } from '../../model/errors.ts'
import type { Pty, PtyWanted } from '../../opencode/terminal-host.ts'
import { CONGESTED_BYTES, MAX_UNSENT_BYTES } from '../limits.ts'
import type { Size, TerminalClient } from '../terminals/index.ts'
import { FIRST_SIZE, KEPT_CHARS, MAX_WATCHERS, PIECE_CHARS } from './limits.ts'

const CLOSE = { ended: 1000, tooSlow: 4408, tooMany: 4429 } as const

export interface HostedFacts extends Pick<PtyWanted, 'cwd' | 'directory'> {
  id: string
  /** Its id in the list of all terminals. */
  terminalId: string
  title: string
  command: string
  args: string[]
  pid: number
}

/** Receives all output of its terminal from the first character on. */
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

  /**
   * Sends the output from this position on, then the position of its end,
   * then new output. A negative cursor means the end.
   */
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

/** A binary message is metadata, not output: a zero byte, then JSON. */
function positionOf(cursor: number): Buffer {
  return Buffer.concat([Buffer.from([0]), Buffer.from(JSON.stringify({ cursor }))])
}

/** The exit code that a shell would report. */
function codeOf(signal: string | null): number {
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1]
  return 128 + (number ?? 0)
}

export function noTerminal(id: string): RethreadError {
  return new RethreadError({ code: 'not-found', text: `There is no terminal ${id}.`, hint: 'List the terminals.' })
}

/** Smaller pieces are joined. */
const SMALL_PIECE_CHARS = 4096

export class NumberedOutput {
  readonly #limit: number
  #pieces: string[] = []
  /** The numbers of the first stored character and of the next one. */
  #start = 0
  #end = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get end(): number {
    return this.#end
  }

  add(text: string): void {
    const last = this.#pieces.at(-1)
    if (last !== undefined && last.length + text.length <= SMALL_PIECE_CHARS)
      this.#pieces[this.#pieces.length - 1] = last + text
    else this.#pieces.push(text)
    this.#end += text.length
    while (this.#end - this.#start > this.#limit) this.#dropFirst()
  }

  /** The output from this position on, as far as it is stored. */
  since(cursor: number): string {
    if (cursor >= this.#end) return ''
    return this.#pieces.join('').slice(Math.max(0, cursor - this.#start))
  }

  #dropFirst(): void {
    const excess = this.#end - this.#start - this.#limit
    const first = this.#pieces[0] ?? ''
    if (first.length > excess) this.#pieces[0] = first.slice(excess)
    else this.#pieces.shift()
    this.#start += Math.min(first.length, excess)
  }
}
