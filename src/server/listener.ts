// The HTTP server: how long a request may take to arrive, and how many unauthenticated connections there may
// be.
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { BODY_MS, HEADERS_MS, LATE_CHECK_MS, MAX_CONNECTIONS, MAX_HEADER_BYTES, MAX_UNAUTHENTICATED } from './limits.ts'

export interface ListenerLimits {
  headersMs: number
  bodyMs: number
  checkMs: number
  unauthenticated: number
}

export interface Listener {
  server: Server
  /** The client of this connection has authenticated. */
  trust(socket: Socket): void
  readonly unauthenticated: number
}

const LIMITS: ListenerLimits = {
  headersMs: HEADERS_MS,
  bodyMs: BODY_MS,
  checkMs: LATE_CHECK_MS,
  unauthenticated: MAX_UNAUTHENTICATED,
}

/**
 * Always accepts a new connection. If there are too many without a token, the oldest of them is closed, so
 * that idle ones do not use up the file descriptors.
 */
export function makeListener(given: Partial<ListenerLimits> = {}): Listener {
  const limits = { ...LIMITS, ...given }
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.bodyMs,
    connectionsCheckingInterval: limits.checkMs,
  })
  server.maxConnections = MAX_CONNECTIONS
  const unauthenticated = new Set<Socket>()
  server.on('connection', socket => {
    unauthenticated.add(socket)
    socket.once('close', () => unauthenticated.delete(socket))
    const [oldest] = unauthenticated
    if (unauthenticated.size <= limits.unauthenticated || oldest === undefined) return
    unauthenticated.delete(oldest)
    oldest.destroy()
  })
  return {
    server,
    trust: socket => void unauthenticated.delete(socket),
    get unauthenticated() {
      return unauthenticated.size
    },
  }
}
