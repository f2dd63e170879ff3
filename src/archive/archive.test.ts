// Sessions of every agent, archived by passes as they grow, are cut, rewritten and deleted.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { contentAt, opened, pass, pointsOf, viewMessages } from '../../test/support/archive.ts'
import { makeHome, readMessages, repairableKinds, snapshot } from '../../test/support/damaged.ts'
import { quickHome } from '../../test/support/faults.ts'
import { put } from '../../test/support/home.ts'
import { archiveFound, archiveStatus } from '../catalog/archive.ts'
import { findSessions } from '../catalog/find-all.ts'
import { openArchive } from './archive.ts'

const LOG = { agent: 'claude-code', generation: 'projects' }
const DOCUMENT = { agent: 'gemini-cli', generation: 'document' }

async function prepare({ agent, generation } = LOG) {
  const kind = (await repairableKinds()).find(each => each.agent === agent && each.store === generation)
  if (kind === undefined) throw new Error('There is no such store.')
  const made = await makeHome(quickHome(), kind, 1)
  // Not an old session: it would be deleted by its agent.
  return { ...made, file: made.session.filePath }
}

const KINDS = (await repairableKinds()).map(kind => [kind.agent, kind.store] as const)

test.each(KINDS)(
  'a session of %s (%s) is read from the archive as from its store, also after it was deleted',
  async (agent, generation) => {
    const made = await prepare({ agent, generation })
    const { context, session, home } = made
    const messages = await readMessages(made)
    const first = await pass(context)
    expect(first).toMatchObject({ copied: 1, failures: [], unsupported: 0 })
    expect(await pass(context)).toMatchObject({ sessions: 1, copied: 0 })
    for (const path of snapshot(home).keys()) rmSync(path)
    const gone = await pass(context)
    expect(gone.deleted).toHaveLength(1)
    expect(await pass(context)).toMatchObject({ deleted: [], copied: 0 })
    const shown = await viewMessages(context, session, 0)
    expect(shown.map(({ id, parts }) => ({ id, parts }))).toEqual(
      expect.arrayContaining(messages.map(({ id, parts }) => ({ id, parts }))),
    )
  },
)

test('only what was appended to a log is stored, up to the last newline', async () => {
  const { context, session, file } = await prepare()
  const before = readFileSync(file)
  await pass(context)
  appendFileSync(file, '{"n":1}\n{"n":2}\n{"to')
  const { storedBytes, copied, pending } = await pass(context)
  expect(copied).toBe(1)
  expect(storedBytes).toBeLessThan(2000)
  expect(pending).toHaveLength(1)
  expect(await contentAt(context, session)).toEqual(Buffer.concat([before, Buffer.from('{"n":1}\n{"n":2}\n')]))
  appendFileSync(file, 'rn":3}\n')
  await pass(context)
  expect(await contentAt(context, session)).toEqual(readFileSync(file))
  expect(await pointsOf(context, session)).toEqual([{ why: 'first' }, { why: 'grew' }, { why: 'grew' }])
})

test('bytes after the last newline are copied once the file is not written to', async () => {
  const { context, session, file } = await prepare()
  appendFileSync(file, '{"torn')
  const old = new Date(Date.now() - 60_000)
  utimesSync(file, old, old)
  await pass(context)
  expect(await contentAt(context, session)).toEqual(readFileSync(file))
  expect(await pass(context)).toMatchObject({ copied: 0, pending: [] })
  appendFileSync(file, '":1}\n')
  await pass(context)
  expect(await contentAt(context, session)).toEqual(readFileSync(file))
})

test('a log that was cut begins a new generation, the old one stays, and its messages are counted', async () => {
  const made = await prepare()
  const { context, session, file } = made
  const before = readFileSync(file)
  const messages = (await readMessages(made)).length
  await pass(context)
  const cut = before.indexOf('\n', before.length / 3) + 1
  truncateSync(file, cut)
  const result = await pass(context)
  expect(result.storedBytes).toBeLessThan(2500)
  expect(result.shrunk).toMatchObject([{ sessionId: session.sessionId, messages: { before: messages } }])
  expect(result.shrunk[0]?.messages?.after).toBeLessThan(messages)
  expect(await contentAt(context, session, 0)).toEqual(before)
  expect(await contentAt(context, session, 1)).toEqual(before.subarray(0, cut))
  appendFileSync(file, '{"more":true}\n')
  await pass(context)
  expect(await contentAt(context, session)).toEqual(readFileSync(file))
})

