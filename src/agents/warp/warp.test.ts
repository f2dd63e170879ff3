import { describe, expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance } from '../../../test/support/agent-conformance.ts'
import { environmentOf, temporaryHome } from '../../../test/support/home.ts'
import { discoverAll, discoverSessions, findSession, recognisedBy, resumeFrom } from '../../../test/support/reading.ts'
import type { Fill } from '../../../test/support/warp/store.ts'
import {
  addConversation,
  addTask,
  CONVERSATION,
  makeComplete,
  message,
  output,
  PLACE,
  putWarp,
  query,
  readWarp,
  SUMMARY,
  task,
  texts,
} from '../../../test/support/warp/store.ts'
import { encodeProto } from '../../bytes/protobuf.ts'
import type { Environment } from '../environment.ts'
import { locationsOf } from '../store.ts'
import { warp } from './index.ts'

/** Many tasks of one conversation, each with a message of 64 KB. */
function makeLarge(home: string, bytes: number): MadeSession {
  const text = 'All work and no play makes a long conversation. '.repeat(1366)
  const count = Math.ceil(bytes / text.length)
  const fill: Parameters<typeof putWarp>[1] = database => {
    addConversation(database, {}, SUMMARY)
    for (let i = 0; i < count; i++) {
      const messages = [i % 2 === 0 ? query(`m${i}`, i, text) : output(`m${i}`, i, text)]
      addTask(database, `task-${i}`, task(`task-${i}`, { ...(i === 0 ? {} : { parent: 'task-0' }), messages }))
    }
  }
  return { sessionId: CONVERSATION, file: putWarp(home, fill, PLACE, 4096), messages: count }
}

conformance({ name: 'warp', agent: warp, store: 'database', make: makeComplete, makeLarge, afterCut: 'error-or-all' })

describe('the facts of a warp conversation', () => {
  test('name its parent and the conversation it was forked from', async () => {
    const { session, end } = await readWarp(database => {
      addConversation(database, { server_conversation_token: 'the-source' }, undefined, 'source')
      addConversation(database, {
        parent_conversation_id: 'parent',
        forked_from_server_conversation_token: 'the-source',
      })
    })
    expect(session.subagentOf).toBe('parent')
    expect(end.facts).toMatchObject({ subagentOf: 'parent', forkedFrom: 'source' })
  })

  test('come from the task where the conversation has no row', async () => {
    const { end } = await readWarp(database => {
      const directory = encodeProto([[1, encodeProto([[1, '/home/dev/shop']])]])
      const asked = message(
        'm1',
        0,
        2,
        encodeProto([
          [1, 'Hello'],
          [2, directory],
        ]),
      )
      addTask(database, 'root', task('root', { description: 'Say hello', messages: [asked] }))
    })
    expect(end.facts).toMatchObject({ title: 'Say hello', project: '/home/dev/shop' })
  })

  test('survive columns that are not JSON', async () => {
    const { end } = await readWarp(database => {
      addConversation(database)
      database.exec(`UPDATE agent_conversations SET conversation_data = '{"cut', summary = 'no'`)
      addTask(database, 'root', task('root', { messages: [query('m1', 0, 'Hello there')] }))
    })
    expect(end.type).toBe('complete')
    expect(end.facts.title).toBe('Hello there')
    expect(end.findings.map(({ damage, severity }) => `${damage} ${severity}`)).toEqual([
      'malformed-json survived',
      'malformed-json survived',
    ])
  })
})

describe('warp stores', () => {
  const pathsOn = (platform: Environment['platform'], variables = {}) =>
    locationsOf(warp, { home: platform === 'win32' ? 'C:\\Users\\dev' : '/home/dev', platform, variables }).map(
      ({ location }) => location.path,
    )

  test('are known on each platform, for each channel and for the terminal front end', () => {
    const group = '/home/dev/Library/Group Containers/2BBY89MBSN.dev.warp/Library/Application Support'
    expect(pathsOn('darwin')).toContain(`${group}/dev.warp.Warp-Stable/warp.sqlite`)
    expect(pathsOn('darwin')).toContain(`${group}/dev.warp.Warp-Preview/tui/warp.sqlite`)
    expect(pathsOn('linux')).toContain('/home/dev/.local/state/warp-terminal/warp.sqlite')
    expect(pathsOn('linux', { XDG_STATE_HOME: '/state' })).toContain('/state/warp-terminal-preview/warp.sqlite')
    expect(pathsOn('win32')).toContain('C:\\Users\\dev\\AppData\\Local\\warp\\Warp\\data\\warp.sqlite')
    expect(pathsOn('win32', { LOCALAPPDATA: 'D:\\Local' })).toContain('D:\\Local\\warp\\WarpPreview\\data\\warp.sqlite')
  })

  test('that do not exist, or hold no conversations, are empty', async () => {
    const home = temporaryHome()
    expect(await discoverAll(warp, environmentOf(home))).toEqual([])
    putWarp(home, database => database.exec('DROP TABLE agent_tasks; DROP TABLE ai_queries; DROP TABLE blocks'))
    expect(await discoverAll(warp, environmentOf(home))).toEqual([])
  })

  test('of an old version, with fewer columns and tables, are read as far as they go', async () => {
    const { messages, end } = await readWarp(database => {
      database.exec(`DROP TABLE ai_queries; DROP TABLE blocks; DROP TABLE agent_conversations;
        ALTER TABLE agent_tasks DROP COLUMN last_modified_at`)
      const insert = database.prepare('INSERT INTO agent_tasks (conversation_id, task_id, task) VALUES (?, ?, ?)')
      insert.run(CONVERSATION, 'root', task('root', { messages: [query('m1', 0, 'Hello')] }))
    })
    expect(texts(messages)).toEqual(['Hello'])
    expect(end.type).toBe('complete')
  })

  test('change the identity of a changed conversation, and no other', async () => {
    const home = temporaryHome()
    const fill =
      (more: boolean): Fill =>
      database => {
        addTask(
          database,
          'a',
          task('a', { messages: [query('m1', 0, 'Hello'), ...(more ? [output('m2', 1, 'Hi')] : [])] }),
        )
        addTask(database, 'b', task('b', { messages: [query('m1', 0, 'Other')] }), 'other')
      }
    putWarp(home, fill(false), 'a/warp-terminal/warp.sqlite')
    putWarp(home, fill(true), 'b/warp-terminal/warp.sqlite')
    const marks = async (state: string) =>
      (await discoverSessions(warp, environmentOf(home, { XDG_STATE_HOME: `${home}/${state}` }))).map(({ identity }) =>
        identity.replace(/^\d+:\d+:/, ''),
      )
    const [before, after] = [await marks('a'), await marks('b')]
    expect(after[0]).not.toBe(before[0])
    expect(after[1]).toBe(before[1])
  })

  test('cannot be resumed from outside, and say why', async () => {
    const home = temporaryHome()
    makeComplete(home)
    const session = await findSession(warp, environmentOf(home), CONVERSATION)
    expect(resumeFrom(warp, session, {})).toMatchObject({
      type: 'unsupported',
      reason: expect.stringContaining('Warp'),
    })
    expect(recognisedBy(warp, '/copy/warp.sqlite', Buffer.from('SQLite format 3\0'))).toBeUndefined()
  })
})
