// Where a restore may write, and sessions that the archive knows at several paths.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { pass } from '../../../test/support/archive.ts'
import { differing, snapshot } from '../../../test/support/damaged.ts'
import { put } from '../../../test/support/home.ts'
import { deletedSession, prepare, restore } from '../../../test/support/restored.ts'
import { openArchive } from '../../archive/archive.ts'
import { sessionAt } from '../../archive/archived-sessions.ts'
import { compareVersions } from '../../archive/difference.ts'
import { archiveChainId } from '../../archive/items.ts'
import { encodeSegment } from '../../archive/segment.ts'
import { listVersions } from '../../archive/versions.ts'
import { findSessions } from '../../catalog/find-all.ts'
import { makeSessionFinder } from '../../catalog/find-one.ts'
import { importInto } from '../../catalog/import-archive.ts'
import { readSession } from '../../catalog/reading.ts'
import { collect } from '../../model/reading.ts'
import { undoRepair } from '../undo.ts'

test.each(['~/.ssh/authorized_keys', '/etc/rethread-test', '~/.claude/projects/../../.profile', 'relative.jsonl'])(
  'an archive of another machine cannot write to %s',
  async path => {
    const made = await prepare('claude-code', 'projects')
    const { home, context, session } = made
    await pass(context)
    rmSync(session.filePath)
    const archive = openArchive(context.state)
    const chain = await archive.load(archiveChainId(session, home))
    const [segment] = chain?.segments ?? []
    if (segment === undefined) throw new Error('Nothing is archived.')
    const bytes = (await archive.store.read(segment.name)).subarray(segment.payload)
    const { header } = segment
    const items = header.items.map(item => ({ ...item, path }))
    const hostile = {
      ...header,
      chain: 'f'.repeat(32),
      items,
      session: { ...header.session, sessionId: 'hostile', filePath: path },
    }
    await archive.store.put('f'.repeat(32), 0, encodeSegment(hostile, [bytes]))
    await archive.store.sync()
    archive.close()
    const before = snapshot(home)
    const found = (await makeSessionFinder(context)).byName('hostile')
    await expect(restore(made, found)).rejects.toMatchObject({ code: 'outside-store' })
    expect(differing(before, snapshot(home))).toEqual([])
    expect(existsSync('/etc/rethread-test')).toBe(false)
  },
)

test('a folder of the store that is a link to another place is not written through', async () => {
  const made = await prepare('claude-code', 'projects')
  const { home, context, session } = made
  await pass(context)
  rmSync(dirname(session.filePath), { recursive: true })
  mkdirSync(join(home, 'elsewhere'))
  symlinkSync(join(home, 'elsewhere'), dirname(session.filePath))
  await pass(context)
  await expect(restore(made, (await makeSessionFinder(context)).byName(session.sessionId))).rejects.toMatchObject({
    code: 'outside-store',
  })
  expect(readdirSync(join(home, 'elsewhere'))).toEqual([])
})

test('a session that was archived at two paths has the restore points of both, and is restored where it is now', async () => {
  const made = await prepare('claude-code', 'projects')
  const { context, session } = made
  const before = readFileSync(session.filePath)
  await pass(context)
  const moved = join(dirname(dirname(session.filePath)), '-home-dev-elsewhere', `${session.sessionId}.jsonl`)
  mkdirSync(dirname(moved))
  renameSync(session.filePath, moved)
  truncateSync(moved, before.indexOf('\n', 2000) + 1)
  await pass(context)
  const [now = session] = (await findSessions(context)).sessions
  expect(now.filePath).toBe(moved)
  const { versions } = await listVersions(context, now)
  expect(versions.map(({ filePath, bytes }) => [filePath, bytes])).toEqual([
    [undefined, statSync(moved).size],
    [session.filePath, before.length],
  ])
  const { number, time = '' } = versions[1] ?? {}
  const earlier = await sessionAt(context, now, Date.parse(time))
  expect(earlier.archived).toMatchObject({ number })
  expect((await collect(readSession(context, earlier))).messages.length).toBeGreaterThan(
    (await collect(readSession(context, now))).messages.length,
  )
  const { files, receipt } = await restore(made, now, { number })
  expect(files).toEqual([moved])
  expect(readFileSync(moved)).toEqual(before)
  expect(existsSync(session.filePath)).toBe(false)
  await undoRepair(context, receipt?.id ?? '', { force: true })
  expect((await compareVersions(context, now, number ?? 0, versions[0]?.number ?? 0)).from.number).toBe(number)
  rmSync(moved)
  await pass(context)
  expect((await listVersions(context, await deletedSession(made))).versions.map(({ why }) => why)).toEqual([
    'deleted',
    'deleted',
    'first',
    'first',
  ])
})

test('what an import put beside a session is among its restore points', async () => {
  const made = await prepare('claude-code', 'projects')
  const { home, context, session } = made
  const present = readFileSync(session.filePath)
  const copy = join(home, 'backup')
  const other = put(copy, relative(home, session.filePath), `${present}{"only":"in the backup"}\n`)
  await pass(context)
  expect(await importInto(context, copy)).toMatchObject({ beside: 1 })
  const { versions } = await listVersions(context, session)
  expect(versions).toMatchObject([{ filePath: session.filePath }, { number: 0 }])
  const time = Date.parse(versions[0]?.time ?? '')
  expect(readFileSync(session.filePath)).toEqual(present)
  await restore(made, session, { time })
  expect(readFileSync(session.filePath)).toEqual(readFileSync(other))
})