const REWRITES: Record<string, (file: string, before: Buffer) => void> = {
  'in place, with its length and its time kept': (file, before) => {
    const changed = Buffer.from(before)
    changed[before.length / 2 - ((before.length / 2) % 1)] = 0x20
    const { atime, mtime } = { atime: new Date(1e12), mtime: new Date(1e12) }
    writeFileSync(file, changed)
    utimesSync(file, atime, mtime)
  },
  'by a new file with more in it': (file, before) => {
    writeFileSync(`${file}.new`, Buffer.concat([before.subarray(0, 900), Buffer.from('{"x":1}\n'), before]))
    renameSync(`${file}.new`, file)
  },
  'by a blank session': file => writeFileSync(file, '{"blank":true}\n'),
  'by an empty file': file => writeFileSync(file, ''),
}

test.each(Object.entries(REWRITES))('a log that was rewritten %s keeps both contents', async (_, rewrite) => {
  const { context, session, file } = await prepare()
  const before = readFileSync(file)
  await pass(context)
  rewrite(file, before)
  const now = readFileSync(file)
  const result = await pass(context)
  expect(result).toMatchObject({ copied: 1, failures: [] })
  expect(result.shrunk).toHaveLength(1)
  expect(await contentAt(context, session, 0)).toEqual(before)
  expect(await contentAt(context, session, 1)).toEqual(now)
})

test('a log that was deleted and is back with the same content continues its generation', async () => {
  const { context, session, file } = await prepare()
  const before = readFileSync(file)
  await pass(context)
  rmSync(file)
  expect((await pass(context)).deleted).toHaveLength(1)
  writeFileSync(file, before)
  const back = await pass(context)
  expect(back).toMatchObject({ copied: 1, shrunk: [] })
  expect(back.storedBytes).toBeLessThan(2000)
  expect(await contentAt(context, session)).toEqual(before)
})

test.each([[LOG], [DOCUMENT]])(
  'a deleted session of %s that comes back is said to be back, not to have grown',
  async kind => {
    const { context, session, file } = await prepare(kind)
    const before = readFileSync(file)
    await pass(context)
    rmSync(file)
    await pass(context)
    writeFileSync(file, before)
    await pass(context)
    const { chain } = await opened(context, session)
    expect(chain.points.map(({ why }) => why)).toEqual(['first', 'deleted', 'returned'])
  },
)

test('versions of a document are small against the older one, and each is read byte for byte', async () => {
  const { context, session, file } = await prepare(DOCUMENT)
  const contents: Buffer[] = []
  for (let version = 0; version < 12; version++) {
    const document = JSON.parse(readFileSync(file, 'utf8'))
    document.lastUpdated = new Date(1.7e12 + version * 1e6).toISOString()
    document.messages.push({ ...document.messages.at(-1), id: `added-${version}`, content: `message ${version}` })
    writeFileSync(file, JSON.stringify(document, null, 2))
    contents.push(readFileSync(file))
    const { storedBytes } = await pass(context)
    if (version > 0) expect(storedBytes).toBeLessThan(2200)
  }
  for (const [number, content] of contents.entries()) expect(await contentAt(context, session, number)).toEqual(content)
})

test('a document that lost its messages is a loss, one that is only written in another way is not', async () => {
  const made = await prepare(DOCUMENT)
  const { context, file } = made
  const messages = (await readMessages(made)).length
  await pass(context)
  const document = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(document))
  expect(await pass(context)).toMatchObject({ copied: 1, shrunk: [] })
  writeFileSync(file, JSON.stringify({ ...document, messages: document.messages.slice(0, 2) }))
  const { shrunk } = await pass(context)
  expect(shrunk).toMatchObject([{ messages: { before: messages } }])
})

