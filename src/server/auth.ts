// Who may talk to the server: whoever has the token, from a page of ours, by a name that no stranger's DNS can point here.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

import { Tickets } from './opencode/tickets.ts'

/** What a ticket of ours opens. */
const PAGE = 'page'

export interface Auth {
  /** By `Authorization: Bearer`, by `Basic` with the token as password, or by the cookie of a page of ours. */
  isAllowed(headers: IncomingHttpHeaders): boolean
  isToken(token: string): boolean
  /** For the address that a browser is started with, which everybody on the machine can read: good once, and for a minute. */
  issueTicket(): string
  redeemTicket(ticket: string): boolean
  /** `Host` and `Origin` are ours. Refused before anything else is looked at. */
  isOurPlace(headers: IncomingHttpHeaders): boolean
  /** The header that the first page load is answered with. */
  cookie(): string
}

export interface AuthOptions {
  token: string
  /** The host it listens on, as it was given. */
  host: string
  port(): number
}

export function makeAuth({ token, host, port }: AuthOptions): Auth {
  // The cookie is not the token: who reads it from a browser's files cannot use it elsewhere.
  const secret = createHash('sha256').update(`cookie of rethread\n${token}`).digest('base64url')
  // Browsers share cookies among all ports of a host.
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
    isOurPlace(headers) {
      const named = headers.host
      if (named === undefined || !isOurHost(named, host, port())) return false
      const { origin } = headers
      // Programs send none; a page that hides where it comes from sends "null".
      return origin === undefined || origin === `http://${named}` || origin === `https://${named}`
    },
    cookie: () => `${cookieName()}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`,
  }
}

/** Of whatever user: the clients of others send a name of their own. */
function passwordIn(authorization = ''): string | undefined {
  const encoded = /^Basic (.+)$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded.trim(), 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon === -1 ? '' : pair.slice(colon + 1)
}

/** Hashed first, so that neither the length nor the beginning can be found out by how long it takes. */
function isSame(given: string, wanted: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(wanted))
}

/** An address in numbers cannot be pointed elsewhere by DNS; of names, only those that mean this machine, or that were asked for. */
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
