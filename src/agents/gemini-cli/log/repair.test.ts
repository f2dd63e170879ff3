import { describe, expect, test } from 'vitest'
import {
  call,
  fixture,
  HASH,
  header,
  LOG,
  model,
  putProjects,
  response,
  SESSION,
  set,
  user,
} from '../../../../test/support/gemini-cli/make.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { discoverSessions, readFrom } from '../../../../test/support/reading.ts'
import { isConversation } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { geminiCli } from '../index.ts'
import { repair } from './repair.ts'

const open = async (log: string | Buffer, beside: Record<string, string> = {}): Promise<SessionRef> => {
  const home = temporaryHome()
  putProjects(home)
  for (const [name, text] of Object.entries(beside)) put(home, name, text)
  const path = put(home, LOG, log)
  const sessions = await discoverSessions(geminiCli, environmentOf(home))
  const session = sessions.find(({ filePath }) => filePath === path)
  if (session === undefined) throw new Error(`${path} was not found`)
  return session
}
const loads = async (log: string | Buffer) => repair.load(viewOf(await open(log), repair)).messages
const rewind = (to: string) => ({ $rewindTo: to })
const talk = [user('a', 'one'), model('b', 'two'), user('c', 'three'), model('d', 'four')]

describe('what a resume loads', () => {
  test.each(['complete.jsonl', 'resumed.jsonl'])(
    'of the healthy session %s, as many messages as a person sees',
    async name => {
      const session = await open(fixture(name))
      const { messages } = await collect(readFrom(geminiCli, session))
      expect(repair.load(viewOf(session, repair)).messages).toBe(messages.filter(isConversation).length)
    },
  )

  test('a message counts once however often it is written', async () => {
    expect(await loads(lines(header, ...talk, model('b', 'two, and more')))).toBe(4)
  })

  test('an answer with nothing in it is not sent', async () => {
    expect(await loads(lines(header, ...talk, model('e', '')))).toBe(4)
  })

  test('a result counts as a message of its own only where the record with its call is lost to the agent', async () => {
    const answer = { ...model('e', 'five'), toolCalls: [call('run', 'done')] }
    const log = lines(header, ...talk, answer, user('f', [response('run', 'done')]), model('g', 'six'))
    expect(await loads(log)).toBe(6)
    expect(await loads(log.replace('five', 'fi\nve'))).toBe(6)
    expect(await loads(log.replace('five', 'fi\u2028ve'))).toBe(6)
    expect(await loads(log.replace('six', 's\nix'))).toBe(5)
  })

  test('a list replaces what stands before it', async () => {
    expect(await loads(lines(header, ...talk, set({ messages: [user('a', 'one')] }), model('e', 'five')))).toBe(2)
  })

  test('a rewind drops the message it names and all behind it, also one that only a list has', async () => {
    expect(await loads(lines(header, ...talk, rewind('c')))).toBe(2)
    expect(await loads(lines(header, set({ messages: talk }), rewind('b'), model('e', 'five')))).toBe(2)
  })

  test('a rewind to a message that is not there drops all, unless a list comes later', async () => {
    expect(await loads(lines(header, ...talk, rewind('gone')))).toBe(0)
    expect(await loads(lines(header, ...talk, rewind('gone'), model('e', 'five')))).toBe(1)
    expect(await loads(lines(header, rewind('gone'), set({ messages: talk })))).toBe(4)
  })

  test('nothing where no record names session and project, in one record or in two', async () => {
    expect(await loads(lines(...talk))).toBe(0)
    expect(await loads(lines(...talk, set({ sessionId: SESSION })))).toBe(0)
    expect(await loads(lines(...talk, set({ sessionId: SESSION }), set({ projectHash: HASH })))).toBe(4)
  })

  test('a record with a raw U+2028 or U+2029 is lost, one with an escaped one is not', async () => {
    const log = lines(header, ...talk)
    expect(await loads(log.replace('three', 'th\u2028ree'))).toBe(3)
    expect(await loads(log.replace('three', 'th\u2029ree'))).toBe(3)
    expect(await loads(log.replace('three', 'th\\u2028ree'))).toBe(4)
  })
})

describe('rewinds to messages that are not there', () => {
  const dangling = async (log: string) => {
    const view = viewOf(await open(log), repair)
    return repair.rewinds?.findDangling(view).map(({ start, end }) => view.bytes.range(start, end).toString())
  }

  test('one to an unknown message is found, one to a known message is not', async () => {
    expect(await dangling(lines(header, ...talk, rewind('c')))).toEqual([])
    expect(await dangling(lines(header, ...talk, rewind('gone')))).toEqual([JSON.stringify(rewind('gone'))])
  })

  test('the same rewind twice has no target the second time', async () => {
    expect(await dangling(lines(header, ...talk, rewind('c'), rewind('c')))).toHaveLength(1)
  })

  test('one whose target stands on a line with another record is not taken for dangling', async () => {
    const glued = lines(header, ...talk).replace('\n{"id":"c"', '{"id":"c"')
    expect(await dangling(glued + lines(rewind('c')))).toEqual([])
  })

  test('one that a later list made meaningless is left alone', async () => {
    expect(await dangling(lines(header, rewind('gone'), set({ messages: talk })))).toEqual([])
  })
})

describe('a lost header', () => {
  const rebuild = async (log: string, beside: Record<string, string> = {}) => {
    const session = await open(log, beside)
    const view = viewOf(session, repair)
    expect(repair.header?.isPresent(view)).toBe(false)
    const rebuilt = await repair.header?.rebuild(view)
    if (rebuilt === undefined || 'refused' in rebuilt) return rebuilt
    expect([rebuilt.start, rebuilt.end]).toEqual([view.bytes.size, view.bytes.size])
    const after = Buffer.concat([Buffer.from(log), rebuilt.bytes])
    expect(repair.load(viewOf(session, repair, after)).messages).toBeGreaterThan(0)
    return rebuilt.bytes.toString()
  }
  const added = (sessionId: string, projectHash = HASH) => lines(set({ sessionId, projectHash }))

  test('is made up for at the end, with the short id of the name and the hash of the project', async () => {
    expect(await rebuild(lines(...talk))).toBe(added('22222222'))
  })

  test('what later changes or the rest of the header say counts more', async () => {
    expect(await rebuild(lines(...talk, set({ sessionId: SESSION })))).toBe(added(SESSION))
    const torn = JSON.stringify(header).slice(0, 130)
    expect(await rebuild(`${torn}\n${lines(...talk)}`)).toBe(added(SESSION))
  })

  test('the header of another file of the same session has the whole id', async () => {
    const beside = { [LOG.replace('T10-00', 'T11-00')]: lines(header) }
    expect(await rebuild(lines(...talk), beside)).toBe(added(SESSION))
  })

  test('a newline comes first where the last one is missing', async () => {
    expect(await rebuild(lines(...talk).trimEnd())).toBe(`\n${added('22222222')}`)
  })

  test('is refused where the project is unknown', async () => {
    const beside = { '.gemini/projects.json': '{"projects":{}}' }
    expect(await rebuild(lines(...talk), beside)).toEqual({ refused: expect.stringContaining('project') })
  })
})
