// One case of the proof: a recorded session is broken, resumed by its real agent, broken again in the same way, repaired, and resumed once more.

import { existsSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../../src/agents/samples/random.ts'
import { storeOf } from '../../src/agents/store.ts'
import type { Context } from '../../src/catalog/context.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import type { Change } from '../../src/model/plan.ts'
import { isPatch } from '../../src/model/plan.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import { checkSession } from '../../src/repair/check/check.ts'
import type { Damage } from '../../src/repair/damage/damage.ts'
import { repairSession } from '../../src/repair/repair.ts'
import { damagesOf, inflict, type Kind } from '../support/damaged.ts'
import { agentNamed } from '../support/reading.ts'
import type { Turn } from './real-agent.ts'
import { RESUME_PROMPT, type Recorder, type Recording } from './record.ts'
import type { Outcome, Row } from './row.ts'
import { missingFrom, piecesOf } from './sent.ts'

/** A turn that works takes a few seconds, or many on a busy machine. One that is expected to load nothing may never end. */
const SHORT_MS = 25_000
const LONG_MS = 120_000
const DAY_MS = 24 * 60 * 60 * 1000

export interface Case {
  /** One, or several for a mixture. */
  damages: readonly Damage[]
  seed: number
}

interface Opened {
  context: Context
  session: SessionRef
}

/** The kind of session that this version of the agent writes, and what such a session can suffer. */
export async function kindOf(recording: Recording): Promise<{ kind: Kind; damages: Damage[] }> {
  const { session } = await open(recording)
  const store = storeOf(agentNamed(session.agent), session)
  const repair = await store.repair?.()
  if (repair === undefined) throw new Error(`${session.filePath} cannot be repaired`)
  const kind = { agent: session.agent, store: store.name, traits: store.traits, repair }
  return { kind, damages: damagesOf(kind) }
}

/** How many messages the check says that a resume of the healthy session loads. */
export async function healthyLoads(recorder: Recorder, recording: Recording): Promise<number> {
  recorder.restore(recording)
  const { context, session } = await open(recording)
  const { verdict } = await checkSession(context, session, { force: true })
  if (verdict.status !== 'healthy') throw new Error(`the recording is not healthy: ${JSON.stringify(verdict)}`)
  return sentOf(verdict).now
}

/** The agents are seen to send messages, of which some are several for a person. */
function sentOf({ sent, loads }: Verdict): Verdict['loads'] {
  return sent ?? loads
}

/** undefined where the session has no place for the damage, or of a mixture for fewer than two. */
export async function verifyCase(
  recorder: Recorder,
  recording: Recording,
  { damages, seed }: Case,
  plain: number,
): Promise<Row | undefined> {
  const { kind } = await kindOf(recording)
  const breakIt = async () => {
    recorder.restore(recording)
    const { session } = await open(recording)
    const inflicted = damages.flatMap(damage => {
      const done = inflict(session, kind, damage, seed)
      return done === undefined ? [] : [{ ...done, id: damage.id }]
    })
    return { inflicted, ...(await open(recording, session)) }
  }
  const broken = await breakIt()
  const { inflicted } = broken
  if (inflicted.length < Math.min(2, damages.length)) return undefined
  const { verdict } = await checkSession(broken.context, broken.session, { force: true })
  const damaged = await resume(recording, broken.session, verdict.loads.now > 0)

  const once = await breakIt()
  const done = await repairSession(once.context, once.session, { force: true })
  const repaired = await resume(recording, once.session, verdict.loads.afterRepair > 0)
  const healthy = recording.agent.unitsOf(recording.healthy.messages)
  return {
    agent: recording.agent.id,
    version: recording.agent.version,
    damages: inflicted.map(({ id }) => id),
    seed,
    what: inflicted.map(({ what }) => what.replaceAll(recording.home, '~')),
    found: verdict.findings.map(({ damage }) => damage),
    destroyed: inflicted.reduce((sum, one) => sum + one.destroyed, 0) + countSetAside(done.changes),
    isBeyondRepair: inflicted.some(({ isBeyondRepair }) => isBeyondRepair === true),
    healthy: recording.healthy.history,
    healthyStored: recording.agent.countStored(recording.healthy.messages),
    healthyLoads: plain,
    loads: sentOf(verdict),
    damaged: outcomeOf(recording, damaged, healthy),
    repair: done.report.error?.text ?? done.report.status,
    repaired: outcomeOf(recording, repaired, healthy),
  }
}

async function open({ home, agent }: Recording, known?: SessionRef): Promise<Opened> {
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  const { sessions } = await findSessions(context)
  const own = sessions.filter(session => session.agent === agent.id && session.subagentOf === undefined)
  const session =
    known === undefined
      ? own.toSorted((a, b) => b.fileSize - a.fileSize)[0]
      : (own.find(({ sessionId, filePath }) => sessionId === known.sessionId && filePath === known.filePath) ?? known)
  if (session === undefined) throw new Error(`no session of ${agent.id} in ${home}`)
  return { context, session }
}

async function resume(
  { agent, home, session }: Recording,
  { filePath }: SessionRef,
  isExpected: boolean,
): Promise<Turn> {
  makeRecent(filePath)
  return await agent.turn(home, RESUME_PROMPT, session, isExpected ? LONG_MS : SHORT_MS)
}

/** At their start, some agents delete sessions that are older than a month, also the one that they resume. */
function makeRecent(file: string): void {
  const yesterday = new Date(Date.now() - DAY_MS)
  if (existsSync(file)) utimesSync(file, yesterday, yesterday)
}

function outcomeOf({ agent }: Recording, turn: Turn, healthy: readonly string[][]): Outcome {
  const how = howOf(turn)
  const messages = how === 'went on' ? turn.messages : []
  return {
    how,
    said: turn.refused ?? (how === 'went on' ? '' : lastLine(turn)),
    sent: turn.history,
    stored: agent.countStored(turn.messages),
    missing: missingFrom(healthy, piecesOf(messages)),
    added: missingFrom(agent.unitsOf(messages), healthy.flat()),
  }
}

function howOf(turn: Turn): Outcome['how'] {
  if (turn.isAnswered) return 'went on'
  if (turn.refused !== undefined) return 'refused'
  return turn.isHung === true ? 'never ended' : 'sent nothing'
}

function lastLine({ ran }: Turn): string {
  return `${ran.stdout}\n${ran.stderr}`.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
}

/** A result whose call is lost is set aside with it. */
function countSetAside(changes: readonly Change[]): number {
  return changes.filter(isPatch).flatMap(({ edits }) => edits.filter(({ damage }) => damage === 'unpaired-tool')).length
}

/** Two to four of the damages that a session can have, chosen by a seed. What breaks the words comes before what breaks the lines they are in. */
export function mix(damages: readonly Damage[], seed: number): Damage[] {
  const random = new Random(`mixture ${seed}`)
  const chosen = new Set<Damage>()
  const count = Math.min(damages.length, 2 + random.below(3))
  while (chosen.size < count) {
    const damage = damages[random.below(damages.length)]
    if (damage !== undefined) chosen.add(damage)
  }
  return damages.filter(damage => chosen.has(damage)).toReversed()
}
