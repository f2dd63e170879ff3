import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import {
  badRow,
  putToyDatabase,
  seeded,
  toyDatabaseRepair,
  toyDatabaseSubject,
  toyDatabaseTarget,
} from '../../../../test/support/toy-database.ts'
import { unreadableRow } from './index.ts'

test('each row is a finding with its place, and the changes of its agent are the plan', async () => {
  const session = putToyDatabase(temporaryHome())
  const rows = [badRow(session.filePath, 'a1'), badRow(session.filePath, 'a2')]
  const subject = toyDatabaseSubject(session, { findBadRows: async () => rows })
  const detected = await unreadableRow.detect(subject)
  expect(detected.map(({ finding }) => finding)).toMatchObject([
    { damage: 'unreadable-row', severity: 'lost', at: { file: session.filePath, table: 'said', row: 'a1' } },
    { at: { row: 'a2' }, hint: 'Repair it: rethread repair a' },
  ])
  expect(unreadableRow.plan(subject, detected)).toEqual({
    changes: rows.flatMap(({ changes }) => changes.map(change => ({ ...change, damage: 'unreadable-row' }))),
    refused: [],
  })
})

test('a row that its agent cannot repair, or that is not ours to repair, is refused with the reason', async () => {
  const session = putToyDatabase(temporaryHome())
  const row = { ...badRow(session.filePath, 'a1'), refused: 'nobody knows how' }
  for (const [repair, reason] of [
    [{ findBadRows: async () => [row] }, 'nobody knows how'],
    [{ findBadRows: async () => [badRow('', 'a1')], isRepairable: false }, 'Only the agent itself writes'],
  ] as const) {
    const subject = toyDatabaseSubject(session, repair)
    const planned = unreadableRow.plan(subject, await unreadableRow.detect(subject))
    expect(planned.changes).toEqual([])
    expect(planned.refused).toMatchObject([{ reason: expect.stringContaining(reason) }])
  }
})

test('other troubles of rows are another damage', async () => {
  const session = putToyDatabase(temporaryHome())
  const row = { ...badRow(session.filePath, 'a1'), kind: 'unsettled' as const }
  expect(await unreadableRow.detect(toyDatabaseSubject(session, { findBadRows: async () => [row] }))).toEqual([])
})

test('what it inflicts is found, and is the same for the same seed', async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const inflicted = [0, 1].map(() => {
      const session = putToyDatabase(temporaryHome())
      const what = unreadableRow.inflict(toyDatabaseTarget(session), seeded(seed))
      return { session, what, bytes: readFileSync(session.filePath) }
    })
    const [first, second] = inflicted
    if (first === undefined || second === undefined) throw new Error('nothing was made')
    expect(first.what).toEqual(second.what)
    expect(first.bytes.equals(second.bytes)).toBe(true)
    if (first.what?.what.includes('stored as bytes')) continue
    expect(await toyDatabaseRepair.findBadRows(first.session), first.what?.what).toHaveLength(1)
  }
})

test('a session without records cannot be broken', () => {
  const session = { ...putToyDatabase(temporaryHome()), sessionId: 'none' }
  expect(unreadableRow.inflict(toyDatabaseTarget(session), seeded(1))).toBeUndefined()
})
