// One connected socket: what it may still be sent, and which sessions it shows.
import type { WebSocket } from 'ws'
import { CONGESTED_BYTES, LEAVE_MS, MAX_MESSAGES_PER_SECOND, MAX_UNSENT_BYTES } from './limits.ts'
import type { NamedSessions, ServerMessage } from './protocol.ts'
import { CLOSE } from './protocol.ts'
import type { TerminalClient } from './terminals/index.ts'

/** A session under the name that the client used. */
export interface ShownSession {
  key: string
  agent: string
  sessionId: string
}

export class Client implements TerminalClient {
  readonly #socket: WebSocket
  #named: NamedSessions = {}
  #names = new Set<string>()
  #messages = 0
  #second = 0
  /** The client has sent `hello` with a valid token. */
  isReady = false
  /** The client answered the last ping. */
  isAlive = true
  /** Names that have not been found so far. */
  unknown: ReadonlySet<string> = new Set()
  /** The sessions that were found, by the name that the client gave. */
  shown = new Map<string, ShownSession>()

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  send(message: ServerMessage): void {
    if (!this.isOpen) return
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) {
      this.close(CLOSE.tooSlow, 'This client does not read its messages. Connect again.')
      return
    }
    this.#socket.send(JSON.stringify(message))
  }

  /** Terminals pause their output for a client that is behind. */
  isCongested(): boolean {
    return this.isOpen && this.#socket.bufferedAmount > CONGESTED_BYTES
  }

  output(terminalId: string, data: string): void {
    this.send({ type: 'terminal.output', terminalId, data })
  }

  exit(terminalId: string, code: number | null, signal: string | null): void {
    this.send({ type: 'terminal.exit', terminalId, code, signal })
  }

  /** Clients name sessions by key or id. */
  name(named: NamedSessions): void {
    const { active, visible = [], background = [] } = named
    this.#named = named
    this.#names = new Set([...(active === undefined ? [] : [active]), ...visible, ...background])
  }

  get named(): NamedSessions {
    return this.#named
  }

  get names(): ReadonlySet<string> {
    return this.#names
  }

  hasNamed(key: string, sessionId: string): boolean {
    return this.#names.has(key) || this.#names.has(sessionId)
  }

  /** Whether the client may send one more message in this second. */
  maySend(now: number): boolean {
    const second = Math.trunc(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#messages = 0
    }
    this.#messages++
    return this.#messages <= MAX_MESSAGES_PER_SECOND
  }

  /** A client that does not read never closes its side, so the connection is cut after a while. */
  close(code: number, reason: string): void {
    if (!this.isOpen) return
    this.#socket.close(code, reason)
    const late = setTimeout(() => this.#socket.terminate(), LEAVE_MS)
    this.#socket.once('close', () => clearTimeout(late))
  }

  terminate(): void {
    this.#socket.terminate()
  }
}
