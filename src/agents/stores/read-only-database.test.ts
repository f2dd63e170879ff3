import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { putToyDatabase } from '../../../test/support/toy-database.ts'
import type { Severity } from '../../model/finding.ts'
import { Findings } from '../../model/finding.ts'
import type { Message, Place } from '../../model/message.ts'
import { endReading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { readOnlyRepair } from './read-only-database.ts'

test('messages are counted as the reader gives them, each id once, by one reading', async () => {
  const session = putToyDatabase(temporaryHome())
  const reader = makeReader(['one', 'two', 'one'], [])
  const repair = readOnlyRepair(reader.read)
  expect(await repair.countMessages(session)).toEqual({ now: 2, afterRepair: 2 })
  expect(await repair.findBadRows(session)).toEqual([])
  expect(reader.readings()).toBe(1)
})

test('an unreadable row is reported with its place and refused; a harmless finding is not reported', async () => {
  const session = putToyDatabase(temporaryHome())
  const row = { file: session.filePath, table: 'tasks', row: 7 }
  const beside = { file: `${session.storeRoot}/meta.json`, start: 3, end: 9 }
  const reader = makeReader(
    [],
    [
      ['lost', row],
      ['survived', row],
      ['lost', beside],
      ['updating', row],
    ],
  )
  const repair = readOnlyRepair(reader.read)
  expect(repair.isRepairable).toBe(false)
  expect(await repair.findBadRows(session)).toMatchObject([
    { kind: 'unreadable', table: 'tasks', row: 7, changes: [], refused: expect.any(String) },
    { table: 'meta.json', row: 3, changes: [] },
  ])
})

function makeReader(ids: string[], found: [Severity, Place][]) {
  let readings = 0
  return {
    readings: () => readings,
    async *read(session: SessionRef) {
      readings++
      const at = { file: session.filePath, table: 'said', row: 1 }
      for (const id of ids) yield { id, role: 'user', time: null, parts: [], at } satisfies Message
      yield { id: 'notice', role: 'system', time: null, parts: [], at } satisfies Message
      const findings = new Findings()
      for (const [severity, place] of found)
        findings.add({ damage: 'malformed', severity, at: place, text: 'It is broken.', hint: 'Look at it.' })
      const counts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
      const common = { facts: {}, counts, branches: [], continued: false }
      return endReading(common, findings, { parsedUpTo: 0, recovered: true })
    },
  }
}
