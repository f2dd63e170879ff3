// A small database with records of two sessions, for tests of what is done to databases whatever agent they are of.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseRepair, RowProblem } from '../../src/agents/repair.ts'
import type { Traits } from '../../src/agents/store.ts'
import { readDatabase } from '../../src/disk/sqlite/read-database.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { DatabaseSubject, InflictTarget, Random } from '../../src/repair/damage/damage.ts'
import { putDatabase, runSql } from './database.ts'
import { seededRandom } from './random.ts'

export const databaseTraits: Traits = {
  framing: 'sqlite',
  linkedByParent: false,
  headerRecord: false,
  toolPairs: true,
  indexBeside: false,
  appendOnly: false,
}

export const TOY_MESSAGES = 40

/** Messages of session `a`, and one of session `b`. */
export function putToyDatabase(home: string): SessionRef {
  const filePath = putDatabase(home, 'store/toy.db', database => {
    database.exec('CREATE TABLE said (id text PRIMARY KEY, session text NOT NULL, data text NOT NULL)')
    database.exec('CREATE INDEX said_idx ON said (session, id)')
    const insert = database.prepare('INSERT INTO said VALUES (?, ?, ?)')
    for (let n = 0; n < TOY_MESSAGES; n++)
      insert.run(`a${n}`, 'a', JSON.stringify({ text: `message ${n}`, state: { status: 'completed', input: n } }))
    insert.run('b0', 'b', JSON.stringify({ text: 'of another session' }))
  })
  return {
    agent: 'toy',
    sessionId: 'a',
    filePath,
    generation: 'database',
    storeRoot: dirname(filePath),
    updatedAt: 0,
    fileSize: 0,
    identity: '',
  }
}

/** Rows that are no JSON are removed; one of them makes the agent fail. */
export const toyDatabaseRepair: DatabaseRepair = {
  framing: 'sqlite',
  isRepairable: true,
  records: [{ table: 'said', key: 'id', session: 'session', column: 'data' }],
  findBadRows: session =>
    readDatabase(session.filePath, session.storeRoot, database =>
      database
        .all('SELECT id FROM said WHERE session = ? AND NOT json_valid(data) ORDER BY id', session.sessionId)
        .map(({ id }) => badRow(session.filePath, String(id))),
    ),
  async countMessages(session) {
    const [row] = await readDatabase(session.filePath, session.storeRoot, database =>
      database.all(
        'SELECT count(*) AS n, total(NOT json_valid(data)) AS bad FROM said WHERE session = ?',
        session.sessionId,
      ),
    )
    const [all, bad] = [Number(row?.['n']), Number(row?.['bad'])]
    return { now: bad > 0 ? 0 : all, afterRepair: all - bad }
  },
}

export function badRow(file: string, id: string): RowProblem {
  return {
    kind: 'unreadable',
    table: 'said',
    row: id,
    text: `${id} is no JSON.`,
    changes: [{ type: 'row', file, table: 'said', key: { id }, change: { type: 'delete' }, reason: 'removed' }],
  }
}

export function toyDatabaseSubject(
  session: SessionRef,
  repair: Partial<DatabaseRepair> = {},
  more: Partial<DatabaseSubject> = {},
): DatabaseSubject {
  return { session, traits: databaseTraits, repair: { ...toyDatabaseRepair, ...repair }, isLive: false, ...more }
}

export function toyDatabaseTarget(session: SessionRef, repair: DatabaseRepair = toyDatabaseRepair): InflictTarget {
  return {
    session,
    traits: databaseTraits,
    repair,
    read: file => readFileSync(file),
    write: (file, bytes) => writeFileSync(file, bytes),
    remove() {
      throw new Error('A database is never removed by a damage.')
    },
    sql: (file, statement, ...values) => runSql(file, statement, values),
  }
}

export function seeded(seed: number): Random {
  const next = seededRandom(seed)
  return { next, below: limit => Math.floor(next() * limit) }
}
