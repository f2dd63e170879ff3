import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { sessionIn, verdictFor } from '../../../test/support/verdicts.ts'
import type { SessionRef } from '../../model/session.ts'
import { originOf } from './origin.ts'
import type { Verdicts } from './verdict-cache.ts'
import { openVerdicts } from './verdict-cache.ts'

function makeSession(home: string): SessionRef {
  return sessionIn(put(home, 'one.jsonl', '{"a":1}\n'))
}

function open(state: string): Verdicts {
  const verdicts = openVerdicts(state)
  onTestFinished(() => verdicts.close())
  return verdicts
}

/** Sets a verdict and says what is known of it right after. */
function rememberedBy(verdicts: Verdicts, session: SessionRef): string | undefined {
  verdicts.set(session, verdictFor(session), originOf(session))
  return verdicts.get(session)?.status
}

test('a cache file that is not a database is recreated', () => {
  const home = temporaryHome()
  const session = makeSession(home)
  put(home, 'state/verdicts.sqlite', 'not a database'.repeat(100))
  put(home, 'state/verdicts.sqlite-wal', 'nor is this')
  const verdicts = open(join(home, 'state'))
  expect(verdicts.get(session)).toBeUndefined()
  expect(rememberedBy(verdicts, session)).toBe('healthy')
})

test.each(['get', 'set', 'invalidate', 'load'] as const)('a cache whose pages are damaged is restarted by %s', how => {
  const home = temporaryHome()
  const state = join(home, 'state')
  const session = makeSession(home)
  const first = open(state)
  for (let i = 0; i < 100; i++) rememberedBy(first, { ...session, sessionId: `s${i}` })
  first.close()
  damagePages(join(state, 'verdicts.sqlite'))
  const verdicts = open(state)
  if (how === 'set') verdicts.set(session, verdictFor(session), originOf(session))
  else if (how === 'load') verdicts.load()
  else verdicts[how](session)
  expect(rememberedBy(verdicts, session)).toBe('healthy')
  verdicts.close()
  expect(open(state).get(session)?.status).toBe('healthy')
})

/** In the header of a database. */
const PAGE_SIZE_AT = 16

/** Leaves the header and the schema, which is read on opening. */
function damagePages(path: string): void {
  const bytes = readFileSync(path)
  const pageBytes = bytes.readUInt16BE(PAGE_SIZE_AT)
  expect(bytes.length).toBeGreaterThan(3 * pageBytes)
  writeFileSync(path, bytes.fill(0xff, pageBytes))
}

test('a cache that is locked costs the memory and nothing else', () => {
  const home = temporaryHome()
  const state = join(home, 'state')
  const session = makeSession(home)
  const verdicts = open(state)
  expect(rememberedBy(verdicts, session)).toBe('healthy')
  const other = new DatabaseSync(join(state, 'verdicts.sqlite'))
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  expect(rememberedBy(verdicts, { ...session, sessionId: 'two' })).toBeUndefined()
  verdicts.invalidate(session)
  verdicts.load()
  expect(verdicts.get(session)).toBeUndefined()
})

test('without a folder to remember in, everything is checked each time', () => {
  const home = temporaryHome()
  const session = makeSession(home)
  const verdicts = open(join(put(home, 'file', ''), 'state'))
  expect(rememberedBy(verdicts, session)).toBeUndefined()
})

test.skipIf(process.platform === 'win32')('a disk that takes no more costs the memory and nothing else', () => {
  const home = temporaryHome()
  const session = makeSession(home)
  const script = `
    import { openVerdicts } from ${JSON.stringify(import.meta.resolve('./verdict-cache.ts'))}
    import { originOf } from ${JSON.stringify(import.meta.resolve('./origin.ts'))}
    const [state, session, verdict] = JSON.parse(process.argv[1])
    const verdicts = openVerdicts(state)
    const ids = Array.from({ length: 1200 }, (_, i) => 'session ' + i)
    for (const sessionId of ids) verdicts.set({ ...session, sessionId }, verdict, originOf(session))
    const known = ids.filter(sessionId => verdicts.get({ ...session, sessionId }) !== undefined)
    verdicts.close()
    process.stdout.write(String(known.length))`
  const details = JSON.stringify([join(home, 'state'), session, verdictFor(session)])
  // Files of at most 256 blocks, of 512 or 1024 bytes each: enough for some verdicts, not for all.
  const limited = [
    '-c',
    'ulimit -f 256; exec "$0" "$@"',
    process.execPath,
    '--input-type=module',
    '-e',
    script,
    details,
  ]
  expect(execFileSync('sh', limited, { encoding: 'utf8' })).toBe('0')
  expect(open(join(home, 'state')).get({ ...session, sessionId: 'session 0' })?.status).toBe('healthy')
})
