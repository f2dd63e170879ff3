// Tickets for one connection each. A browser cannot send a header with a socket, and the token must not be in
// an address.
import { randomBytes } from 'node:crypto'
import type { Ticket } from '../opencode/terminal-host.ts'
import { MAX_TICKETS, TICKET_SECONDS } from './opencode/limits.ts'

const TICKET_BYTES = 32

export class Tickets {
  readonly #now: () => number
  readonly #given = new Map<string, { id: string; until: number }>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** `id` is the resource that the ticket opens. */
  issue(id: string): Ticket {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url')
    this.#given.set(ticket, { id, until: this.#now() + TICKET_SECONDS * 1000 })
    for (const [oldest] of this.#given) if (this.#given.size > MAX_TICKETS) this.#given.delete(oldest)
    return { ticket, expires_in: TICKET_SECONDS }
  }

  /** Whether the ticket opens `id`. A ticket for another resource stays valid. */
  redeem(id: string, ticket: string): boolean {
    const given = this.#given.get(ticket)
    if (given === undefined || given.id !== id) return false
    this.#given.delete(ticket)
    return given.until > this.#now()
  }
}
