import { copyFileSync, mkdirSync, utimesSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../test/support/home.ts'
import { scannerConformance } from '../../test/support/scanner-conformance.ts'
import { createScanner } from './scanner.ts'

const FIXTURES = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'sessions')
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

scannerConformance('createScanner', () => {
  const home = temporaryHome()
  const scanner = createScanner({ home, state: join(home, 'state') })
  return { scanner, folder: join(home, '.claude', 'projects', '-home-dev-shop') }
})

function open() {
  const home = temporaryHome()
  return { home, scanner: createScanner({ home, state: join(home, 'state') }) }
}

test('a file outside every store, such as a copy, is scanned and repaired by its path', async () => {
  const { home, scanner } = open()
  const path = join(home, 'copies', 'one.jsonl')
  mkdirSync(join(home, 'copies'))
  copyFileSync(join(FIXTURES, 'corrupted-shallow.jsonl'), path)
  utimesSync(path, LONG_AGO, LONG_AGO)
  expect((await scanner.scan(path)).status).toBe('corrupted')
  expect((await scanner.repair(path)).status).toBe('repaired')
  expect((await scanner.scan(path)).status).toBe('healthy')
})

test('results carry the paths as they were given, one for each, also where a path is given twice', async () => {
  const { home, scanner } = open()
  const path = put(home, 'copy.jsonl', '')
  copyFileSync(join(FIXTURES, 'healthy.jsonl'), path)
  utimesSync(path, LONG_AGO, LONG_AGO)
  const given = [relative(process.cwd(), path), path, path]
  const results = await scanner.scanBatch(given)
  expect(results.map(({ filePath }) => filePath)).toEqual(given)
  expect(results.map(({ status }) => status)).toEqual(['healthy', 'healthy', 'healthy'])
})

test('what cannot be scanned has a reason with a hint', async () => {
  const { home, scanner } = open()
  const results = await scanner.scanBatch([join(home, 'gone.jsonl'), put(home, 'notes.txt', 'no session\n'), home])
  expect(results.map(({ status, reason }) => [status, reason?.code])).toEqual([
    ['missing', 'not-found'],
    ['unreadable', 'not-a-session'],
    ['unreadable', 'is-a-directory'],
  ])
  for (const { reason } of results) expect(reason?.hint).not.toBe('')
})

test('a path that leads to no session cannot be repaired', async () => {
  const { home, scanner } = open()
  await expect(scanner.repair(join(home, 'gone.jsonl'))).rejects.toMatchObject({ code: 'not-found' })
})
