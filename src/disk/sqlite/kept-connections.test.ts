import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { type Connection, KeptConnections } from './kept-connections.ts'
import { keepConnections, readDatabase } from './read-database.ts'

/** Gives a connection to nothing, and notes what was opened and closed. */
function makeOpener() {
  const opened: string[] = []
  const closed: string[] = []
  const open = (name: string) => (): Connection<string> => {
    const database = new DatabaseSync(':memory:')
    database.exec('BEGIN')
    opened.push(name)
    return {
      database,
      prepared: name,
      close: () => {
        database.close()
        closed.push(name)
      },
    }
  }
  return { open, opened, closed }
}

/** One reading that comes to its end. */
function readOnce(kept: KeptConnections<string>, path: string, state: string, open: () => Connection<string>): string {
  const connection = kept.take(path, state, open)
  if (!connection.database.isTransaction) connection.database.exec('BEGIN')
  kept.give(path, state, connection)
  return connection.prepared
}

test('of a database that is read again and again, one connection is kept and closed at the end', async () => {
  const kept = new KeptConnections<string>()
  const { open, opened, closed } = makeOpener()
  await kept.during(async () => {
    const used = ['a', 'b', 'c', 'd'].map(name => readOnce(kept, '/db', 'unchanged', open(name)))
    expect(used).toEqual(['a', 'b', 'b', 'b'])
  })
  expect(opened).toEqual(['a', 'b'])
  expect(closed).toEqual(['a', 'b'])
})

test('a database that changed is opened again, and so is another one', async () => {
  const kept = new KeptConnections<string>()
  const { open, opened, closed } = makeOpener()
  await kept.during(async () => {
    for (const name of ['a', 'b']) readOnce(kept, '/db', 'before', open(name))
    expect(readOnce(kept, '/db', 'after', open('c'))).toBe('c')
    expect(readOnce(kept, '/other', 'after', open('d'))).toBe('d')
    expect(closed).toEqual(opened)
  })
})

test('a connection in use is not given to a second reading', async () => {
  const kept = new KeptConnections<string>()
  const { open } = makeOpener()
  await kept.during(async () => {
    for (const name of ['a', 'b']) readOnce(kept, '/db', 'unchanged', open(name))
    const first = kept.take('/db', 'unchanged', open('c'))
    const second = kept.take('/db', 'unchanged', open('d'))
    expect([first.prepared, second.prepared]).toEqual(['b', 'd'])
    first.close()
    second.close()
  })
})

test('without a caller that asks for it nothing is kept', () => {
  const kept = new KeptConnections<string>()
  const { open, closed } = makeOpener()
  for (const name of ['a', 'b', 'c']) readOnce(kept, '/db', 'unchanged', open(name))
  expect(closed).toEqual(['a', 'b', 'c'])
})

test.each(['DELETE', 'WAL'])('with a journal of type %s, each reading sees what was written before it', async mode => {
  const home = temporaryHome()
  const path = `${home}/store.db`
  const write = (sql: string): void => {
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
  }
  write(`PRAGMA journal_mode = ${mode}; CREATE TABLE numbers (number)`)
  await keepConnections(async () => {
    for (let count = 0; count < 6; count++) {
      for (let again = 0; again < 3; again++) {
        const rows = await readDatabase(path, home, database => database.all('SELECT number FROM numbers'))
        expect(rows).toHaveLength(count)
      }
      write(`INSERT INTO numbers VALUES (${count})`)
    }
  })
})
