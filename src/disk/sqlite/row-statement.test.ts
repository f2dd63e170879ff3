import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from './row-statement.ts'
import { prepareRows } from './row-statement.ts'

describe('the rows of a statement', () => {
  let connection: DatabaseSync

  beforeEach(() => {
    connection = new DatabaseSync(':memory:')
  })
  afterEach(() => connection.close())

  const rowsOf = (sql: string): Row[] => {
    const { statement, rowOf } = prepareRows(connection, sql)
    return statement.all().map(rowOf)
  }

  it('have a value for each column, in the order of the columns', () => {
    const [row] = rowsOf(`SELECT 'x' AS b, NULL AS a, x'00ff' AS c, 1.5 AS d`)
    expect(Object.entries(row ?? {})).toEqual([
      ['b', 'x'],
      ['a', null],
      ['c', new Uint8Array([0, 255])],
      ['d', 1.5],
    ])
  })

  it('have numbers for integers, and a bigint where a number would not be exact', () => {
    expect(rowsOf('SELECT 7 AS a, 9007199254740991 AS b, 9007199254740993 AS c')).toEqual([
      { a: 7, b: 9007199254740991, c: 9007199254740993n },
    ])
  })

  it('have nothing but their columns, whatever the columns are called', () => {
    const [row] = rowsOf('SELECT 1 AS __proto__, 2 AS toString')
    expect(Object.keys(row ?? {})).toEqual(['__proto__', 'toString'])
    expect(rowsOf('SELECT 1 AS a')[0]?.['constructor']).toBeUndefined()
  })

  it('are the same one by one', () => {
    const { statement, rowOf } = prepareRows(connection, 'VALUES (1), (2)')
    expect([...statement.iterate()].map(row => Object.values(rowOf(row)))).toEqual([[1], [2]])
  })
})
