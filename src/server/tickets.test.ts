import { expect, test } from 'vitest'
import { MAX_TICKETS, TICKET_SECONDS } from './opencode/limits.ts'
import { Tickets } from './tickets.ts'

test('a ticket opens what it was given for, once', () => {
  const tickets = new Tickets()
  const { ticket } = tickets.issue('a')
  expect(tickets.redeem('b', ticket)).toBe(false)
  expect(tickets.redeem('a', ticket)).toBe(true)
  expect(tickets.redeem('a', ticket)).toBe(false)
})

test('a ticket that is too old opens nothing', () => {
  let now = 0
  const tickets = new Tickets(() => now)
  const { ticket } = tickets.issue('a')
  now = TICKET_SECONDS * 1000
  expect(tickets.redeem('a', ticket)).toBe(false)
})

test('of too many tickets the oldest go', () => {
  const tickets = new Tickets()
  const [first, second] = [tickets.issue('a'), tickets.issue('a')]
  for (let count = 1; count < MAX_TICKETS; count++) tickets.issue('b')
  expect(tickets.redeem('a', first.ticket)).toBe(false)
  expect(tickets.redeem('a', second.ticket)).toBe(true)
})
