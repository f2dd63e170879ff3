import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  call,
  fixture,
  HASH,
  header,
  LOG,
  model,
  PROJECT,
  readLog,
  SESSION,
  user,
} from '../../../test/support/gemini-cli/make.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../test/support/home.ts'
import {
  discoverAll,
  discoverSessions,
  findSession,
  readFrom,
  recognisedBy,
  resumeFrom,
} from '../../../test/support/reading.ts'
import { injectFiles, nodeFiles } from '../../disk/files/system-calls.ts'
import { collect } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { resumeOf } from '../resume.ts'
import { locationsOf } from '../store.ts'
import { geminiCli } from './index.ts'

describe('finding sessions', () => {
  test('GEMINI_CLI_HOME moves the folder that holds .gemini', () => {
    const [first] = locationsOf(geminiCli, environmentOf('/home/dev', { GEMINI_CLI_HOME: '/data/gemini' }))
    expect(first?.location.path).toBe('/data/gemini/.gemini/tmp')
  })

  test('the id of a session is read behind a header of many folders, in a log and in a document', async () => {
    const home = temporaryHome()
    const { sessionId, ...rest } = header
    const directories = Array.from({ length: 400 }, (_, i) => `/home/dev/some/folder/number-${i}`)
    put(home, LOG, lines({ directories, ...rest, sessionId }, user('a', 'hello')))
    const document = LOG.replace('.jsonl', '.json').replace('session-', 'session-2')
    const other = '44444444-4444-4444-8444-444444444444'
    put(home, document, JSON.stringify({ directories, sessionId: other, messages: [user('a', 'hello')] }))
    const sessions = await discoverSessions(geminiCli, environmentOf(home))
    expect(sessions.map(session => session.sessionId).toSorted()).toEqual([SESSION, other].toSorted())
  })

  test('the files of sub-agents lie below the id of their session, and cannot be resumed', async () => {
    const home = temporaryHome()
    put(home, LOG, fixture('complete.jsonl'))
    const id = '33333333-3333-4333-8333-333333333333'
    put(home, `${dirname(LOG)}/${SESSION}/${id}.jsonl`, lines({ ...header, sessionId: id }, user('a', 'look around')))
    const session = await findSession(geminiCli, environmentOf(home), id)
    expect(session.subagentOf).toBe(SESSION)
    const { end } = await collect(readFrom(geminiCli, session))
    expect(end.facts).toMatchObject({ title: 'look around', subagentOf: SESSION })
    expect(resumeFrom(geminiCli, session, end.facts).type).toBe('unsupported')
  })

  test('files the agent set aside as unreadable are sessions too', async () => {
    const home = temporaryHome()
    put(home, LOG, lines(header, user('z', 'rewritten')))
    put(home, `${LOG}.unreadable-1794728131912`, fixture('complete.jsonl'))
    const id = `${SESSION}.unreadable-1794728131912`
    const session = await findSession(geminiCli, environmentOf(home), id)
    const { messages, end } = await collect(readFrom(geminiCli, session))
    expect(messages).toHaveLength(4)
    expect(end.facts.sessionId).toBe(SESSION)
    expect(resumeFrom(geminiCli, session, end.facts).type).toBe('unsupported')
  })

  test('a document that was converted to a log has another id than the log', async () => {
    const home = temporaryHome()
    put(home, LOG, fixture('complete.jsonl'))
    put(home, LOG.slice(0, -1), fixture('complete.json'))
    const sessions = await discoverSessions(geminiCli, environmentOf(home))
    expect(sessions.map(session => [session.sessionId, session.generation])).toEqual([
      [SESSION, 'json-lines'],
      [`${SESSION}.json`, 'document'],
    ])
    expect(sessions.map(session => resumeOf(geminiCli, session, {}))).toMatchObject([
      { program: { args: ['--resume', SESSION] } },
      { program: { args: ['--resume', SESSION] } },
    ])
  })

  test('the project comes from projects.json, from the mark in the folder, or from a known path with that hash', async () => {
    const home = temporaryHome()
    put(home, '.gemini/projects.json', JSON.stringify({ projects: { '/home/dev/one': 'one' } }))
    put(home, '.gemini/trustedFolders.json', JSON.stringify({ [PROJECT]: 'TRUST_FOLDER' }))
    put(home, '.gemini/tmp/two/.project_root', '/home/dev/two\n')
    for (const folder of ['one', 'two', HASH, 'f'.repeat(64)])
      put(home, `.gemini/tmp/${folder}/chats/session-2026-11-01T10-00-22222222.jsonl`, lines(user('a', 'hello')))
    const sessions = await discoverSessions(geminiCli, environmentOf(home))
    expect(sessions.map(session => session.project)).toEqual([PROJECT, undefined, '/home/dev/one', '/home/dev/two'])
    expect(resumeFrom(geminiCli, at(sessions, 0), {})).toMatchObject({ command: 'gemini', folder: PROJECT })
  })

  test('a path the conversation mentions is the project if its hash is that of the folder', async () => {
    const inside = { ...call('t1', ''), args: { file_path: '/home/dev/shop/src/cart.ts' } }
    const { end } = await readLog(lines(header, user('a', 'q'), { ...model('b', ''), toolCalls: [inside] }), {})
    expect(end.facts.project).toBe(PROJECT)
    const outside = { ...call('t1', ''), args: { file_path: '/etc/hosts' } }
    const other = await readLog(lines(header, user('a', 'q'), { ...model('b', ''), toolCalls: [outside] }), {})
    expect(other.end.facts.project).toBeUndefined()
  })

  test('a list of projects that is not JSON, or a session that may not be opened, is a failure beside the rest', async () => {
    const home = temporaryHome()
    put(home, '.gemini/projects.json', '{"projects":')
    const file = put(home, LOG, fixture('complete.jsonl'))
    const locked = put(home, LOG.replace('22222222', '44444444'), fixture('complete.jsonl'))
    const refuse = () => {
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    }
    const restore = injectFiles({ ...nodeFiles, open: path => (path === locked ? refuse() : nodeFiles.open(path)) })
    const found = await discoverAll(geminiCli, environmentOf(home)).finally(restore)
    expect(found).toMatchObject([
      { session: { filePath: file } },
      { failure: { code: 'permission-denied', path: locked } },
      { failure: { code: 'not-a-session', path: join(home, '.gemini/projects.json') } },
    ])
  })

  test('a copy outside the store is adopted by how it begins', () => {
    const adopt = (name: string, head: string | Buffer) => recognisedBy(geminiCli, `/tmp/${name}`, Buffer.from(head))
    expect(adopt('copy.jsonl', fixture('complete.jsonl'))).toEqual({ sessionId: SESSION, generation: 'json-lines' })
    expect(adopt('copy.json', fixture('complete.json'))).toEqual({ sessionId: SESSION, generation: 'document' })
    expect(adopt('copy.jsonl', '{"parentUuid":null,"type":"user"}\n')).toBeUndefined()
    expect(adopt('copy.txt', fixture('complete.jsonl'))).toBeUndefined()
  })
})

function at(sessions: SessionRef[], index: number): SessionRef {
  const session = sessions[index]
  if (session === undefined) throw new Error(`There are only ${sessions.length} sessions.`)
  return session
}
