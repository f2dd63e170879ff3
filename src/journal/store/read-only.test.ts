import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { startWriter } from '../../../test/support/writer.ts'
import { openJournalReader } from './read-only.ts'

const COUNT = 'SELECT count(*) AS n FROM said'

test('a writer that comes while it reads, in the same process, can write', async () => {
  const path = make()
  // Another process has it open, so that there is a log with its index.
  const other = startWriter(
    path,
    "const db = open(); db.exec('INSERT INTO said VALUES (2)'); say('ready'); await next()",
  )
  await other.heard()
  const reader = openJournalReader(path)
  onTestFinished(() => reader.close())
  await reader.use(async connection => {
    expect(connection.run(COUNT, []).rows).toEqual([{ n: 2 }])
    const writer = new DatabaseSync(path)
    writer.exec('INSERT INTO said VALUES (3)')
    writer.close()
  })
  expect(await reader.use(connection => connection.run(COUNT, []).rows)).toEqual([{ n: 3 }])
})

test('a step is repeated where a process started to write', async () => {
  const path = make()
  const reader = openJournalReader(path)
  onTestFinished(() => reader.close())
  let times = 0
  const rows = await reader.use(connection => {
    const { rows: found } = connection.run(COUNT, [])
    if (times++ === 0) write(path)
    return found
  })
  expect(rows).toEqual([{ n: 2 }])
  expect(times).toBe(2)
})

test('with a process writing all the time, a copy is read', async () => {
  const path = make()
  const reader = openJournalReader(path)
  onTestFinished(() => reader.close())
  let times = 0
  await reader.use(() => {
    times++
    write(path)
  })
  expect(times).toBe(4)
})

test('touches nothing', async () => {
  const path = make()
  const before = statSync(path, { bigint: true }).mtimeNs
  const reader = openJournalReader(path)
  await reader.use(connection => connection.run(COUNT, []))
  reader.close()
  expect(statSync(path, { bigint: true }).mtimeNs).toBe(before)
  expect(() => statSync(`${path}-wal`)).toThrow()
  expect(() => statSync(`${path}-shm`)).toThrow()
})

test('what cannot be read says why', async () => {
  const path = put(
    temporaryHome(),
    'text',
    'no database at all, and long enough to be looked at as if it were one'.repeat(20),
  )
  await expect(openJournalReader(path).use(() => 1)).rejects.toMatchObject({ code: 'database-corrupt', path })
  const none = join(dirname(path), 'none')
  await expect(openJournalReader(none).use(() => 1)).rejects.toMatchObject({ code: 'not-found', path: none })
})

function make(): string {
  const path = join(temporaryHome(), 'journal.sqlite')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE said (a); INSERT INTO said VALUES (1)')
  database.close()
  return path
}

/** And closes, so that no log is left. */
function write(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('INSERT INTO said VALUES (2)')
  database.close()
}
