// The side bar of Kiro's editor, the sessions of its command line agent, and the chats of Cursor's: listed again,
// moved with their folder, and undone.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { differing, snapshot } from '../../test/support/damaged.ts'
import { putDatabase } from '../../test/support/database.ts'
import { quickHome } from '../../test/support/faults.ts'
import { put } from '../../test/support/home.ts'
import { makeContext } from '../catalog/context.ts'
import { undoRepair } from '../repair/undo.ts'
import { runDoctor } from './doctor.ts'
import { applyFixes, planMoves, planRelinks } from './fix.ts'
import { inspectAll } from './inspect.ts'

const ID = '66666666-6666-4666-8666-666666666666'
const OTHER = '77777777-7777-4777-8777-777777777777'
const STORAGE = '.config/Kiro/User/globalStorage/kiro.kiroagent'
const FROM = '/home/dev/shop'
const TO = '/home/dev/store'

const nameOf = (path: string) => Buffer.from(path).toString('base64').replaceAll('=', '_')
const hashOf = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 32)
const document = (id: string) =>
  JSON.stringify({
    sessionId: id,
    title: `Session ${id[0]}`,
    dateCreated: '1793527200000',
    workspaceDirectory: FROM,
    history: [],
  })
const entry = (id: string, more: object = {}) => ({ sessionId: id, title: 'x', workspaceDirectory: FROM, ...more })

function kiroHome(index: string | undefined) {
  const home = quickHome()
  const folder = `${STORAGE}/workspace-sessions/${nameOf(FROM)}`
  for (const id of [ID, OTHER]) put(home, `${folder}/${id}.json`, document(id))
  if (index !== undefined) put(home, `${folder}/sessions.json`, index)
  put(home, `${STORAGE}/${hashOf(FROM)}/one.chat`, '{"executionId":"e","chat":[{"role":"human","content":"Hi"}]}')
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  return { home, context, file: join(home, folder, 'sessions.json') }
}

test.each([
  ['index-missing', undefined, 2],
  ['index-corrupt', '{"not": "a list"', 2],
  ['not-indexed', JSON.stringify([entry(ID)]), 1],
] as const)(
  'Kiro: sessions with the problem %s are in the side bar again, and the fix is undone',
  async (reason, index, count) => {
    const { home, context, file } = kiroHome(index)
    const before = snapshot(home)
    const { report, inspected } = await runDoctor(context)
    expect(report.findings.filter(({ kind }) => kind === 'unlisted')).toMatchObject([
      { reason, counts: { kiro: count } },
    ])
    const [result] = await applyFixes(context, await planRelinks(inspected), { force: true })
    expect(result).toMatchObject({ sessions: count, receipt: expect.any(String) })
    const ids = JSON.parse(readFileSync(file, 'utf8')).map(({ sessionId }: { sessionId: string }) => sessionId)
    expect(ids.toSorted()).toEqual([ID, OTHER])
    expect((await runDoctor(context)).report.totals.lost).toBe(0)
    await undoRepair(context, result?.receipt ?? '', { force: true })
    expect(differing(before, snapshot(home))).toEqual([])
  },
)

test('Kiro: a hidden session is a notice, and shown again only if it is named', async () => {
  const { context, file } = kiroHome(JSON.stringify([entry(ID), entry(OTHER, { hidden: true })]))
  const { report, inspected } = await runDoctor(context)
  expect(report.findings.find(({ reason }) => reason === 'archived')).toMatchObject({ severity: 'notice' })
  expect(await planRelinks(inspected)).toEqual([])
  const only = inspected.sessions.filter(({ sessionId }) => sessionId === OTHER)
  await applyFixes(context, await planRelinks(inspected, { only }), { force: true })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject([{ sessionId: ID }, { sessionId: OTHER, hidden: false }])
})

