import { expect, test } from 'vitest'
import { rowInfoOf } from '../../../test/support/live-sessions.ts'
import { countEntries } from './counts.ts'
import { Entries } from './entries.ts'
import { collectFailures } from './failures.ts'

function entriesWith(...rows: ReturnType<typeof rowInfoOf>[]): Entries {
  const entries = new Entries()
  entries.putAll(rows)
  return entries
}

const notified = rowInfoOf('a')
const { key } = notified.row
const status = (entries: Entries) => entries.get(key)?.row.status

test('a status holds as long as the identity of its session', () => {
  const entries = entriesWith(notified)
  entries.setStatus(key, { status: 'corrupted', loads: { now: 1, afterRepair: 2 }, findings: 3 })
  entries.putAll([{ ...notified, row: { ...notified.row, title: 'read by now' } }])
  expect(entries.get(key)?.row).toMatchObject({ status: 'corrupted', loads: { now: 1, afterRepair: 2 }, findings: 3 })
  entries.putAll([{ ...notified, session: { ...notified.session, identity: 'two' } }])
  expect(entries.get(key)?.row).not.toHaveProperty('status')
  expect(entries.get(key)?.row).not.toHaveProperty('loads')
})

test('a lock that is seen after the check is shown, and the check again when it is gone', () => {
  const entries = entriesWith(notified)
  entries.setStatus(key, { status: 'healthy' })
  entries.putAll([{ ...notified, trouble: 'busy' }])
  expect(status(entries)).toBe('busy')
  entries.putAll([notified])
  expect(status(entries)).toBe('healthy')
  entries.putAll([{ ...notified, trouble: 'busy' }])
  entries.setStatus(key, { status: 'corrupted' })
  expect(status(entries)).toBe('corrupted')
})

test('what could not be read is unreadable until a check says otherwise', () => {
  const entries = entriesWith({ ...notified, trouble: 'unreadable' })
  expect(status(entries)).toBe('unreadable')
  entries.setStatus(key, { status: 'healthy' })
  expect(status(entries)).toBe('healthy')
})

test('the revision grows with what changes, and with nothing else', () => {
  const entries = entriesWith(notified)
  entries.setStatus(key, { status: 'healthy', loads: { now: 1, afterRepair: 1 } })
  entries.setTerminal(key, 't1')
  const { revision } = entries
  entries.setStatus(key, { status: 'healthy', loads: { now: 1, afterRepair: 1 } })
  entries.setTerminal(key, 't1')
  entries.setStatus('nobody', { status: 'healthy' })
  entries.removeAll(['nobody'])
  expect(entries.revision).toBe(revision)
  entries.setTerminal(key, undefined)
  expect(entries.revision).toBe(revision + 1)
  expect(entries.get(key)?.row).not.toHaveProperty('terminalId')
})

test('a row that somebody holds stays as it was given', () => {
  const entries = entriesWith(notified)
  const held = entries.get(key)?.row
  entries.setStatus(key, { status: 'healthy' })
  expect(held).not.toHaveProperty('status')
})

test('sub-agents are not counted as conversations, and what is unchecked is', () => {
  const entries = entriesWith(notified, rowInfoOf('b', { agent: 'amp' }), rowInfoOf('c', { subagentOf: 'a' }))
  entries.setStatus(key, { status: 'corrupted' })
  expect(countEntries(entries.all(), ({ agent }) => agent === 'codex')).toEqual({
    sessions: 2,
    needRepair: 1,
    needDecision: 1,
    archived: 0,
    byStatus: { corrupted: 1, unchecked: 1 },
    byAgent: { codex: 1, amp: 1 },
    pinned: 0,
    hidden: 0,
    byTag: {},
  })
})

test('beyond a hundred, failures are counted and not listed', () => {
  const failure = { agent: 'codex', code: 'permission-denied', path: '/x', text: 'no', hint: 'chmod' } as const
  const rows = Array.from({ length: 150 }, (_, at) =>
    rowInfoOf(`f${at}`, {}, { failure: { ...failure, path: `/x/${at}` } }),
  )
  const failures = collectFailures(undefined, [failure], entriesWith(...rows).all())
  expect(failures).toHaveLength(101)
  expect(failures.at(-1)?.text).toBe('51 more could not be read.')
})

test('what a store and its sessions fail with alike is reported once', () => {
  const failure = { agent: 'codex', code: 'database-corrupt', path: '/x', text: 'no', hint: 'cp' } as const
  const rows = [rowInfoOf('a', {}, { failure }), rowInfoOf('b', {}, { failure: { ...failure, path: '/y' } })]
  const failures = collectFailures(undefined, [failure], entriesWith(...rows).all())
  expect(failures.map(({ path }) => path)).toEqual(['/x', '/y'])
})