test('a store whose folder is gone altogether is not mistaken for deleted sessions', async () => {
  const { context, session, home } = await prepare()
  await pass(context)
  renameSync(session.storeRoot, join(home, 'unmounted'))
  expect(await pass(context)).toMatchObject({ deleted: [] })
  expect((await archiveStatus(context)).notices).toMatchObject([
    { kind: 'unreadable', text: expect.stringContaining(`${session.storeRoot} does not exist`) },
  ])
  mkdirSync(dirname(session.storeRoot), { recursive: true })
  renameSync(join(home, 'unmounted'), session.storeRoot)
  expect(await pass(context)).toMatchObject({ deleted: [], shrunk: [] })
  expect((await archiveStatus(context)).notices).toEqual([])
})

test('sessions that vanish between the scan and the copy are counted', async () => {
  const { context, file } = await prepare()
  const { sessions, failures } = await findSessions(context)
  rmSync(file)
  const found = { sessions, failures, agents: context.agents }
  expect(await archiveFound(context, found)).toMatchObject({ copied: 0, vanished: 1, failures: [] })
})

test('the clock is set back by a year: restore points stay in order, and nothing is lost', async () => {
  const { context, session, file } = await prepare()
  await pass(context)
  appendFileSync(file, '{"n":1}\n')
  const back = Date.now() - 365 * 24 * 3600 * 1000
  await pass(context, () => back)
  const { chain } = await opened(context, session)
  const [first, second] = chain.points
  expect(second?.time).toBeGreaterThanOrEqual(first?.time ?? 0)
  expect(second?.clock).toBe(back)
  expect(await contentAt(context, session)).toEqual(readFileSync(file))
})

test('everything that is derived is removed: the next pass compares, copies nothing, and goes on', async () => {
  const { context, session, file } = await prepare()
  await pass(context)
  for (const name of ['archive-1.sqlite', 'archive-1.sqlite-wal', 'archive-1.sqlite-shm'])
    rmSync(join(context.state, name), { force: true })
  expect(await pass(context)).toMatchObject({ copied: 0, deleted: [], shrunk: [] })
  appendFileSync(file, '{"n":1}\n')
  await pass(context)
  expect(await contentAt(context, session)).toEqual(readFileSync(file))
  expect(existsSync(file)).toBe(true)
})

test('sessions are archived while their index is damaged: it is reported once, and copied when it is readable', async () => {
  const { context, home, file } = await prepare({ agent: 'codex', generation: 'rollouts' })
  const index = join(home, '.codex/state_5.sqlite')
  writeFileSync(index, 'not a database')
  writeFileSync(file.replace(/[0-9a-f]{2}\.jsonl$/, '00.jsonl'), readFileSync(file))
  expect(await pass(context)).toMatchObject({ copied: 2, failures: [{ path: index }] })
  const { totals, notices } = await archiveStatus(context)
  expect(totals).toMatchObject({ sessions: 2, current: 2 })
  expect(notices).toMatchObject([{ kind: 'unreadable', text: expect.stringContaining('of 2 sessions') }])
  expect(await pass(context)).toMatchObject({ copied: 0, failures: [{ path: index }] })
  rmSync(index)
  expect(await pass(context)).toMatchObject({ failures: [] })
  expect((await archiveStatus(context)).notices).toEqual([])
})

test('an incomplete record that was copied and is then taken away is not in the next copy', async () => {
  const { context, session, file } = await prepare()
  const whole = readFileSync(file)
  await pass(context)
  appendFileSync(file, '{"to')
  const old = new Date(Date.now() - 60_000)
  utimesSync(file, old, old)
  await pass(context)
  expect(await contentAt(context, session)).toEqual(readFileSync(file))
  truncateSync(file, whole.length)
  await pass(context)
  expect(await contentAt(context, session)).toEqual(whole)
})

test.each(['..', '.'])('a session with the id "%s" takes no files of others into the archive', async id => {
  const { context, home, file } = await prepare(LOG)
  const secret = put(home, '.claude/.credentials.json', '{"secret":"of the agent"}')
  writeFileSync(join(dirname(file), `${id}.jsonl`), readFileSync(file))
  await pass(context)
  const archive = openArchive(context.state)
  const paths: string[] = []
  for (const head of (await archive.heads()).values())
    paths.push(...((await archive.load(head.id))?.items.keys() ?? []))
  archive.close()
  expect(paths).not.toContain(`~/${relative(home, secret)}`)
  expect(paths.filter(path => path.endsWith('.jsonl'))).toHaveLength(2)
  expect(paths).toHaveLength(2)
})
