// The sockets of terminals of the OpenCode API. A client with the token or a ticket may watch a terminal and
// type into it.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Auth } from '../auth.ts'
import { MAX_INPUT_BYTES } from './limits.ts'
import type { OwnTerminalHost } from './terminal-host.ts'

export interface PtySockets {
  /** Returns false if the address is not a terminal. Host and origin have been checked before. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  stop(): void
  /** Cuts the connections that are still open. */
  cut(): void
}

const ADDRESS = /^\/opencode\/pty\/([\w-]{1,100})\/connect$/
const GOING_AWAY = 1001

export interface PtySocketParts {
  auth: Auth
  trust(socket: Socket): void
  terminalHost: OwnTerminalHost
}

/** `parts` is called for each connection, because the sockets are created before the services. */
export function makePtySockets(parts: () => PtySocketParts): PtySockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_INPUT_BYTES, perMessageDeflate: false })
  return {
    take(request, socket, head) {
      const [path = '', query = ''] = (request.url ?? '').split('?', 2)
      const id = ADDRESS.exec(path)?.[1]
      if (id === undefined) return false
      const { ticket, cursor }: Partial<Record<string, string>> = Object.fromEntries(new URLSearchParams(query))
      const { auth, trust, terminalHost: host } = parts()
      if (!mayConnect(auth, host, request, id, ticket)) refuse(socket, '403 Forbidden')
      else if (!host.has(id)) refuse(socket, '404 Not Found')
      else {
        trust(request.socket)
        sockets.handleUpgrade(request, socket, head, opened => {
          // An error also closes the connection. Without a listener it would end the server.
          opened.on('error', () => undefined)
          host.connect(id, opened, cursorOf(cursor))
        })
      }
      return true
    },
    stop() {
      for (const socket of sockets.clients) socket.close(GOING_AWAY, 'rethread is stopping.')
      sockets.close()
    },
    cut() {
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}

/**
 * A ticket must be valid even if other credentials are sent. A cookie counts only together with an origin.
 */
function mayConnect(
  auth: Auth,
  host: OwnTerminalHost,
  { headers }: IncomingMessage,
  id: string,
  ticket: string | undefined,
): boolean {
  if (ticket !== undefined) return host.redeem(id, ticket)
  return auth.isAllowed(headers) && (headers.authorization !== undefined || headers.origin !== undefined)
}

/** 0 if it is not a number. */
function cursorOf(given = '0'): number {
  const cursor = Number(given)
  return Number.isSafeInteger(cursor) ? cursor : 0
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
