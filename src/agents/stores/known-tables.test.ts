import { expect, test } from 'vitest'
import { putDatabase } from '../../../test/support/database.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { readDatabase } from '../../disk/sqlite/read-database.ts'
import { type KnownTables, unknownTables } from './known-tables.ts'

const TABLES: KnownTables = { conversations: { said: ['id', 'data'], asked: ['id'] }, others: ['session_share'] }

test.each([
  ['its tables', 'CREATE TABLE said (id, data)', undefined],
  ['one of its tables, and others', 'CREATE TABLE asked (id); CREATE TABLE notes (id)', undefined],
  [
    'an empty table with the name of conversations',
    'CREATE TABLE said (id, data); CREATE TABLE messages (id)',
    undefined,
  ],
  ['none of its tables', 'CREATE TABLE notes (id)', 'has none of the tables "said", "asked"'],
  ['no table', 'PRAGMA user_version = 7', 'has none of the tables'],
  ['a table without its column', 'CREATE TABLE said (id, value)', 'lacks the columns "said.data"'],
  ['rows in a new table', 'CREATE TABLE asked (id); CREATE TABLE said_message_v3 (id)', undefined],
  [
    'rows in a table with the name of conversations',
    'CREATE TABLE asked (id); CREATE TABLE session_v2 (id); INSERT INTO session_v2 VALUES (1)',
    'does not know: "session_v2"',
  ],
  [
    'rows in a table that is known to hold others',
    'CREATE TABLE asked (id); CREATE TABLE session_share (id); INSERT INTO session_share VALUES (1)',
    undefined,
  ],
])('a database with %s', async (_name, schema, text) => {
  const path = putDatabase(temporaryHome(), 'toy.db', database => database.exec(schema))
  const found = await readDatabase(path, path.slice(0, -'/toy.db'.length), database => unknownTables(database, TABLES))
  expect(found.map(({ message }) => message)).toEqual(text === undefined ? [] : [expect.stringContaining(text)])
})

test('a file that can be of another program need not have any of the tables', async () => {
  const path = putDatabase(temporaryHome(), 'toy.db', database => database.exec('CREATE TABLE notes (id)'))
  const known = { ...TABLES, mayBeForeign: true }
  expect(
    await readDatabase(path, path.slice(0, -'/toy.db'.length), database => unknownTables(database, known)),
  ).toEqual([])
})
