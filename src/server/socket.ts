// The WebSocket server: `hello` first, then requests and notifications. An invalid message is answered with
// an error, and the connection stays open.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { wellFormedJson } from '../bytes/well-formed.ts'
import { RethreadError } from '../model/errors.ts'
import { HELLO_MS, MAX_CLIENTS, MAX_WAITING_SOCKETS, PING_MS } from './limits.ts'
import { makePtySockets } from './opencode/pty-socket.ts'
import type { ClientMessage, ServerMessage } from './protocol.ts'
import { CLOSE, clientMessageSchema, MAX_FRAME_BYTES } from './protocol.ts'
import type { Services } from './services.ts'
import { Client } from './socket-client.ts'
import { answer, notifyGone, type Received, recheckUnknown } from './socket-messages.ts'
import { Watches } from './watches.ts'

export interface SocketServer {
  /** Sends to every client that has sent `hello`. */
  broadcast(message: ServerMessage): void
  /** Sends to the clients that show the session. */
  notify(session: { key: string; sessionId: string }, message: ServerMessage): void
  /** Sessions were found that a client may have named before. `isAll` means that the scan is complete. */
  recheckUnknown(isAll: boolean): void
  readonly clients: number
  /** Notifies the clients that show a session that is gone. */
  notifyGone(): void
  /** The keys of all sessions that clients show. */
  shown(): Set<string>
  /** Closes all connections. */
  stop(): void
  /** Cuts the connections that are still open. */
  cut(): void
}

const PATH = '/socket'

export function makeSocket(server: Server, services: () => Services): SocketServer {
  /** Clients that have sent `hello`, and those that have not. */
  const clients = new Set<Client>()
  const waiting = new Set<Client>()
  const watches = new Watches()
  const ptys = makePtySockets(() => services())
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false })
  const refuse = (socket: Duplex, status: string): void => {
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const { auth } = services()
    if (!auth.isOwnHostAndOrigin(request.headers)) return refuse(socket, '403 Forbidden')
    if (ptys.take(request, socket, head)) return
    if (request.url?.split('?', 1)[0] !== PATH) return refuse(socket, '404 Not Found')
    sockets.handleUpgrade(request, socket, head, opened => {
      // An error also closes the connection. Without a listener it would end the server.
      opened.on('error', () => undefined)
      const client = new Client(opened)
      waiting.add(client)
      dropOldest()
      const admit = (): boolean => {
        if (!clients.has(client) && clients.size >= MAX_CLIENTS) return false
        waiting.delete(client)
        clients.add(client)
        services().trust(request.socket)
        return true
      }
      // A cookie counts only together with an origin.
      const hasCookie = request.headers.origin !== undefined && auth.isAllowed(request.headers)
      const impatient = setTimeout(() => {
        if (!client.isReady) client.close(CLOSE.noHello, 'Say hello first.')
      }, HELLO_MS)
      opened.on('pong', () => {
        client.isAlive = true
      })
      opened.on('close', () => {
        clearTimeout(impatient)
        waiting.delete(client)
        clients.delete(client)
        watches.forget(client)
        services().gate.leave(client)
        services().live.leave(client)
        services().terminals.detachAll(client)
      })
      opened.on('message', (data, isBinary) => {
        receive(isBinary ? undefined : String(data), { client, hasCookie, watches, admit })
      })
    })
  })

  /** Makes room for new sockets, however many never send `hello`. */
  const dropOldest = (): void => {
    const [oldest] = waiting
    if (waiting.size <= MAX_WAITING_SOCKETS || oldest === undefined) return
    waiting.delete(oldest)
    oldest.close(CLOSE.noHello, 'Say hello first: too many other clients are waiting.')
  }
  const receive = (text: string | undefined, from: Omit<Received, 'message'>) => {
    const { client } = from
    // The client is being closed.
    if (!client.isOpen) return
    if (!client.maySend(Date.now())) return client.close(CLOSE.tooMany, 'Too many messages in one second.')
    const message = parse(text)
    if (message === undefined) return client.send(invalidMessage(text))
    try {
      answer(services(), { ...from, message })
    } catch (error) {
      client.send(errorMessage(error, 'requestId' in message ? message.requestId : undefined))
    }
  }
  const pulse = setInterval(() => {
    for (const client of clients) {
      if (!client.isAlive) client.terminate()
      client.isAlive = false
    }
    for (const socket of sockets.clients) socket.ping()
  }, PING_MS)
  pulse.unref()
  return {
    get clients() {
      return clients.size
    },
    broadcast(message) {
      for (const client of clients) client.send(message)
    },
    notify({ key, sessionId }, message) {
      for (const client of clients) if (client.hasNamed(key, sessionId)) client.send(message)
    },
    recheckUnknown(isAll) {
      for (const client of clients) if (client.unknown.size > 0) recheckUnknown(services(), client, watches, isAll)
    },
    notifyGone() {
      for (const client of clients) if (client.isReady) notifyGone(services(), client)
    },
    shown: () => new Set([...clients].flatMap(client => [...client.shown.values()].map(({ key }) => key))),
    stop() {
      clearInterval(pulse)
      watches.close()
      for (const client of [...clients, ...waiting]) client.close(CLOSE.stopping, 'rethread is stopping.')
      sockets.close()
      ptys.stop()
    },
    cut() {
      ptys.cut()
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}

function parse(text: string | undefined): ClientMessage | undefined {
  try {
    return text === undefined ? undefined : clientMessageSchema.safeParse(JSON.parse(wellFormedJson(text))).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Contains the request id if it can be found, so that the client does not wait for an answer. */
function invalidMessage(text: string | undefined): ServerMessage {
  const requestId = /"requestId"\s*:\s*"([^"\\]{1,100})"/.exec(text ?? '')?.[1]
  return {
    type: 'error',
    code: 'usage',
    text: 'The server does not know this message, or something in it is not valid.',
    hint: 'Reload the page; a program finds the messages in src/server/protocol.ts.',
    ...(requestId === undefined ? {} : { requestId }),
  }
}

function errorMessage(error: unknown, requestId: string | undefined): ServerMessage {
  const named = requestId === undefined ? {} : { requestId }
  if (error instanceof RethreadError)
    return { type: 'error', code: error.code, text: error.message, hint: error.hint, ...named }
  return {
    type: 'error',
    code: 'fault',
    text: `rethread itself failed: ${error instanceof Error ? error.message : String(error)}`,
    hint: 'Restart it with --log-level debug and report what the log says.',
    ...named,
  }
}
