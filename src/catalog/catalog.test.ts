import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, lines, put, temporaryHome } from '../../test/support/home.ts'
import type { Agent } from '../agents/agent.ts'
import type { Store } from '../agents/store.ts'
import { checkpointAt, openLog } from '../agents/stores/json-lines.ts'
import { foundFile, listStore } from '../agents/stores/list-folders.ts'
import { pace } from '../disk/files/pace.ts'
import { RethreadError } from '../model/errors.ts'
import { Findings } from '../model/finding.ts'
import type { Message } from '../model/message.ts'
import type { ReadingEnd } from '../model/reading.ts'
import { collect, endReading } from '../model/reading.ts'
import { PLAIN_NAME } from '../model/session-id.ts'
import type { Context } from './context.ts'
import { contextFor } from './context.ts'
import { findSessions } from './find-all.ts'
import { findSession } from './find-one.ts'
import { listSessions } from './list.ts'
import { makeLog } from './log.ts'
import { readSession } from './reading.ts'

/** A small agent of our own, whose store can be made to fail. */
function makeAgent(
  id: string,
  failure: { current?: RethreadError } = {},
  framing: 'json-lines' | 'sqlite' = 'json-lines',
  more: Partial<Store> = {},
): Agent {
  const traits = {
    framing,
    linkedByParent: false,
    headerRecord: false,
    toolPairs: false,
    indexBeside: false,
    appendOnly: true,
  }
  const store: Store = {
    name: 'logs',
    title: 'logs',
    sessionId: PLAIN_NAME,
    traits,
    locations: environment => [{ path: join(environment.home, id), root: join(environment.home, id) }],
    async *discover(location) {
      if (failure.current !== undefined) throw failure.current
      for (const file of listStore(id, location).files)
        yield foundFile(id, location, file.path, { sessionId: file.name, generation: 'logs' })
    },
    read(session) {
      return pace(
        (function* () {
          if (failure.current !== undefined) throw failure.current
          const log = openLog(session.filePath, session.storeRoot, () => true)
          const findings = new Findings()
          let messages = 0
          for (const record of log.records(findings)) {
            const text = String(record.value['text'])
            const message: Message = {
              id: text,
              role: 'user',
              time: null,
              parts: [{ type: 'text', text }],
              at: record.at,
            }
            messages++
            yield message
          }
          log.close()
          const counts = { records: messages, bookkeeping: 0, unknown: 0, skipped: 0 }
          const opened = openLog(session.filePath, session.storeRoot, () => true)
          const common = {
            facts: { title: `from ${id}` },
            counts,
            branches: [],
            continued: false,
            ...checkpointAt(opened, 0, null),
          }
          return endReading(common, findings, { parsedUpTo: 0, recovered: messages > 0 })
        })(),
      )
    },
    resume: () => ({ type: 'unsupported', reason: 'a test' }),
  }
  return { id, title: id.toUpperCase(), stores: [{ ...store, ...more }] }
}

function contextWith(...agents: Agent[]): Context {
  const home = temporaryHome()
  const state = join(home, 'state')
  const journal = join(state, 'journal.sqlite')
  const places = { environment: environmentOf(home), state, journal, archive: join(state, 'archive') }
  return { ...contextFor(places, makeLog(state)), agents, busyMs: 100 }
}

const busy = () => new RethreadError({ code: 'database-busy', text: 'locked', hint: 'wait', path: '/db' })

test('an agent that fails never hides the others: its error is part of the result', async () => {
  const broken = makeAgent('broken', {
    current: new RethreadError({ code: 'permission-denied', text: 'no', hint: 'chmod', path: '/x' }),
  })
  const context = contextWith(broken, makeAgent('fine'))
  put(context.environment.home, 'fine/one', lines({ text: 'hi' }))
  put(context.environment.home, 'broken/one', lines({ text: 'hi' }))
  const list = await listSessions(context)
  expect(list.sessions.map(session => session.agent)).toEqual(['fine'])
  expect(list.failures).toEqual([{ agent: 'broken', code: 'permission-denied', path: '/x', text: 'no', hint: 'chmod' }])
})

