import { copyFileSync, mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { messageLine, putConversation } from '../../test/support/conversations.ts'
import { killAt, quickHome } from '../../test/support/faults.ts'
import { put, temporaryHome } from '../../test/support/home.ts'
import { startLiveAgent } from '../../test/support/live-agent.ts'
import { startWriter } from '../../test/support/writer.ts'
import type { Message, RepairOptions, RepairResult } from './index.ts'
import * as api from './index.ts'
import { check, list, RethreadError, read, repair } from './index.ts'

const SESSIONS = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'sessions')
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))
const ID = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'

function open(fixtures: Record<string, string>, home = temporaryHome()) {
  const folder = join(home, '.claude', 'projects', '-home-dev-shop')
  mkdirSync(folder, { recursive: true })
  const paths = Object.entries(fixtures).map(([id, fixture]) => {
    const path = join(folder, `${id}.jsonl`)
    copyFileSync(join(SESSIONS, `${fixture}.jsonl`), path)
    utimesSync(path, LONG_AGO, LONG_AGO)
    return path
  })
  const [path = ''] = paths
  return { path, folder, where: { home, state: join(home, 'state') } }
}

test('list gives every session, with the status of its last check', async () => {
  const { where, path } = open({ [ID]: 'corrupted-shallow' })
  const before = await list(where)
  expect(before.failures).toEqual([])
  expect(before.sessions).toMatchObject([{ agent: 'claude-code', sessionId: ID, filePath: path, partial: false }])
  expect(before.sessions[0]?.status).toBeUndefined()
  await check(where)
  expect((await list(where)).sessions[0]?.status).toBe('corrupted')
})

test('list is filtered by time, number, project and agent', async () => {
  const { where } = open({ [ID]: 'healthy', [OTHER]: 'healthy' })
  const count = async (options: object): Promise<number> => (await list({ ...where, ...options })).sessions.length
  expect(await count({})).toBe(2)
  expect(await count({ limit: 1 })).toBe(1)
  expect(await count({ since: new Date(LONG_AGO.getTime() + 1) })).toBe(0)
  expect(await count({ since: LONG_AGO })).toBe(2)
  expect(await count({ project: '/nowhere' })).toBe(0)
  expect(await count({ agents: ['codex'] })).toBe(0)
  expect(await count({ agents: ['codex', 'claude-code'] })).toBe(2)
})

test('read gives the messages, then the end', async () => {
  const { where } = open({ [ID]: 'healthy' })
  const reading = read(ID, where)
  const messages: Message[] = []
  expect(reading.end).toBeUndefined()
  for await (const message of reading) messages.push(message)
  expect(messages.map(({ role }) => role)).toContain('assistant')
  expect(reading.end).toMatchObject({ type: 'complete', findings: [] })
  const listed = await list(where)
  expect(messages.filter(({ role }) => role !== 'system')).toHaveLength(listed.sessions[0]?.messageCount ?? 0)
})

test('read reports what is missing from a damaged session', async () => {
  const { where } = open({ [ID]: 'malformed' })
  const reading = read(ID, where)
  const messages: Message[] = []
  for await (const message of reading) messages.push(message)
  expect(messages).not.toEqual([])
  expect(reading.end).toMatchObject({ type: 'partial', recovered: true, error: { code: 'records-unreadable' } })
  expect(reading.end?.findings[0]?.at).toMatchObject({ start: expect.any(Number) })
})

test('read takes what list gives, and a reading that is left early has no end', async () => {
  const { where } = open({ [ID]: 'healthy', [OTHER]: 'corrupted-deep' })
  const { sessions } = await list(where)
  expect(sessions).toHaveLength(2)
  for (const session of sessions) {
    const reading = read(session, where)
    for await (const { at } of reading) {
      expect(at.file).toBe(session.filePath)
      break
    }
    expect(reading.end).toBeUndefined()
  }
})

