// Who may use the server: clients with the token, from our own page, by a host name that foreign DNS cannot
// point here.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

import { Tickets } from './tickets.ts'

/** The ticket scope of the page. */
const PAGE = 'page'

export interface Auth {
  /** Accepts `Authorization: Bearer`, `Basic` with the token as password, or the cookie of our page. */
  isAllowed(headers: IncomingHttpHeaders): boolean
  isToken(token: string): boolean
  /**
   * For the address that a browser is started with, which every user of the machine can read. Valid once, for
   * a minute.
   */
  issueTicket(): string
  redeemTicket(ticket: string): boolean
  /** Whether `Host` and `Origin` are ours. Checked before anything else. */
  isOwnHostAndOrigin(headers: IncomingHttpHeaders): boolean
  /** The origin of another page that the person allowed. Undefined for any other. */
  allowedOrigin(headers: IncomingHttpHeaders): string | undefined
  /** The header in the answer to the first page load. */
  cookie(): string
}

export interface AuthOptions {
  token: string
  /** The host that the server listens on, as given. */
  host: string
  port(): number
  allowedOrigins?: readonly string[]
}

export function makeAuth({ token, host, port, allowedOrigins = [] }: AuthOptions): Auth {
  // The cookie is not the token: read from a browser's files, it is of no use to other clients.
  const secret = createHash('sha256').update(`cookie of rethread\n${token}`).digest('base64url')
  // Browsers share cookies between all ports of a host, so the name contains the port.
  const cookieName = (): string => `rethread-${port()}`
  const hasCookie = ({ cookie }: IncomingHttpHeaders): boolean => {
    const found = (cookie ?? '').split(';').map(pair => pair.trim().split('='))
    return found.some(([name, value]) => name === cookieName() && isSame(value ?? '', secret))
  }
  const tickets = new Tickets()
  return {
    issueTicket: () => tickets.issue(PAGE).ticket,
    redeemTicket: ticket => tickets.redeem(PAGE, ticket),
    isAllowed(headers) {
      const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
      if (bearer !== undefined) return isSame(bearer.trim(), token)
      const password = passwordIn(headers.authorization)
      if (password !== undefined) return isSame(password, token)
      return hasCookie(headers)
    },
    isToken: given => isSame(given, token),
    allowedOrigin({ host: named, origin }) {
      if (named === undefined || !isOurHost(named, host, port())) return undefined
      return origin !== undefined && allowedOrigins.includes(origin) ? origin : undefined
    },
    isOwnHostAndOrigin(headers) {
      const named = headers.host
      if (named === undefined || !isOurHost(named, host, port())) return false
      const { origin } = headers
      // Programs send no origin. A page that hides its origin sends "null".
      return origin === undefined || origin === `http://${named}` || origin === `https://${named}`
    },
    cookie: () => `${cookieName()}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`,
  }
}

/** Ignores the user name: OpenCode clients send their own. */
function passwordIn(authorization = ''): string | undefined {
  const encoded = /^Basic (.+)$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded.trim(), 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon === -1 ? '' : pair.slice(colon + 1)
}

/** Compares hashes, so that the time reveals neither the length nor a matching prefix. */
function isSame(given: string, wanted: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(wanted))
}

/**
 * DNS cannot redirect a numeric address. Of names, only those of this machine and the configured host are
 * accepted.
 */
function isOurHost(named: string, host: string, port: number): boolean {
  const parts = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d+))?$/i.exec(named)
  if (parts === null || Number(parts[2] ?? 80) !== port) return false
  const name = (parts[1] ?? '').replace(/^\[|\]$/g, '').toLowerCase()
  if (name === 'localhost' || name === host.toLowerCase()) return true
  return isLoopback(host) ? isLoopback(name) : isIP(name) !== 0
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