test('an unexpected error in one agent does not hide the others either', async () => {
  const broken = makeAgent('broken', {}, 'json-lines', {
    locations: () => {
      throw new TypeError('a fault of ours')
    },
  })
  const context = contextWith(broken, makeAgent('fine'))
  put(context.environment.home, 'fine/one', lines({ text: 'hi' }))
  const list = await listSessions(context)
  expect(list.sessions).toHaveLength(1)
  expect(list.failures).toMatchObject([{ agent: 'broken', code: 'agent-failed', text: 'a fault of ours' }])
})

test('while a database is locked, the last good reading stands in, marked, also in a new process', async () => {
  const failure: { current?: RethreadError } = {}
  const context = contextWith(makeAgent('base', failure, 'sqlite'))
  put(context.environment.home, 'base/one', lines({ text: 'first' }, { text: 'second' }))
  const session = await findSession(context, 'one')
  const good = await collect(readSession(context, session))
  failure.current = busy()
  // Nothing is shared with the first context but the state folder.
  const later: Context = { ...context, agents: [makeAgent('base', failure, 'sqlite')], log: makeLog(context.state) }
  const { messages, end } = await collect(readSession(later, session))
  expect(messages).toEqual(good.messages)
  expect(end).toMatchObject({ type: 'partial', error: { code: 'database-busy' }, recovered: true })
})

test('a reading is stored once for each state of its database', async () => {
  const failure: { current?: RethreadError } = {}
  const context = contextWith(makeAgent('base', failure, 'sqlite'))
  const file = put(context.environment.home, 'base/one', lines({ text: 'first' }))
  const read = async () => await collect(readSession(context, await findSession(context, 'one')))
  const stored = () => {
    const folder = join(context.state, 'last-good')
    const [name = ''] = readdirSync(folder)
    // A file that is written again is another one.
    return statSync(join(folder, name)).ino
  }
  const good = await read()
  const first = stored()
  expect((await read()).messages).toEqual(good.messages)
  expect(stored()).toBe(first)
  appendFileSync(file, lines({ text: 'second' }))
  const changed = await read()
  expect(stored()).not.toBe(first)
  const session = await findSession(context, 'one')
  failure.current = busy()
  expect((await collect(readSession(context, session))).messages).toEqual(changed.messages)
})

test('a stored reading that was cut is stored again', async () => {
  const context = contextWith(makeAgent('base', {}, 'sqlite'))
  put(context.environment.home, 'base/one', lines({ text: 'first' }, { text: 'second' }))
  const session = await findSession(context, 'one')
  await collect(readSession(context, session))
  const folder = join(context.state, 'last-good')
  const [name = ''] = readdirSync(folder)
  const whole = readFileSync(join(folder, name))
  for (const length of [0, 1, whole.indexOf('\n') + 1, whole.length - 1]) {
    truncateSync(join(folder, name), length)
    await collect(readSession(context, session))
    expect(readFileSync(join(folder, name))).toEqual(whole)
  }
})

test.skipIf(!existsSync('/dev/full'))('a full disk under our own folder costs no message and no session', async () => {
  const context = contextWith(makeAgent('base', {}, 'sqlite'))
  const file = put(
    context.environment.home,
    'base/one',
    `${lines({ text: 'first' })}garbage\n${lines({ text: 'second' })}`,
  )
  const name = createHash('sha256').update(`base\n${file}\none`).digest('hex')
  mkdirSync(join(context.state, 'last-good'), { recursive: true })
  symlinkSync('/dev/full', join(context.state, 'last-good', `${name}.${process.pid}`))
  symlinkSync('/dev/full', join(context.state, 'rethread.log'))
  const { messages, end } = await collect(readSession(context, await findSession(context, 'one')))
  expect(messages).toHaveLength(2)
  expect(end.findings).toHaveLength(1)
  expect((await listSessions(context)).sessions).toMatchObject([{ messageCount: 2, partial: true }])
  expect(context.log.path).toBeUndefined()
})

test('a locked database that was never read is an error', async () => {
  const failure: { current?: RethreadError } = {}
  const context = contextWith(makeAgent('base', failure, 'sqlite'))
  put(context.environment.home, 'base/one', lines({ text: 'first' }))
  const session = await findSession(context, 'one')
  failure.current = busy()
  await expect(collect(readSession(context, session))).rejects.toMatchObject({ code: 'database-busy' })
})

