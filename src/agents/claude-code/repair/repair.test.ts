import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import type { SessionRef } from '../../../model/session.ts'
import { claudeCode } from '../index.ts'
import { liveSign } from './live-sign.ts'
import { findInOtherSessions } from './other-sessions.ts'

const SESSION = '11111111-1111-4111-8111-111111111111'
const PROJECT = '.claude/projects/-home-dev-shop'

function sessionIn(home: string, name = `${SESSION}.jsonl`, more: Partial<SessionRef> = {}): SessionRef {
  const filePath = put(home, `${PROJECT}/${name}`, lines({ type: 'user', uuid: 'own' }))
  const storeRoot = dirname(put(home, '.claude/projects/.keep', ''))
  const sessionId = more.subagentOf === undefined ? SESSION : 'agent-1'
  const facts = { updatedAt: 0, fileSize: 0, identity: '', generation: 'projects', agent: 'claude-code' }
  return { ...facts, sessionId, filePath, storeRoot, ...more }
}

test('the agent says how its sessions are repaired', async () => {
  const repair = await claudeCode.stores[0]?.repair?.()
  expect(repair).toMatchObject({ framing: 'json-lines', links: { id: 'uuid', parent: 'parentUuid' } })
})

test('a missing record is found in the files of sub-agents, however deep', () => {
  const home = temporaryHome()
  const session = sessionIn(home)
  const near = put(home, `${PROJECT}/${SESSION}/subagents/agent-1.jsonl`, lines({ type: 'user', uuid: 'n1' }))
  const deep = put(home, `${PROJECT}/${SESSION}/subagents/workflows/run/agent-2.jsonl`, lines({ uuid: 'n2', x: 1 }))
  expect(findInOtherSessions(session, ['n1', 'n2', 'n3'])).toEqual(
    new Map([
      ['n1', near],
      ['n2', deep],
    ]),
  )
})

test('a missing record is found in other sessions of the project, and not in its own', () => {
  const home = temporaryHome()
  const session = sessionIn(home)
  const fork = put(home, `${PROJECT}/22222222-2222-4222-8222-222222222222.jsonl`, lines({ uuid: 'f1' }))
  put(home, '.claude/projects/-another/33333333-3333-4333-8333-333333333333.jsonl', lines({ uuid: 'f2' }))
  expect(findInOtherSessions(session, ['own', 'f1', 'f2'])).toEqual(new Map([['f1', fork]]))
})

test('for a sub-agent, the session it belongs to is checked', () => {
  const home = temporaryHome()
  const main = put(home, `${PROJECT}/${SESSION}.jsonl`, lines({ uuid: 'm1' }))
  const session = sessionIn(home, `${SESSION}/subagents/agent-1.jsonl`, { subagentOf: SESSION })
  expect(findInOtherSessions(session, ['m1'])).toEqual(new Map([['m1', main]]))
})

test('an id across the border of two chunks is found, and one that is only quoted in a text is not', () => {
  const home = temporaryHome()
  const session = sessionIn(home)
  const wide = 'x'.repeat(1024 * 1024 - 40)
  const fork = put(
    home,
    `${PROJECT}/fork.jsonl`,
    lines({ pad: wide, uuid: 'split-id-in-two-chunks' }, { text: '"uuid":"quoted"' }),
  )
  expect(findInOtherSessions(session, ['split-id-in-two-chunks', 'quoted'])).toEqual(
    new Map([['split-id-in-two-chunks', fork]]),
  )
})

test('a running process on the session is a sign of life, a dead one is not', () => {
  const home = temporaryHome()
  const session = sessionIn(home)
  expect(liveSign(session, environmentOf(home))).toBeUndefined()
  // A pid beyond what systems give out.
  put(home, '.claude/sessions/99999999.json', JSON.stringify({ pid: 99_999_999, sessionId: SESSION }))
  put(home, `.claude/sessions/${process.pid}.json`, JSON.stringify({ pid: process.pid, sessionId: 'another' }))
  expect(liveSign(session, environmentOf(home))).toBeUndefined()
  put(home, `.claude/sessions/${process.pid}.json`, JSON.stringify({ pid: process.pid, sessionId: SESSION }))
  expect(liveSign(session, environmentOf(home))?.text).toContain(String(process.pid))
})

test('a half-written entry is not a sign, and keys beside it are not read', () => {
  const home = temporaryHome()
  const session = sessionIn(home)
  put(home, `.claude/sessions/${process.pid}.json`, '{"pid":')
  put(home, `.claude/sessions/${process.pid}.abc.key`, JSON.stringify({ pid: process.pid, sessionId: SESSION }))
  expect(liveSign(session, environmentOf(home))).toBeUndefined()
})

test('the process of a session is writing the files of its sub-agents too', () => {
  const home = temporaryHome()
  const session = sessionIn(home, `${SESSION}/subagents/agent-1.jsonl`, { subagentOf: SESSION })
  put(home, `.claude/sessions/${process.pid}.json`, JSON.stringify({ pid: process.pid, sessionId: SESSION }))
  expect(liveSign(session, environmentOf(home))).toBeDefined()
})

test('a moved config folder is searched', () => {
  const home = temporaryHome()
  const session = sessionIn(home)
  const file = put(home, `moved/sessions/${process.pid}.json`, JSON.stringify({ pid: process.pid, sessionId: SESSION }))
  const environment = environmentOf(home, { CLAUDE_CONFIG_DIR: dirname(dirname(file)) })
  expect(liveSign(session, environment)).toBeDefined()
})
