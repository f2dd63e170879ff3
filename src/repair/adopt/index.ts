// Puts sessions of another home into this one, each with a receipt
// of its own. Nothing in the other home changes.
import { homeOf, type PathMap } from '../../agents/adoption.ts'
import { type Store, storeOf } from '../../agents/store.ts'
import { statIfThere } from '../../disk/files/handles.ts'
import { identityOf } from '../../disk/files/read.ts'
import { busyError } from '../../disk/processes/writers.ts'
import { applyChanges } from '../../disk/vault/apply.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { findActivity } from '../activity.ts'
import { takeAgentLock } from '../agent-lock.ts'
import { type CheckContext, checkSession } from '../check/check.ts'
import type { Verdicts } from '../verdicts/verdict-cache.ts'
import { type AdoptionPlan, planAdoption } from './adoption-plan.ts'

export interface AdoptOptions {
  foreign: CheckContext
  /** All sessions of the other home, and of this one. */
  foreignSessions: readonly SessionRef[]
  ownSessions: readonly SessionRef[]
  maps: readonly PathMap[]
  asNew?: boolean
  isDryRun?: boolean
  force?: boolean
  verdicts?: Pick<Verdicts, 'invalidate'> | undefined
}

export interface AdoptedSession {
  agent: string
  /** In this home. With --as-new it differs from that in the other home. */
  sessionId: string
  from: string
  /** Null if it was refused. */
  filePath: string | null
  /** The folder in which its agent lists it. Null if it is not known. */
  project: { from: string; to: string } | null
  /** `present`: this home has the same session already. */
  status: 'planned' | 'adopted' | 'present' | 'refused'
  /** It was adopted as it is, and can be repaired. */
  isDamaged: boolean
  files: number
  rows: number
  notes: string[]
  receipt: string | null
  error?: { code: string; text: string; hint: string }
}

/**
 * The maps that a person gave, then the other home. Where its disk is mounted says nothing of the path it
 * had, so the folders in its sessions decide.
 */
export function mapsFor(
  given: readonly PathMap[],
  homes: { foreign: string; own: string },
  folders: readonly string[],
): PathMap[] {
  const guessed = homeOf(folders)
  const maps = [...given].sort((a, b) => b.from.length - a.from.length)
  for (const from of [homes.foreign, ...(guessed === undefined ? [] : [guessed])])
    if (from !== homes.own && !maps.some(map => map.from === from)) maps.push({ from, to: homes.own })
  return maps
}

/** Sessions without the subagents of others, which go along with theirs. The oldest is adopted first. */
export function mainSessions(sessions: readonly SessionRef[]): SessionRef[] {
  const ids = new Set(sessions.map(({ agent, sessionId }) => `${agent}\n${sessionId}`))
  const isMain = ({ agent, subagentOf }: SessionRef) => subagentOf === undefined || !ids.has(`${agent}\n${subagentOf}`)
  return sessions.filter(isMain).sort((a, b) => a.updatedAt - b.updatedAt)
}

/** Throws nothing that concerns this session alone: a refusal is part of the result. */
export async function adoptSession(
  context: CheckContext,
  session: SessionRef,
  options: AdoptOptions,
): Promise<AdoptedSession> {
  const { agent, sessionId, filePath } = session
  const result: AdoptedSession = {
    agent,
    sessionId,
    from: filePath,
    filePath: null,
    project: null,
    status: 'refused',
    isDamaged: false,
    files: 0,
    rows: 0,
    notes: [],
    receipt: null,
  }
  try {
    const { verdict } = await checkSession(options.foreign, session, { force: true })
    const plan = await planOf(context, session, options)
    const { changes, notes } = plan
    const facts = {
      sessionId: plan.sessionId,
      filePath: plan.filePath,
      project: plan.project ?? null,
      isDamaged: verdict.status === 'corrupted',
      files: changes.filter(({ type }) => type !== 'row').length,
      rows: changes.filter(({ type }) => type === 'row').length,
      notes,
    }
    if (changes.length === 0) return { ...result, ...facts, status: 'present' }
    if (options.isDryRun === true) return { ...result, ...facts, status: 'planned' }
    const receipt = await apply(context, session, plan, options)
    return { ...result, ...facts, status: 'adopted', receipt }
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return { ...result, error: { code: error.code, text: error.message, hint: error.hint } }
  }
}

async function planOf(context: CheckContext, session: SessionRef, options: AdoptOptions): Promise<AdoptionPlan> {
  const { foreign, foreignSessions, ownSessions, maps, asNew = false } = options
  const isOfAgent = (other: SessionRef) => other.agent === session.agent
  const agent = context.agents.find(({ id }) => id === session.agent)
  if (agent === undefined) throw new Error(`There is no agent ${session.agent}.`)
  const store: Store = storeOf(agent, session)
  return await planAdoption(context, {
    agent,
    store,
    session,
    foreign,
    maps,
    asNew,
    subagents: foreignSessions.filter(other => isOfAgent(other) && other.subagentOf === session.sessionId),
    known: ownSessions.filter(other => isOfAgent(other) && other.sessionId === session.sessionId),
  })
}

/** Throws `busy` while an agent writes the session, in either home. */
async function apply(
  context: CheckContext,
  session: SessionRef,
  { changes, sessionId, filePath }: AdoptionPlan,
  { foreign, force = false, verdicts }: AdoptOptions,
): Promise<string> {
  const other = await findActivity(foreign, session, [session.filePath], { force })
  if (other !== undefined) throw busyError(session.filePath, other)
  const subject = { agent: session.agent, sessionId, filePath }
  const planned = [...new Set(changes.map(({ file }) => file))].flatMap(file => {
    const stats = statIfThere(file, 'stat')
    return stats === undefined ? [] : [{ file, identity: identityOf(stats) }]
  })
  const files = planned.map(({ file }) => file)
  const sign = await findActivity(context, subject, files, { force })
  if (sign !== undefined) throw busyError(filePath, sign)
  verdicts?.invalidate(subject)
  const lock = takeAgentLock(context, subject, { force })
  try {
    const receipt = await applyChanges({ state: context.state, ...subject, changes, planned })
    return receipt.id
  } finally {
    lock?.release()
  }
}
