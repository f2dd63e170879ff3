import { appendFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { changeInPlace, sessionIn, verdictFor } from '../../../test/support/verdicts.ts'
import { startWriter } from '../../../test/support/writer.ts'
import { identityOf, statPath } from '../../disk/files/read.ts'
import { injectFiles, nodeFiles } from '../../disk/files/system-calls.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Status, Verdict } from '../../model/verdict.ts'
import { originOf, sessionKey } from './origin.ts'
import { RULES_VERSION } from './rules-version.ts'
import type { Verdicts } from './verdict-cache.ts'
import { openVerdicts } from './verdict-cache.ts'

const AN_HOUR_AGO = new Date(Date.now() - 3_600_000)

interface Place {
  state: string
  path: string
  session: SessionRef
  verdicts: Verdicts
}

/** A session in a file an hour old, and an empty cache. */
function makePlace(): Place {
  const home = temporaryHome()
  const path = put(home, 'store/one.jsonl', '{"a":1}\n')
  utimesSync(path, AN_HOUR_AGO, AN_HOUR_AGO)
  const state = join(home, 'state')
  return { state, path, session: sessionIn(path), verdicts: open(state) }
}

function open(state: string, rules?: string): Verdicts {
  const verdicts = openVerdicts(state, rules)
  onTestFinished(() => verdicts.close())
  return verdicts
}

function remember({ verdicts, session }: Place, files?: string[]): Verdict {
  const verdict = verdictFor(session)
  verdicts.set(session, verdict, originOf(session, files))
  return verdict
}

test('a verdict is given again as long as the file is the same', () => {
  const place = makePlace()
  expect(place.verdicts.get(place.session)).toBeUndefined()
  const verdict = remember(place)
  expect(place.verdicts.get(place.session)).toEqual(verdict)
})

test('a verdict on a file says nothing about the copy of its session in the archive', () => {
  const place = makePlace()
  remember(place)
  const archived = { ...place.session, identity: 'archive:1:2:3', archived: { chain: '1' } }
  expect(place.verdicts.get(archived)).toBeUndefined()
  const verdict = remember({ ...place, session: archived }, [place.path])
  writeFileSync(place.path, 'something else')
  expect(place.verdicts.get(archived)).toEqual(verdict)
})

test('everything a verdict says is kept', () => {
  const { verdicts, session, path } = makePlace()
  const finding = { damage: 'torn-tail', severity: 'lost' as const, text: 'cut', hint: 'rethread repair one' }
  const verdict = verdictFor(session, 'corrupted', {
    loads: { now: 1, afterRepair: 2 },
    findings: [
      { ...finding, at: { file: path, start: 3, end: 7 } },
      { ...finding, at: { file: path, table: 'part', row: 'p1' } },
    ],
    moreFindings: 4,
    reason: { code: 'c', text: 't', hint: 'h' },
    refusals: [{ damage: 'parent-cycle', text: 'is unknown' }],
  })
  verdicts.set(session, verdict, originOf(session))
  expect(verdicts.get(session)).toEqual(verdict)
})

test('an unchanged file is checked once and not opened', () => {
  const place = makePlace()
  const verdict = remember(place)
  const looks: string[] = []
  const refuse = (): never => {
    throw new Error('opened')
  }
  const statIfThere = (path: string) => {
    looks.push(path)
    return nodeFiles.statIfThere(path)
  }
  onTestFinished(injectFiles({ ...nodeFiles, open: refuse, read: refuse, list: refuse, statIfThere }))
  expect(place.verdicts.get(place.session)).toEqual(verdict)
  expect(looks).toEqual([place.path])
})

const CHANGES: Record<string, (path: string) => void> = {
  'has another modification time': path => utimesSync(path, new Date(), new Date()),
  'has grown': path => {
    appendFileSync(path, '{"b":2}\n')
    utimesSync(path, AN_HOUR_AGO, AN_HOUR_AGO)
  },
  'was replaced by another of the same size and time': path => {
    writeFileSync(`${path}.new`, '{"a":2}\n')
    utimesSync(`${path}.new`, AN_HOUR_AGO, AN_HOUR_AGO)
    renameSync(`${path}.new`, path)
  },
  'was changed in place and its modification time put back': path => changeInPlace(path, '{"a":2}\n'),
  'is gone': path => rmSync(path),
}
test.each(Object.entries(CHANGES))('a session whose file %s has to be checked', (_, change) => {
  const place = makePlace()
  remember(place)
  change(place.path)
  expect(place.verdicts.get(place.session)).toBeUndefined()
})

test('what was appended while the check was reading was not checked', () => {
  const { verdicts, session, path } = makePlace()
  const origin = originOf(session)
  appendFileSync(path, '{"b":2}\n')
  verdicts.set(session, verdictFor(session), origin)
  expect(verdicts.get(sessionIn(path))).toBeUndefined()
})

test('every file a verdict was made from counts, and one that was not there', () => {
  const place = makePlace()
  const beside = put(join(place.path, '..'), 'index.json', '{}')
  const later = join(place.path, '../later.json')
  const files = [place.path, beside, later]
  const verdict = remember(place, files)
  expect(place.verdicts.get(place.session)).toEqual(verdict)
  writeFileSync(beside, '{"a":1}')
  expect(place.verdicts.get(place.session)).toBeUndefined()
  remember(place, files)
  writeFileSync(later, '')
  expect(place.verdicts.get(place.session)).toBeUndefined()
})

test('a verdict on a file that could not be checked is not cached', () => {
  const { verdicts, session } = makePlace()
  const statIfThere = (): never => {
    throw Object.assign(new Error('no'), { code: 'EACCES' })
  }
  const restore = injectFiles({ ...nodeFiles, statIfThere })
  onTestFinished(restore)
  verdicts.set(session, verdictFor(session), originOf(session))
  expect(verdicts.get(session)).toBeUndefined()
  restore()
  expect(verdicts.get(session)).toBeUndefined()
})

test('a session in a database is known by what the store says of it, not by the file that it shares', () => {
  const { verdicts, path, ...place } = makePlace()
  const session = { ...place.session, identity: 'rows-1' }
  const verdict = verdictFor(session)
  verdicts.set(session, verdict, originOf(session))
  appendFileSync(path, 'another session')
  expect(verdicts.get(session)).toEqual(verdict)
  expect(verdicts.get({ ...session, identity: 'rows-2' })).toBeUndefined()
  expect(verdicts.get({ ...session, isFromMemory: true })).toBeUndefined()
})

test('agent, session and file together are the key', () => {
  const place = makePlace()
  remember(place)
  const other = put(join(place.path, '..'), 'two.jsonl', '{"a":1}\n')
  expect(place.verdicts.get({ ...place.session, agent: 'other' })).toBeUndefined()
  expect(place.verdicts.get({ ...place.session, sessionId: 'two' })).toBeUndefined()
  expect(place.verdicts.get({ ...place.session, filePath: other })).toBeUndefined()
})

test.each<Status>(['missing', 'unreadable', 'busy'])(
  'a verdict that is %s is not kept, nor the one before it',
  status => {
    const place = makePlace()
    const { verdicts, session } = place
    remember(place)
    verdicts.set(session, verdictFor(session, status), originOf(session))
    expect(verdicts.get(session)).toBeUndefined()
  },
)

test('a verdict on a file whose end was still being written is not kept: its writer may die without another byte', () => {
  const { verdicts, session, path } = makePlace()
  const at = { file: path, start: 0, end: 1 }
  const findings = [{ damage: 'torn-tail', severity: 'updating' as const, at, text: 'unfinished', hint: 'wait' }]
  verdicts.set(session, verdictFor(session, 'healthy', { findings }), originOf(session))
  expect(verdicts.get(session)).toBeUndefined()
})

test('verdicts outlive the process', () => {
  const place = makePlace()
  const verdict = remember(place)
  place.verdicts.close()
  const again = open(place.state)
  expect(again.get(place.session)).toEqual(verdict)
  again.invalidate(place.session)
  again.close()
  expect(open(place.state).get(place.session)).toBeUndefined()
})

test('a process that is killed loses no verdict it had set', async () => {
  const { state, session, verdicts } = makePlace()
  verdicts.close()
  const writer = startWriter(
    state,
    `const { openVerdicts } = await import(${JSON.stringify(import.meta.resolve('./verdict-cache.ts'))})
     const { originOf } = await import(${JSON.stringify(import.meta.resolve('./origin.ts'))})
     const [session, verdict] = JSON.parse(await next())
     const verdicts = openVerdicts(path)
     for (const sessionId of ['a', 'b', 'c']) verdicts.set({ ...session, sessionId }, verdict, originOf(session))
     say('set')
     await next()`,
  )
  writer.send(JSON.stringify([session, verdictFor(session)]))
  expect(await writer.heard()).toBe('set')
  await writer.kill()
  const found = ['a', 'b', 'c'].map(sessionId => open(state).get({ ...session, sessionId })?.status)
  expect(found).toEqual(['healthy', 'healthy', 'healthy'])
})

test('what one process sets and invalidates, another sees', () => {
  const place = makePlace()
  const other = open(place.state)
  remember(place)
  expect(other.get(place.session)?.status).toBe('healthy')
  other.invalidate(place.session)
  expect(place.verdicts.get(place.session)).toBeUndefined()
})

test('verdicts that were loaded all at once are judged like any other', () => {
  const place = makePlace()
  const { verdicts, session, path } = place
  const verdict = remember(place)
  verdicts.load()
  expect([verdicts.get(session), verdicts.get(session)]).toEqual([verdict, verdict])
  verdicts.load()
  verdicts.invalidate(session)
  expect(verdicts.get(session)).toBeUndefined()
  remember(place)
  verdicts.load()
  verdicts.set(session, { ...verdict, messageCount: 3 }, originOf(session))
  expect(verdicts.get(session)?.messageCount).toBe(3)
  verdicts.load()
  appendFileSync(path, '\n')
  expect(verdicts.get(session)).toBeUndefined()
})

test('files of sessions that were just found are not statted again', () => {
  const place = makePlace()
  const { verdicts, session, path } = place
  const verdict = remember(place)
  verdicts.load(true)
  appendFileSync(path, '\n')
  expect(verdicts.get(session)).toEqual(verdict)
  verdicts.load(true)
  expect(verdicts.get({ ...session, identity: originMark(path), fileSize: session.fileSize + 1 })).toBeUndefined()
})

function originMark(path: string): string {
  return identityOf(statPath(path)).mark
}

test('a project folder is cached with the verdict', () => {
  const place = makePlace()
  const verdict = remember(place)
  place.verdicts.set(place.session, verdict, originOf(place.session), '/home/dev/shop')
  expect(place.verdicts.find(place.session)).toMatchObject({ verdict, project: '/home/dev/shop' })
})

test('a verdict by other rules is not used', () => {
  const place = makePlace()
  remember(place)
  expect(open(place.state, `not ${RULES_VERSION}`).get(place.session)).toBeUndefined()
  expect(open(place.state).get(place.session)?.status).toBe('healthy')
})

test.each([
  ['is cut short', (text: string) => text.slice(0, -9)],
  ['has another shape', (text: string) => text.replace('[3,', '[2,')],
  ['has another number', (text: string) => text.replace(',[2,0,2,', ',[2,0,1,')],
  ['lacks a number', (text: string) => text.replace(',2,2]', ',2]')],
])('a cached verdict that %s is not used', (_, spoil) => {
  const place = makePlace()
  remember(place)
  const database = new DatabaseSync(join(place.state, 'verdicts.sqlite'))
  const before = String(database.prepare('SELECT value FROM entries').get()?.['value'])
  expect(spoil(before)).not.toBe(before)
  database.prepare('UPDATE entries SET value = ? WHERE key = ?').run(spoil(before), sessionKey(place.session))
  database.close()
  expect(place.verdicts.get(place.session)).toBeUndefined()
  const verdict = remember(place)
  expect(place.verdicts.get(place.session)).toEqual(verdict)
})

test('the cache can be read by its owner alone', () => {
  const place = makePlace()
  remember(place)
  const modes = ['', '-wal', '-shm'].map(suffix => statSync(join(place.state, `verdicts.sqlite${suffix}`)).mode & 0o777)
  expect(modes).toEqual([0o600, 0o600, 0o600])
})
