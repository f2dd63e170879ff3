// The sockets of terminals of the API: whoever has the token or a ticket may watch one and type into it.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Auth } from '../auth.ts'
import { MAX_INPUT_BYTES } from './limits.ts'
import type { OwnTerminalHost } from './terminal-host.ts'

export interface PtySockets {
  /** False for an address that is none of these. Host and origin have been looked at before. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  stop(): void
  /** Those who have not gone by now. */
  cut(): void
}

const ADDRESS = /^\/opencode\/pty\/([\w-]{1,100})\/connect$/
const GOING_AWAY = 1001

export interface PtySocketParts {
  auth: Auth
  trust(socket: Socket): void
  terminalHost: OwnTerminalHost
}

/** Asked for with each connection: a server is put together around its sockets. */
export function makePtySockets(parts: () => PtySocketParts): PtySockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_INPUT_BYTES, perMessageDeflate: false })
  return {
    take(request, socket, head) {
      const [path = '', query = ''] = (request.url ?? '').split('?', 2)
      const id = ADDRESS.exec(path)?.[1]
      if (id === undefined) return false
      const { ticket, cursor }: Partial<Record<string, string>> = Object.fromEntries(new URLSearchParams(query))
      const { auth, trust, terminalHost: host } = parts()
      if (!isAllowed(auth, host, request, id, ticket)) refuse(socket, '403 Forbidden')
      else if (!host.has(id)) refuse(socket, '404 Not Found')
      else {
        trust(request.socket)
        sockets.handleUpgrade(request, socket, head, opened => {
          // What the error is about ends the connection by itself; unheard it would end the server.
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

/** A ticket that is shown has to be good, whatever else comes with it. By a cookie only pages that say where they come from. */
function isAllowed(
  auth: Auth,
  host: OwnTerminalHost,
  { headers }: IncomingMessage,
  id: string,
  ticket: string | undefined,
): boolean {
  if (ticket !== undefined) return host.redeem(id, ticket)
  return auth.isAllowed(headers) && (headers.authorization !== undefined || headers.origin !== undefined)
}

/** From the beginning where it is no number. */
function cursorOf(given = '0'): number {
  const cursor = Number(given)
  return Number.isSafeInteger(cursor) ? cursor : 0
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
