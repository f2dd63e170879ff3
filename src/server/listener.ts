// What listens: how long a request may take to arrive, and how many connections of strangers there may be at once.
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { BODY_MS, HEADERS_MS, LATE_CHECK_MS, MAX_CONNECTIONS, MAX_STRANGERS } from './limits.ts'

export interface ListenerLimits {
  headersMs: number
  bodyMs: number
  checkMs: number
  strangers: number
}

export interface Listener {
  server: Server
  /** Over this connection the token, or what stands for it, was shown. */
  trust(socket: Socket): void
  readonly strangers: number
}

const LIMITS: ListenerLimits = {
  headersMs: HEADERS_MS,
  bodyMs: BODY_MS,
  checkMs: LATE_CHECK_MS,
  strangers: MAX_STRANGERS,
}

/**
 * Who is new comes in: of the connections that have not shown a token the one that is open for longest has to go. So
 * idle ones take neither the places nor the file descriptors that those with a token need.
 */
export function makeListener(given: Partial<ListenerLimits> = {}): Listener {
  const limits = { ...LIMITS, ...given }
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.bodyMs,
    connectionsCheckingInterval: limits.checkMs,
  })
  server.maxConnections = MAX_CONNECTIONS
  const strangers = new Set<Socket>()
  server.on('connection', socket => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size <= limits.strangers || oldest === undefined) return
    strangers.delete(oldest)
    oldest.destroy()
  })
  return {
    server,
    trust: socket => void strangers.delete(socket),
    get strangers() {
      return strangers.size
    },
  }
}