test('while a database is locked, its sessions are listed from memory, marked as busy', async () => {
  const failure: { current?: RethreadError } = {}
  const context = contextWith(makeAgent('base', failure, 'sqlite'))
  put(context.environment.home, 'base/one', lines({ text: 'first' }))
  await listSessions(context)
  failure.current = busy()
  const list = await listSessions(context)
  expect(list.sessions).toMatchObject([{ sessionId: 'one', status: 'busy', partial: true, messageCount: 1 }])
  expect(list.failures).toMatchObject([{ code: 'database-busy' }])
})

test('a damaged database is an error, never the last good reading', async () => {
  const failure: { current?: RethreadError } = {}
  const context = contextWith(makeAgent('base', failure, 'sqlite'))
  put(context.environment.home, 'base/one', lines({ text: 'first' }))
  const session = await findSession(context, 'one')
  await collect(readSession(context, session))
  failure.current = new RethreadError({ code: 'database-corrupt', text: 'malformed', hint: 'recover', path: '/db' })
  await expect(collect(readSession(context, session))).rejects.toMatchObject({ code: 'database-corrupt' })
})

test('a summary is learnt again as soon as the file changes', async () => {
  const context = contextWith(makeAgent('logs'))
  const file = put(context.environment.home, 'logs/one', lines({ text: 'first' }))
  expect((await listSessions(context)).sessions[0]?.messageCount).toBe(1)
  appendFileSync(file, lines({ text: 'second' }))
  expect((await listSessions(context)).sessions[0]?.messageCount).toBe(2)
})

test('a session that could not be read is tried again the next time', async () => {
  const failure: { current?: RethreadError } = {}
  const [sound] = makeAgent('logs').stores
  const context = contextWith(makeAgent('logs', failure, 'json-lines', { discover: sound?.discover }))
  put(context.environment.home, 'logs/one', lines({ text: 'first' }))
  failure.current = new RethreadError({ code: 'permission-denied', text: 'no', hint: 'chmod', path: '/x' })
  expect(await listSessions(context)).toMatchObject({
    sessions: [{ status: 'unreadable' }],
    failures: [{ code: 'permission-denied' }],
  })
  failure.current = undefined
  expect(await listSessions(context)).toMatchObject({ sessions: [{ messageCount: 1, partial: false }], failures: [] })
})

test('of sessions without a message the damaged are listed, and the others are not', async () => {
  const read: Store['read'] = session =>
    pace(
      (function* (): Generator<Message, ReadingEnd, void> {
        const at = { file: session.filePath, start: 0, end: 0 }
        const findings = new Findings()
        yield { id: 'n', role: 'system', time: null, parts: [{ type: 'notice', text: 'begun' }], at }
        if (session.sessionId === 'damaged')
          findings.add({ damage: 'trailing-comma', severity: 'survived', at, text: 'A comma.', hint: 'Repair it.' })
        const counts = { records: 1, bookkeeping: 1, unknown: 0, skipped: 0 }
        const common = { facts: {}, counts, branches: [], continued: false }
        return endReading(common, findings, { parsedUpTo: 0, recovered: true })
      })(),
    )
  const context = contextWith(makeAgent('logs', {}, 'json-lines', { read }))
  put(context.environment.home, 'logs/damaged', '[1,]')
  put(context.environment.home, 'logs/whole', '[1]')
  for (const _ of ['learnt', 'remembered']) {
    const list = await listSessions(context)
    expect(list).toMatchObject({ sessions: [{ sessionId: 'damaged', messageCount: 0, partial: false }] })
    expect(list.withoutConversation).toBe(1)
  }
})

test('sessions come newest first', async () => {
  const context = contextWith(makeAgent('logs'))
  put(context.environment.home, 'logs/a', lines({ text: 'x' }))
  put(context.environment.home, 'logs/b', lines({ text: 'x' }))
  const { sessions } = await findSessions(context)
  expect(sessions.map(session => session.updatedAt)).toEqual(
    sessions.map(session => session.updatedAt).toSorted((a, b) => b - a),
  )
})
