// Scenarios that force one restore strategy: a resume that is not offered, a session that was damaged or is
// gone.

import { rmSync, utimesSync } from 'node:fs'
import { storeOf } from '../../../src/agents/store.ts'
import { findSessions } from '../../../src/catalog/find-all.ts'
import { asFields } from '../../../src/journal/envelope.ts'
import { LoadMatcher } from '../../../src/journal/restore/match/match.ts'
import type { StrategyName } from '../../../src/journal/store/notes.ts'
import type { SessionRef } from '../../../src/model/session.ts'
import { damagesOf, inflict } from '../../support/damaged.ts'
import { agentNamed } from '../../support/reading.ts'
import { killAgent } from './conversation-stage.ts'
import { comeBack, converse, hide, type Scenario, type Stage, untilNextMinute } from './stage.ts'

export const onlyLoad: Scenario = async stage => {
  const id = await converse(stage)
  await killAgent(stage.opened, id)
  await untilNextMinute(stage)
  const watched = watchLoads()
  try {
    await hide(stage, 'resume')
    await comeBack(stage, id, ['load'])
  } finally {
    watched.stop()
  }
  const { verdict, notified } = watched
  stage.row.remarks.push(`match: ${verdict}; repeated: ${notified.join(', ')}`)
  if (verdict !== 'all') stage.row.faults.push(`what was loaded matches: ${verdict}`)
}

/** What an agent repeats, and how it compares; the last comparison counts. */
function watchLoads() {
  const { add, compare } = LoadMatcher.prototype
  const watched = {
    verdict: 'never compared',
    notified: [] as string[],
    stop() {
      Object.assign(LoadMatcher.prototype, { add, compare })
    },
  }
  LoadMatcher.prototype.add = function (params) {
    watched.notified.push(describe(params))
    add.call(this, params)
  }
  LoadMatcher.prototype.compare = async function (store, sessionId) {
    const match = await compare.call(this, store, sessionId)
    watched.verdict = match.verdict
    return match
  }
  return watched
}

function describe(params: unknown): string {
  const { sessionUpdate, messageId } = asFields(asFields(params)['update'])
  return `${sessionUpdate}${messageId === undefined ? '' : '#'}`
}

/** One that costs this agent something, of those that its store can have. */
const DAMAGES: Record<string, string> = {
  'claude-code': 'broken-parent',
  codex: 'lost-header',
  'gemini-cli': 'dangling-rewind',
  opencode: 'unreadable-row',
}

export const damaged: Scenario = async stage => {
  const id = await converse(stage)
  await killAgent(stage.opened, id)
  await untilNextMinute(stage)
  const [session] = await storedOf(stage, id)
  if (session === undefined) throw new Error('The agent has no file of it.')
  stage.row.remarks.push(await damage(session))
  // As after a crash: the agent wrote a moment ago.
  utimesSync(session.filePath, new Date(), new Date())
  await comeBack(stage, id, ['repair'], 0)
}

async function damage(session: SessionRef): Promise<string> {
  const store = storeOf(agentNamed(session.agent), session)
  const repair = await store.repair?.()
  if (repair === undefined) throw new Error(`${session.filePath} cannot be repaired`)
  const kind = { agent: session.agent, store: store.name, traits: store.traits, repair }
  const wanted = damagesOf(kind).find(({ id }) => id === DAMAGES[session.agent])
  const done = wanted === undefined ? undefined : inflict(session, kind, wanted, 1)
  if (done === undefined) throw new Error('It has no place for the damage.')
  return `${wanted?.id}: ${done.what}`
}

export const gone: Scenario = async stage => {
  const id = await converse(stage)
  await killAgent(stage.opened, id)
  await untilNextMinute(stage)
  const stored = await storedOf(stage, id)
  for (const { filePath } of stored)
    for (const suffix of ['', '-wal', '-shm']) rmSync(filePath + suffix, { force: true })
  if (stored.length === 0) stage.row.faults.push('the agent had no file of it')
  await comeBack(stage, id, ['replay' satisfies StrategyName])
}

async function storedOf({ opened, place }: Stage, id: string): Promise<SessionRef[]> {
  const { agentSessionId } = await opened.conversations.get(id)
  const { sessions } = await findSessions(opened.context)
  return sessions.filter(({ agent, sessionId }) => agent === place.agent.store && sessionId === agentSessionId)
}
