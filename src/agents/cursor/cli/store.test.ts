// Blobs that are read with one statement are those that are read one by one.
import { expect, test } from 'vitest'
import type { MadeChat } from '../../../../test/support/cursor/store-maker.ts'
import { alter, putChat } from '../../../../test/support/cursor/store-maker.ts'
import { temporaryHome } from '../../../../test/support/home.ts'
import { connect } from '../../../disk/sqlite/read-database.ts'
import { readBlob, readProved } from './store.ts'

const TEXTS = ['first', 'second', '', 'third', 'x'.repeat(64 * 1024), 'y'.repeat(64 * 1024 + 1), 'last']

/** For each id what one statement for all proves, and what a statement for it alone says. */
function readBoth(damage: (made: MadeChat) => void, idsOf = ({ ids }: MadeChat) => ids) {
  const made = putChat(temporaryHome(), { id: 'chat', messages: TEXTS.map(text => Buffer.from(text)) })
  damage(made)
  const { prepared, close } = connect(made.file, 'mode=ro')
  try {
    const ids = idsOf(made)
    const proved = readProved(prepared, ids).map(bytes => bytes?.toString())
    const alone = ids.map(id => readBlob(prepared, id))
    return { proved, alone: alone.map(blob => (blob.type === 'proved' ? blob.bytes.toString() : blob.type)) }
  } finally {
    close()
  }
}

test('blobs are proved together, except for those that are long', () => {
  const { proved, alone } = readBoth(() => {})
  expect(alone).toEqual(TEXTS)
  expect(proved).toEqual(TEXTS.map(text => (text.length > 64 * 1024 ? undefined : text)))
})

test('a blob is proved where it is named twice and where it is stored as text', () => {
  const { proved } = readBoth(
    ({ file, ids }) => alter(file, 'UPDATE blobs SET data = ? WHERE id = ?', 'first', ids[0] ?? ''),
    ({ ids }) => [...ids.slice(0, 2), ...ids.slice(0, 2)],
  )
  expect(proved).toEqual(['first', 'second', 'first', 'second'])
})

const UNPROVED: [string, string, string][] = [
  ['altered', 'UPDATE blobs SET data = ? WHERE id = ?', 'altered'],
  ['altered to another length', "UPDATE blobs SET data = ? || 'longer' WHERE id = ?", 'altered'],
  ['NULL', 'UPDATE blobs SET data = nullif(?1, ?1) WHERE id = ?2', 'altered'],
  ['missing', 'DELETE FROM blobs WHERE ? <> id AND id = ?', 'missing'],
]
test.each(UNPROVED)('a blob that is %s is not proved, and all others are', (_name, sql, type) => {
  const { proved, alone } = readBoth(({ file, ids }) => alter(file, sql, 'other', ids[1] ?? ''))
  expect(alone[1]).toBe(type)
  expect([proved[1], proved[0], proved[3], proved[6]]).toEqual([undefined, 'first', 'third', 'last'])
})

test('two blobs whose bytes were exchanged in part are not proved', () => {
  const { proved } = readBoth(({ file, ids }) => {
    alter(file, 'UPDATE blobs SET data = ? WHERE id = ?', 'firstsec', ids[0] ?? '')
    alter(file, 'UPDATE blobs SET data = ? WHERE id = ?', 'ond', ids[1] ?? '')
  })
  expect(proved.slice(0, 4)).toEqual([undefined, undefined, '', 'third'])
})

test('any text can be asked for as an id', () => {
  const { proved, alone } = readBoth(
    () => {},
    ({ ids }) => ['"', 'null', "']", '', ids[0] ?? ''],
  )
  expect(alone).toEqual(['missing', 'missing', 'missing', 'missing', 'first'])
  expect(proved).toEqual([undefined, undefined, undefined, undefined, 'first'])
})

test('nothing is proved together where an id names several rows', () => {
  const { proved, alone } = readBoth(({ file, ids }) => {
    alter(file, 'CREATE TABLE copy AS SELECT * FROM blobs')
    alter(file, 'DROP TABLE blobs')
    alter(file, 'ALTER TABLE copy RENAME TO blobs')
    alter(file, 'INSERT INTO blobs VALUES (?, ?)', ids[0] ?? '', 'first')
  })
  expect(proved).toEqual([])
  expect(alone).toEqual(TEXTS)
})

test('what is wrong with the database is said by the statement for one blob', () => {
  const { file, ids } = putChat(temporaryHome(), { id: 'chat' })
  alter(file, 'DROP TABLE blobs')
  const { prepared, close } = connect(file, 'mode=ro')
  try {
    expect(readProved(prepared, ids)).toEqual([])
    expect(() => readBlob(prepared, ids[0] ?? '')).toThrow('no such table')
  } finally {
    close()
  }
})
