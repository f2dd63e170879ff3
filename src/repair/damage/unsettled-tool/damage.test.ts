import { expect, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import {
  badRow,
  putToyDatabase,
  seeded,
  toyDatabaseSubject,
  toyDatabaseTarget,
} from '../../../../test/support/toy-database.ts'
import { unsettledTool } from './index.ts'

test('a call of a dead process is a finding that nothing was lost by', async () => {
  const session = putToyDatabase(temporaryHome())
  const row = { ...badRow(session.filePath, 'a1'), kind: 'unsettled' as const }
  const subject = toyDatabaseSubject(session, { findBadRows: async () => [row] })
  const detected = await unsettledTool.detect(subject)
  expect(detected).toMatchObject([{ finding: { damage: 'unsettled-tool', severity: 'survived', at: { row: 'a1' } } }])
  expect(unsettledTool.plan(subject, detected).changes).toEqual(
    row.changes.map(change => ({ ...change, damage: 'unsettled-tool' })),
  )
})

test('a call of a session that somebody works on is only unfinished, and nothing is done about it', async () => {
  const session = putToyDatabase(temporaryHome())
  const row = { ...badRow(session.filePath, 'a1'), kind: 'unsettled' as const }
  const subject = toyDatabaseSubject(session, { findBadRows: async () => [row] }, { isLive: true })
  const detected = await unsettledTool.detect(subject)
  expect(detected).toMatchObject([{ finding: { damage: 'unsettled-tool', severity: 'updating', at: { row: 'a1' } } }])
  expect(unsettledTool.plan(subject, detected)).toEqual({ changes: [], refused: [] })
})

test('what it inflicts is a call that waits or runs', () => {
  const states = [1, 2, 3, 4, 5, 6].map(seed => {
    const target = toyDatabaseTarget(putToyDatabase(temporaryHome()))
    expect(unsettledTool.inflict(target, seeded(seed))).toMatchObject({ destroyed: 1 })
    const status = "json_extract(data, '$.state.status')"
    return target
      .sql(
        target.session.filePath,
        `SELECT ${status} AS status FROM said WHERE session = 'a' AND ${status} <> 'completed'`,
      )
      .map(row => row['status'])
  })
  expect(new Set(states.flat())).toEqual(new Set(['pending', 'running']))
  expect(states.every(({ length }) => length === 1)).toBe(true)
})
