// Rows and whole databases: changed with a receipt, and taken back.
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { putDatabase } from '../../../test/support/database.ts'
import { type Fault, Killed, killAt, quickHome } from '../../../test/support/faults.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { edit, LONG_AGO, patch, plannedFor, strangersBeside, text } from '../../../test/support/repairs.ts'
import { startWriter } from '../../../test/support/writer.ts'
import type { Change, RowChange } from '../../model/plan.ts'
import { databaseMark } from '../sqlite/database-files.ts'
import { type ApplyRequest, applyChanges } from './apply.ts'
import { type DatabaseWriters, sqliteWriters } from './database-writer.ts'
import { findReceipt, listReceipts } from './receipts.ts'
import { recoverInterrupted } from './recover.ts'
import { undoReceipt } from './undo.ts'
import { vaultFolder } from './vault.ts'

const WHY = { damage: 'some-damage', reason: 'because' }
const BIG = 9007199254740993n

function putStore(home: string): { file: string; state: string; request(changes: Change[]): ApplyRequest } {
  const file = putDatabase(home, 'agent/store.db', database => {
    database.exec('CREATE TABLE part (id TEXT PRIMARY KEY, data, big)')
    const insert = database.prepare('INSERT INTO part VALUES (?, ?, ?)')
    insert.run('a', '{"torn', BIG)
    insert.run('b', new Uint8Array([0, 255]), null)
    insert.run('c', '{}', 1.5)
    for (let n = 0; n < 200; n++) insert.run(`filler ${n}`, 'x'.repeat(100), n)
  })
  const state = join(home, 'state')
  const named = { agent: 'some-agent', sessionId: 'session-1', filePath: file }
  return { file, state, request: changes => ({ state, ...named, changes, planned: plannedFor(changes) }) }
}

/** Left by a writer that was killed. */
function putStoreWithLog(home: string): ReturnType<typeof putStore> {
  const store = putStore(home)
  const writer = new DatabaseSync(store.file)
  writer.exec("UPDATE part SET data = 'in the log' WHERE id = 'c'")
  const copies = ['', '-wal', '-shm'].map(suffix => [store.file + suffix, readFileSync(store.file + suffix)] as const)
  writer.close()
  for (const [path, bytes] of copies) writeFileSync(path, bytes)
  return store
}

const filesOf = (file: string) =>
  ['', '-wal', '-shm'].map(suffix =>
    existsSync(file + suffix) ? readFileSync(file + suffix).toString('latin1') : null,
  )

function rowsOf(file: string): unknown[] {
  const database = new DatabaseSync(file)
  try {
    const statement = database.prepare("SELECT * FROM part WHERE id NOT LIKE 'filler%' ORDER BY id")
    statement.setReadBigInts(true)
    return statement.all()
  } finally {
    database.close()
  }
}

const change = (file: string, id: string, what: RowChange['change']): RowChange => ({
  type: 'row',
  file,
  table: 'part',
  key: { id },
  change: what,
  ...WHY,
})
const ROWS = (file: string): RowChange[] => [
  change(file, 'a', { type: 'update', set: { data: '{}' } }),
  change(file, 'b', { type: 'delete' }),
]

/** SQLite does not go through the calls that die. */
function unlessDead(fault: Fault): DatabaseWriters {
  return async () => {
    if (fault.isDead()) throw new Killed('this process is dead')
    return await sqliteWriters()
  }
}

describe('rows', () => {
  test('are changed in one transaction, are in the receipt as they were, and come back as they were', async () => {
    const { file, state, request } = putStore(temporaryHome())
    const before = rowsOf(file)
    const { id } = await applyChanges(request(ROWS(file)))
    expect(rowsOf(file)).toMatchObject([{ id: 'a', data: '{}', big: BIG }, { id: 'c' }])
    const [stored] = findReceipt(state, id).receipt.changes
    expect(stored).toMatchObject({
      type: 'rows',
      rows: [
        { table: 'part', before: { data: '{"torn', big: { integer: String(BIG) } } },
        { before: { data: { base64: 'AP8=' } }, after: null },
      ],
    })
    await undoReceipt(state, id)
    expect(rowsOf(file)).toEqual(before)
  })

  test('leave the database with the time at which its agent last wrote, also when they are taken back', async () => {
    const { file, state, request } = putStore(temporaryHome())
    utimesSync(file, LONG_AGO, LONG_AGO)
    const identity = databaseMark(file)
    const { id } = await applyChanges(request(ROWS(file)))
    expect(statSync(file).mtime).toEqual(LONG_AGO)
    // A cache of its content is still invalidated.
    expect(databaseMark(file)).not.toBe(identity)
    await undoReceipt(state, id)
    expect(statSync(file).mtime).toEqual(LONG_AGO)
  })

  test('count what a dead writer left in the log as the last that was written', async () => {
    const { file, request } = putStoreWithLog(temporaryHome())
    utimesSync(file, LONG_AGO, LONG_AGO)
    const later = new Date(LONG_AGO.getTime() + 60_000)
    utimesSync(`${file}-wal`, later, later)
    await applyChanges(request(ROWS(file)))
    expect(existsSync(`${file}-wal`)).toBe(false)
    expect(statSync(file).mtime).toEqual(later)
  })

  test('leave the time alone while another process has the database open and they are in the log', async () => {
    const { file, request } = putStore(temporaryHome())
    const agent = new DatabaseSync(file)
    agent.exec("UPDATE part SET data = 'newer' WHERE id = 'c'")
    utimesSync(file, LONG_AGO, LONG_AGO)
    await applyChanges(request(ROWS(file)))
    expect(statSync(file).mtime).toEqual(LONG_AGO)
    agent.close()
    expect(rowsOf(file)).toMatchObject([
      { id: 'a', data: '{}' },
      { id: 'c', data: 'newer' },
    ])
  })

  test('that another program changed since are not restored, nor is anything else of the repair', async () => {
    const home = temporaryHome()
    const { file, state, request } = putStore(home)
    const log = put(home, 'agent/log.jsonl', 'damaged!')
    const { id } = await applyChanges(request([...ROWS(file), patch(log, edit(log, 'damaged!', 'repaired'))]))
    const database = new DatabaseSync(file)
    database.exec("UPDATE part SET data = 'newer' WHERE id = 'a'")
    database.close()
    await expect(undoReceipt(state, id)).rejects.toMatchObject({ code: 'undo-conflict' })
    expect(rowsOf(file)).toMatchObject([{ data: 'newer' }, { id: 'c' }])
    expect(text(log)).toBe('repaired')
    expect(findReceipt(state, id).receipt.state).toBe('applied')
    expect(await recoverInterrupted(state)).toEqual([])
  })

  test('are whole whenever we are killed', async () => {
    const home = quickHome()
    const states = new Set<string | undefined>()
    for (let at = 1, isDone = false; !isDone; at++) {
      const { file, state, request } = putStore(join(home, String(at)))
      const before = rowsOf(file)
      const planned = request(ROWS(file))
      const fault = killAt(at, 'half')
      isDone = await applyChanges({ ...planned, databases: unlessDead(fault) }).then(
        () => true,
        () => false,
      )
      fault.lift()
      await recoverInterrupted(state)
      const last = listReceipts(state).receipts[0]?.receipt.state
      states.add(last)
      if (last === 'applied') expect(rowsOf(file), `call ${at}`).not.toEqual(before)
      else expect(rowsOf(file), `call ${at}`).toEqual(before)
    }
    expect([...states].sort()).toEqual(['applied', 'rolled-back', undefined])
  })
})