test('read throws where nothing can be read', async () => {
  const { where, folder } = open({ [ID]: 'healthy', [OTHER]: 'healthy' })
  const first = (name: string) => read(name, where).next()
  await expect(first('ffffffff')).rejects.toMatchObject({ code: 'session-not-found', hint: expect.stringMatching(/./) })
  await expect(first('00000000')).rejects.toMatchObject({ code: 'ambiguous-session' })
  await expect(first(join(folder, 'gone.jsonl'))).rejects.toBeInstanceOf(RethreadError)
  const key = { agent: 'codex', sessionId: ID, filePath: join(folder, `${ID}.jsonl`) }
  await expect(read(key, where).next()).rejects.toMatchObject({ code: 'session-not-found', path: key.filePath })
})

test('check has a verdict for every session, and a failure for every name that is none', async () => {
  const { where, path } = open({ [ID]: 'corrupted-shallow', [OTHER]: 'healthy' })
  const all = await check(where)
  expect(all.failures).toEqual([])
  expect(Object.fromEntries(all.sessions.map(({ sessionId, status }) => [sessionId, status]))).toEqual({
    [ID]: 'corrupted',
    [OTHER]: 'healthy',
  })
  const named = await check({ ...where, sessions: [path, 'ffffffff'] })
  expect(named.sessions).toMatchObject([{ sessionId: ID, findings: [{ damage: 'broken-parent' }] }])
  expect(named.failures).toMatchObject([{ code: 'session-not-found', path: 'ffffffff' }])
  expect(await check({ ...where, sessions: [] })).toEqual({ sessions: [], failures: [] })
})

test('repair repairs the named sessions, keeps a copy, and leaves the others unchanged', async () => {
  const { where, path, folder } = open({ [ID]: 'corrupted-shallow', [OTHER]: 'corrupted-deep' })
  const original = readFileSync(path)
  const other = readFileSync(join(folder, `${OTHER}.jsonl`))
  const planned = await repair({ ...where, sessions: [ID], dryRun: true })
  expect(planned.sessions).toMatchObject([{ status: 'corrupted', repair: { status: 'refused' } }])
  expect(planned.sessions[0]?.plan).toMatchObject([{ type: 'patch', file: path, edits: [{ damage: 'broken-parent' }] }])
  expect(readFileSync(path)).toEqual(original)
  const done = await repair({ ...where, sessions: [ID] })
  expect(done).toMatchObject({ failures: [], recovered: [], sessions: [{ status: 'healthy' }] })
  const [session] = done.sessions
  expect(session?.repair).toMatchObject({ status: 'repaired', edits: 1 })
  expect(readFileSync(session?.repair.backupPath ?? '')).toEqual(original)
  expect(session).not.toHaveProperty('plan')
  expect(readFileSync(join(folder, `${OTHER}.jsonl`))).toEqual(other)
})

test('repair of all repairs every damaged session, and says of those that cannot be examined why', async () => {
  const empty = '00000000-0000-4000-8000-000000000003'
  const { where } = open({ [ID]: 'corrupted-shallow', [OTHER]: 'healthy', [empty]: 'empty' })
  const { sessions } = await repair({ ...where, all: true })
  expect(sessions.map(({ sessionId, repair: { status } }) => [sessionId, status])).toEqual([
    [ID, 'repaired'],
    [empty, 'refused'],
  ])
  expect(sessions[1]?.repair.error?.hint).not.toBe('')
})

test('repair leaves a session alone that another process has open for writing', async () => {
  const { where, path } = open({ [ID]: 'corrupted-shallow' })
  const original = readFileSync(path)
  const writer = startWriter(
    path,
    "globalThis.fd = (await import('node:fs')).openSync(path, 'a'); say('open'); await next()",
  )
  expect(await writer.heard()).toBe('open')
  const { sessions } = await repair({ ...where, sessions: [ID], force: true })
  expect(sessions).toMatchObject([{ status: 'busy', repair: { status: 'refused', error: { code: 'busy' } } }])
  expect(readFileSync(path)).toEqual(original)
  await writer.kill()
  const again = await repair({ ...where, sessions: [ID], force: true })
  expect(again.sessions).toMatchObject([{ status: 'healthy', repair: { status: 'repaired' } }])
})

