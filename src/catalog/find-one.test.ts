import { expect, test } from 'vitest'
import { putDatabase } from '../../test/support/database.ts'
import { lines, put, temporaryHome } from '../../test/support/home.ts'
import { collect } from '../model/reading.ts'
import { makeContext } from './context.ts'
import { findSession, makeSessionFinder } from './find-one.ts'
import { listSessions } from './list.ts'
import { readSession } from './reading.ts'

const ID = '11111111-1111-4111-8111-111111111111'
const ENTRY = { version: 'v1', kind: 'Prompt', data: { content: [{ kind: 'text', data: 'from the log' }] } }
const VALUE = { history: [{ user: { content: { Prompt: { prompt: 'from the row' } } } }] }
const SCHEMA = 'CREATE TABLE conversations_v2 (key, conversation_id, value, created_at, updated_at)'

/** One id in a log, in a row of a database that holds another, and in the folder of another agent. */
function makeHome() {
  const home = temporaryHome()
  const log = put(home, `.kiro/sessions/cli/${ID}.jsonl`, lines(ENTRY))
  const database = putDatabase(home, '.local/share/kiro-cli/data.sqlite3', made => {
    made.exec(SCHEMA)
    const insert = made.prepare('INSERT INTO conversations_v2 VALUES (?, ?, ?, 1, 2)')
    for (const id of [ID, 'another']) insert.run(`/home/dev/${id}`, id, JSON.stringify(VALUE))
  })
  const record = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: ID, message: { role: 'user', content: 'Hi' } }
  const other = put(home, `.claude/projects/-home-dev/${ID}.jsonl`, lines(record))
  const context = makeContext({ home, state: `${home}/state`, logLevel: 'silent' })
  return { home, context, log, database, other }
}

test('an id that several sessions have is answered with a name for each, and every one of them opens', async () => {
  const { context, log, database, other } = makeHome()
  const names = [log, `${database}#${ID}`, `claude-code:${ID}`]
  const error = await findSession(context, ID).catch(thrown => thrown)
  expect(error).toMatchObject({ code: 'ambiguous-session', message: expect.stringContaining('3 sessions') })
  for (const name of names) expect(error.hint).toContain(name)
  const opened = await Promise.all(names.map(name => findSession(context, name)))
  expect(opened.map(({ filePath }) => filePath)).toEqual([log, database, other])
  const firsts = await Promise.all(
    opened.map(async session => (await collect(readSession(context, session))).messages[0]),
  )
  expect(firsts.map(message => message?.parts[0])).toMatchObject([
    { text: 'from the log' },
    { text: 'from the row' },
    { text: 'Hi' },
  ])
})

test('the list shows each of them', async () => {
  const { context } = makeHome()
  const { sessions } = await listSessions(context)
  expect(sessions.filter(({ sessionId }) => sessionId === ID)).toHaveLength(3)
})

test('an agent before the id chooses among agents, also with the beginning of an id', async () => {
  const { context, other } = makeHome()
  expect((await findSession(context, 'claude-code:1111')).filePath).toBe(other)
  await expect(findSession(context, `kiro:${ID}`)).rejects.toMatchObject({ code: 'ambiguous-session' })
  await expect(findSession(context, `codex:${ID}`)).rejects.toMatchObject({ code: 'session-not-found' })
})

test('the path of a database with several sessions is answered with a name for each', async () => {
  const { context, database } = makeHome()
  const { byName } = await makeSessionFinder(context)
  expect(() => byName(database)).toThrow('2 sessions')
  expect(byName('another').sessionId).toBe('another')
  expect(byName(`${database}#another`).sessionId).toBe('another')
  expect(() => byName(`${database}#nobody`)).toThrow(expect.objectContaining({ code: 'not-found' }))
})

test('two files of one session, in two projects, open by their paths', async () => {
  const home = temporaryHome()
  const header = { sessionId: ID, projectHash: 'a'.repeat(64), startTime: '2026-11-01T09:00:00.000Z', kind: 'main' }
  const said = (id: string) => ({ id, timestamp: '2026-11-01T09:00:01.000Z', type: 'user', content: id })
  const files = ['one', 'two'].map(name =>
    put(home, `.gemini/tmp/${name}/chats/session-2026-11-01T09-00-11111111.jsonl`, lines(header, said(name))),
  )
  const context = makeContext({ home, state: `${home}/state`, logLevel: 'silent' })
  const error = await findSession(context, ID).catch(thrown => thrown)
  for (const file of files) {
    expect(error.hint).toContain(file)
    expect((await findSession(context, file)).filePath).toBe(file)
  }
})

test('a session has the same id in the list and when it is read', async () => {
  const home = temporaryHome()
  const file = put(home, '.kiro/sessions/cli/copy.jsonl', lines(ENTRY))
  put(home, '.kiro/sessions/cli/copy.json', JSON.stringify({ session_id: ID, cwd: '/home/dev', title: 'A copy' }))
  const context = makeContext({ home, state: `${home}/state`, logLevel: 'silent' })
  const session = await findSession(context, ID)
  expect(session).toMatchObject({ sessionId: ID, filePath: file })
  const { end } = await collect(readSession(context, session))
  expect(end.facts.sessionId).toBe(ID)
})