const rebuild = (file: string): Change => ({ type: 'rebuild-database', file, ...WHY })

describe('a database that is rebuilt', () => {
  test('takes the place of the old one, whose files are in the vault, and gives it back', async () => {
    const { file, state, request } = putStore(temporaryHome())
    const [before, rows, { mode }] = [readFileSync(file), rowsOf(file), statSync(file)]
    utimesSync(file, LONG_AGO, LONG_AGO)
    const receipt = await applyChanges(request([rebuild(file)]))
    expect(statSync(file)).toMatchObject({ mode, mtime: LONG_AGO })
    expect(rowsOf(file)).toEqual(rows)
    expect(readFileSync(join(vaultFolder(state, receipt), 'backup/0-store.db')).equals(before)).toBe(true)
    expect(receipt.changes[0]).toMatchObject({ report: { unusable: [] } })
    expect(strangersBeside(file)).toEqual([])
    await undoReceipt(state, receipt.id)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('is not left with the log of the old one', async () => {
    const { file, state, request } = putStore(temporaryHome())
    const writer = startWriter(
      file,
      "open().exec(\"UPDATE part SET data = 'in the log' WHERE id = 'c'\"); say('written'); await next()",
    )
    await writer.heard()
    await expect(applyChanges(request([rebuild(file)]))).rejects.toMatchObject({ code: 'busy' })
    expect(existsSync(`${file}-wal`)).toBe(true)
    await writer.kill()
    const log = readFileSync(`${file}-wal`)
    const receipt = await applyChanges(request([rebuild(file)]))
    expect(existsSync(`${file}-wal`)).toBe(false)
    expect(rowsOf(file)).toMatchObject([{}, {}, { data: 'in the log' }])
    await undoReceipt(state, receipt.id)
    expect(readFileSync(`${file}-wal`).equals(log)).toBe(true)
  })

  test('that has been used since is not taken back', async () => {
    const { file, state, request } = putStore(temporaryHome())
    const { id } = await applyChanges(request([rebuild(file)]))
    const database = new DatabaseSync(file)
    database.exec("DELETE FROM part WHERE id = 'c'")
    database.close()
    await expect(undoReceipt(state, id)).rejects.toMatchObject({ code: 'undo-conflict' })
    expect(rowsOf(file)).toHaveLength(2)
  })

  test.each([
    ['', putStore],
    [', its log with it', putStoreWithLog],
  ])('is the old one or the new one whenever we are killed%s', async (_, put) => {
    const home = quickHome()
    const outcomes = new Set<string>()
    for (let at = 1, isDone = false; !isDone; at++) {
      const { file, state, request } = put(join(home, String(at)))
      const before = filesOf(file)
      const planned = request([rebuild(file)])
      const fault = killAt(at, 'half')
      isDone = await applyChanges({ ...planned, databases: unlessDead(fault) }).then(
        () => true,
        () => false,
      )
      fault.lift()
      for (const { outcome } of await recoverInterrupted(state)) outcomes.add(outcome)
      expect(strangersBeside(file)).toEqual([])
      const last = listReceipts(state).receipts[0]?.receipt
      if (last?.state === 'applied') {
        expect(rowsOf(file), `call ${at}`).toHaveLength(3)
        await undoReceipt(state, last.id)
      }
      expect(filesOf(file), `call ${at}`).toEqual(before)
    }
    expect([...outcomes].sort()).toEqual(['finished', 'nothing-changed', 'taken-back'])
  })
})
