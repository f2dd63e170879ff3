// A client of the socket as a page is one: it says hello, keeps all it receives, and waits for what it wants to hear.
import { once } from 'node:events'
import type { ClientOptions } from 'ws'
import { WebSocket } from 'ws'
import type { ClientMessage, NamedSessions, ServerMessage, ServerMessageOf } from '../../src/server/protocol.ts'
import { PROTOCOL_VERSION, serverMessageSchema } from '../../src/server/protocol.ts'

const PATIENCE_MS = 120_000

export interface Closed {
  code: number
  reason: string
}

export class SocketClient {
  readonly socket: WebSocket
  readonly got: ServerMessage[] = []
  readonly closed: Promise<Closed>
  readonly #listeners = new Set<() => void>()

  constructor(port: number, options: ClientOptions = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, options)
    this.socket.on('error', () => undefined)
    // A message that does not fit the protocol is a fault of the server, and ends the test here.
    this.socket.on('message', data => {
      this.got.push(serverMessageSchema.parse(JSON.parse(String(data))))
      for (const listener of [...this.#listeners]) listener()
    })
    this.closed = new Promise(resolve =>
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
    )
  }

  /** The status that the server refused the connection with, or undefined where it did not. */
  async opened(): Promise<number | undefined> {
    const refused = new Promise<number | undefined>(resolve =>
      this.socket.on('unexpected-response', (_request, answer) => resolve(answer.statusCode)),
    )
    return await Promise.race([once(this.socket, 'open').then(() => undefined), refused])
  }

  async hello(token: string | undefined, sessions?: NamedSessions): Promise<ServerMessageOf<'ready'>> {
    this.send({
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      ...(token === undefined ? {} : { token }),
      ...(sessions === undefined ? {} : { sessions }),
    })
    return await this.sees('ready')
  }

  send(message: ClientMessage): void {
    this.socket.send(JSON.stringify(message))
  }

  /** The first of this kind, be it there already or still to come. */
  async sees<Type extends ServerMessage['type']>(
    type: Type,
    isIt: (message: ServerMessageOf<Type>) => boolean = () => true,
  ): Promise<ServerMessageOf<Type>> {
    const isWanted = (message: ServerMessage): message is ServerMessageOf<Type> => message.type === type
    const find = (): ServerMessageOf<Type> | undefined => this.got.filter(isWanted).find(isIt)
    await this.until(() => find() !== undefined, type)
    const found = find()
    if (found === undefined) throw new Error('It was there a moment ago.')
    return found
  }

  async until(isSo: () => boolean, what: string): Promise<void> {
    if (isSo()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const listener = (): void => {
      if (isSo()) resolve()
    }
    const story = (): string => this.got.map(message => JSON.stringify(message).slice(0, 160)).join('\n')
    const timer = setTimeout(() => reject(new Error(`Never seen: ${what}, but\n${story()}`)), PATIENCE_MS)
    void this.closed.then(({ code, reason }) => reject(new Error(`Closed before ${what}: ${code} ${reason}`)))
    this.#listeners.add(listener)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#listeners.delete(listener)
    }
  }

  /** Everything that a terminal has sent since it was attached. */
  output(terminalId: string): string {
    return this.got
      .map(message => {
        if (message.type === 'terminal.attached' && message.terminal.terminalId === terminalId) return message.screen
        return message.type === 'terminal.output' && message.terminalId === terminalId ? message.data : ''
      })
      .join('')
  }

  async seesOutput(terminalId: string, text: string): Promise<void> {
    await this.until(() => this.output(terminalId).includes(text), `"${text}" in the terminal`)
  }

  /** Once this is answered, everything that was sent before has been taken in. */
  async settled(): Promise<void> {
    const answered = once(this.socket, 'pong')
    this.socket.ping()
    await answered
  }

  async leave(): Promise<Closed> {
    this.socket.close()
    return await this.closed
  }
}
