import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { toyRepair, toySession } from '../../../../test/support/toy-log.ts'
import type { LogRepair } from '../../repair.ts'
import { checkIndex, indexFileOf } from './sessions-index.ts'

const repair: LogRepair = {
  ...toyRepair,
  describe: record => ({ kind: record['kind'] === 'title' ? 'other' : 'talk', version: String(record['version']) }),
}
const HOUR = 3600

/** A project with one session, and the files of the case. Times are hours. */
function problems(options: {
  version?: string
  listed?: string[] | 'none'
  index?: number
  other?: number
  kind?: string
}) {
  const { version = '2.1.40', listed = [], index = 0, other = 9, kind = 'user' } = options
  const home = temporaryHome()
  const at = (name: string, text: string, hour: number): string => {
    const path = put(home, name, text)
    utimesSync(path, hour * HOUR, hour * HOUR)
    return path
  }
  const session = { ...toySession(at('one.jsonl', lines({ id: 'a', kind, version }), 5), home), sessionId: 'one' }
  at('other.jsonl', lines({ id: 'b', version }), other)
  const entries = listed === 'none' ? [] : listed.map(sessionId => ({ sessionId }))
  if (listed !== 'none') at('sessions-index.json', JSON.stringify({ version: 1, entries }), index)
  expect(indexFileOf(session)).toBe(join(home, 'sessions-index.json'))
  return checkIndex(session, viewOf(session, repair))
}

test('an index without a session that another one followed is set aside', () => {
  expect(problems({})).toMatchObject([
    { file: expect.stringMatching(/sessions-index\.json$/), isFatal: false, changes: [{ type: 'remove' }] },
  ])
})

test('so is one that was written after the session and does not have it', () => {
  expect(problems({ other: 1, index: 7 })).toHaveLength(1)
})

test('an index that lists the session, and a missing index, are not problems', () => {
  expect(problems({ listed: ['one'] })).toEqual([])
  expect(problems({ listed: 'none' })).toEqual([])
})

test('the newest session is entered only when the next one begins', () => {
  expect(problems({ other: 1, index: 4 })).toEqual([])
})

test('a session in which nothing was said is never listed', () => {
  expect(problems({ kind: 'title' })).toEqual([])
})

test('versions that heal the index, and versions that have none, are left alone', () => {
  expect(['2.0.14', '2.1.25', '2.1.89', '2.1.325', 'undefined'].flatMap(version => problems({ version }))).toEqual([])
})