test('repair waits for a writer with waitMs, and repairs when it is gone', async () => {
  const home = temporaryHome()
  const where = { home, state: join(home, 'state') }
  const conversation = putConversation(home, 1, { brokenAt: 7 })
  const line = messageLine(conversation, 11)
  const pieces = [line.slice(0, 80), line.slice(80)]
  // By the name of an agent, so that it counts as one at work between two pieces too.
  const writer = startLiveAgent({ home, file: conversation.file, pieces, isEndless: true, name: 'claude' })
  await writer.heard()
  const sessions = [conversation.id]
  const [refused] = (await repair({ ...where, sessions })).sessions
  expect(refused).toMatchObject({ status: 'busy', repair: { status: 'refused' } })
  expect(refused?.reason?.retryAfterMs).toBeGreaterThan(0)
  const waiting = repair({ ...where, sessions, waitMs: 3_600_000 })
  for (const enough = writer.said.length + 5; writer.said.length < enough; ) await writer.heard()
  expect(writer.said).not.toContain('altered')
  await writer.kill()
  expect((await waiting).sessions).toMatchObject([{ repair: { status: 'repaired' } }])
})

test('repair first finishes or rolls back what a crash had interrupted, also of agents that are left out', async () => {
  const home = quickHome()
  let recovered: RepairResult['recovered'] = []
  // Each death is later than the one before, until one leaves something half-way.
  for (let at = 1; recovered.length === 0; at++) {
    const { where } = open({ [ID]: 'corrupted-shallow' }, join(home, String(at)))
    const fault = killAt(at, 'before')
    await repair({ ...where, sessions: [ID] }).catch(error => {
      if (!fault.isDead()) throw error
    })
    expect(fault.isDead()).toBe(true)
    fault.lift()
    recovered = (await repair({ ...where, sessions: [], agents: ['codex'] })).recovered
  }
  expect(recovered).toMatchObject([{ agent: 'claude-code', sessionId: ID, outcome: expect.any(String) }])
})

test('repair refuses to guess what', async () => {
  const { where } = open({ [ID]: 'corrupted-shallow' })
  const wrong: unknown[] = [where, { ...where, all: true, sessions: [ID] }, { ...where, all: false }, undefined]
  for (const options of wrong)
    await expect(repair(options as RepairOptions)).rejects.toMatchObject({ code: 'usage', hint: expect.any(String) })
})

test('an unknown option, or one of another type, is refused and never ignored', async () => {
  const { where } = open({ [ID]: 'healthy' })
  const calls: (() => unknown)[] = [
    () => list({ ...where, agent: 'codex' } as object),
    () => list({ ...where, limit: '1' } as object),
    () => list({ ...where, agents: [] }),
    () => list({ ...where, agents: ['nobody'] }),
    () => check({ ...where, sessions: ID } as object),
    () => check({ ...where, sessions: [''] }),
    () => read('', where),
    () => read(ID, { ...where, since: 1 } as object),
  ]
  for (const call of calls) await expect((async () => await call())()).rejects.toMatchObject({ code: 'usage' })
})

test('what an agent cannot read is a failure among the others', async () => {
  const { where } = open({ [ID]: 'healthy' })
  put(where.home, '.local/share/opencode/opencode.db', 'not a database')
  const { sessions, failures } = await check(where)
  expect(sessions.map(({ sessionId }) => sessionId)).toContain(ID)
  expect(failures).toMatchObject([{ agent: 'opencode', hint: expect.stringMatching(/./) }])
})

test('nothing that is read is changed', async () => {
  const { where, path } = open({ [ID]: 'corrupted-multiple' })
  const before = readFileSync(path)
  await list(where)
  await check(where)
  for await (const _ of read(ID, where));
  expect(readFileSync(path)).toEqual(before)
})

test('every function of the package has a section in docs/api.md', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8')
  const functions = Object.keys(api).filter(name => name !== RethreadError.name)
  expect(functions.sort()).toEqual(['check', 'createScanner', 'list', 'read', 'repair'])
  for (const name of functions) expect(page).toMatch(new RegExp(`^## ${name}$`, 'm'))
})