test('sessions of Kiro and Cursor follow their folder, and the move is undone', async () => {
  const { home, context } = kiroHome(JSON.stringify([entry(ID), entry(OTHER)]))
  put(home, `.kiro/sessions/cli/${ID}.jsonl`, '{"version":"v1","kind":"Prompt","data":{"content":[]}}\n')
  put(home, `.kiro/sessions/cli/${ID}.json`, JSON.stringify({ session_id: ID, cwd: `${FROM}/web`, title: 't' }))
  const chats = createHash('md5').update(FROM).digest('hex')
  put(home, `.cursor/chats/${chats}/${OTHER}/store.db`, Buffer.alloc(0))
  put(
    home,
    `.cursor/chats/${chats}/${OTHER}/meta.json`,
    JSON.stringify({ cwd: FROM, title: 't', hasConversation: true }),
  )
  const before = snapshot(home)
  const fixes = await planMoves(await inspectAll(context), { from: FROM, to: TO })
  expect(fixes.map(({ agent }) => agent.id).toSorted()).toEqual(['cursor', 'kiro'])
  const results = await applyFixes(context, fixes, { force: true })
  expect(results.map(({ error }) => error)).toEqual([undefined, undefined])
  const sessions = join(home, STORAGE, 'workspace-sessions', nameOf(TO))
  expect(readFileSync(join(sessions, 'sessions.json'), 'utf8')).not.toContain(`"${FROM}"`)
  expect(JSON.parse(readFileSync(join(sessions, `${ID}.json`), 'utf8')).workspaceDirectory).toBe(TO)
  expect(existsSync(join(home, STORAGE, hashOf(TO), 'one.chat'))).toBe(true)
  expect(JSON.parse(readFileSync(join(home, `.kiro/sessions/cli/${ID}.json`), 'utf8')).cwd).toBe(`${TO}/web`)
  const moved = createHash('md5').update(TO).digest('hex')
  expect(JSON.parse(readFileSync(join(home, `.cursor/chats/${moved}/${OTHER}/meta.json`), 'utf8')).cwd).toBe(TO)
  for (const { receipt } of results.toReversed()) await undoRepair(context, receipt ?? '', { force: true })
  expect(differing(before, snapshot(home))).toEqual([])
})

test('Cursor: conversations of the editor are named, and stay as they are', async () => {
  const home = quickHome()
  putDatabase(home, '.config/Cursor/User/globalStorage/state.vscdb', database => {
    database.exec('CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
    const insert = database.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)')
    const composer = { workspaceIdentifier: { uri: { fsPath: `${FROM}/web` } }, fullConversationHeadersOnly: [{}] }
    insert.run(`composerData:${ID}`, JSON.stringify(composer))
    insert.run(`bubbleId:${ID}:${OTHER}`, JSON.stringify({ type: 1, text: 'Hi' }))
  })
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  const before = snapshot(join(home, '.config'))
  const fixes = await planMoves(await inspectAll(context), { from: FROM, to: TO })
  const [result] = await applyFixes(context, fixes, { force: true })
  expect(result).toMatchObject({ agent: 'cursor', receipt: undefined, notes: [expect.stringContaining(ID)] })
  expect(result?.error).toBeUndefined()
  expect(differing(before, snapshot(join(home, '.config')))).toEqual([])
})

test('Kiro: a move that only the editor is concerned by waits until it is closed, and is done then', async () => {
  const { home, context } = kiroHome(JSON.stringify([entry(ID), entry(OTHER)]))
  const fixes = await planMoves(await inspectAll(context), { from: FROM, to: TO })
  expect(fixes).toMatchObject([{ command: `rethread move ${FROM} ${TO}`, plan: { changes: [] } }])
  const results = await applyFixes(context, fixes, { force: true })
  expect(results).toMatchObject([{ receipt: expect.any(String) }])
  expect(existsSync(join(home, STORAGE, 'workspace-sessions', nameOf(TO), 'sessions.json'))).toBe(true)
})
