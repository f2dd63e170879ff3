// Carries out a plan of a listing: with a receipt, all changes or none, and never while the agent writes.
import { createHash } from 'node:crypto'
import type { Agent } from '../agents/agent.ts'
import type { ListingChange, ListingPlan } from '../agents/listing.ts'
import { findStore } from '../agents/store.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { identityOf } from '../disk/files/read.ts'
import { busyError } from '../disk/processes/writers.ts'
import { applyChanges } from '../disk/vault/apply.ts'
import { planOutdated } from '../disk/vault/errors.ts'
import type { PlannedFile } from '../disk/vault/plan-fit.ts'
import { type Receipt, SEVERAL_SESSIONS } from '../disk/vault/receipt.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import { findActivity, isAgentRunning, type WrittenSession } from '../repair/activity.ts'
import { takeAgentLock } from '../repair/agent-lock.ts'
import type { CheckContext } from '../repair/check/check.ts'
import type { Verdicts } from '../repair/verdicts/verdict-cache.ts'

export interface PlannedFix {
  agent: Agent
  /** The sessions that the agent lists again. */
  sessions: readonly SessionRef[]
  plan: ListingPlan
  /** The files as they were when the plan was made. What changed since then is not overwritten. */
  planned: readonly PlannedFile[]
  /** A command to paste once the agent is closed: it carries out what was left. */
  command: string
}

export interface ApplyOptions {
  /** The person says that the agent is closed. */
  force?: boolean
  verdicts?: Pick<Verdicts, 'invalidate'>
}

export interface AppliedFix {
  receipt: Receipt
  /** What was left, because a process of the agent runs. */
  notes: string[]
}

/** Throws `busy`, `locked`, `plan-outdated`, `no-space`, and what `applyChanges` throws. */
export async function applyFix(
  context: CheckContext,
  { agent, sessions, plan, planned, command }: PlannedFix,
  { force = false, verdicts }: ApplyOptions = {},
): Promise<AppliedFix | undefined> {
  const later = plan.whenClosed ?? []
  const isClosed = later.length > 0 && !isAgentRunning(context, agent)
  const changes = [...plan.changes, ...(isClosed ? later : [])]
  const notes = later.length > 0 && !isClosed ? [stillRunning(agent, later, command)] : []
  const [change] = changes
  if (change === undefined) {
    const [text] = notes
    if (text === undefined) return undefined
    throw new RethreadError({ code: 'busy', text, hint: `Close ${agent.title}, then run: ${command}` })
  }
  const first = sessions[0] ?? { agent: agent.id, sessionId: subjectOf(changes), filePath: change.file }
  await assertNotWritten(context, agent, first, sessions, changes, force)
  const sessionId = sessions.length === 1 ? first.sessionId : subjectOf(sessions.length === 0 ? changes : sessions)
  const subject = { agent: agent.id, sessionId, filePath: first.filePath }
  const lock = takeAgentLock(context, first, { force })
  try {
    for (const session of sessions) verdicts?.invalidate(session)
    const receipt = await applyChanges({ state: context.state, ...subject, changes, planned })
    return { receipt, notes }
  } catch (error) {
    // Another run was faster.
    if (error instanceof RethreadError && error.code === 'not-found')
      throw planOutdated(error.path ?? first.filePath, 'it no longer exists')
    throw error
  } finally {
    lock?.release()
  }
}

/** The files are checked at once: each check waits for a moment. */
async function assertNotWritten(
  context: CheckContext,
  agent: Agent,
  first: WrittenSession,
  sessions: readonly SessionRef[],
  changes: readonly ListingChange[],
  force: boolean,
): Promise<void> {
  for (const session of sessions.slice(1)) {
    const repair = await findStore(agent, session)?.repair?.()
    const sign = repair?.liveSign?.(session, context.environment)
    if (sign !== undefined) throw busyError(session.filePath, sign)
  }
  const touched = changes.filter(({ type }) => type !== 'row')
  const logs = sessions.filter(session => touched.some(change => concerns(change, session)))
  const files = [...logs.map(({ filePath }) => filePath), ...touched.map(({ file }) => file)].filter(isFile)
  const sign = await findActivity(context, first, [...new Set(files)], { force })
  if (sign !== undefined) throw busyError(first.filePath, sign)
}

function isFile(path: string): boolean {
  return statIfThere(path)?.isFile() === true
}

function concerns({ file }: ListingChange, { filePath }: SessionRef): boolean {
  return file === filePath || filePath.startsWith(`${file}/`)
}

/** The name of a receipt that is about several sessions, or only about settings. */
function subjectOf(parts: readonly (Pick<SessionRef, 'sessionId'> | Pick<ListingChange, 'file'>)[]): string {
  const names = parts.map(part => ('sessionId' in part ? part.sessionId : part.file)).toSorted()
  return `${SEVERAL_SESSIONS}${createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 12)}`
}

function stillRunning({ title }: Agent, changes: readonly ListingChange[], command: string): string {
  const files = [...new Set(changes.map(({ file }) => file))].join(', ')
  return `${title} is running and would write over ${files}, so it was left as it is. Close ${title}, then run: ${command}`
}

/** To be taken before the plan is made, of the files that it may read. */
export function identitiesOf(files: Iterable<string>): PlannedFile[] {
  return [...new Set(files)].flatMap(file => {
    const stats = statIfThere(file)
    return stats === undefined ? [] : [{ file, identity: identityOf(stats) }]
  })
}

/** The same change, asked for by two stores that share a file, once. Throws `plan-outdated` where they contradict. */
export function mergePlans(plans: readonly ListingPlan[]): ListingPlan {
  const changes = new Map<string, ListingChange>()
  const closed = new Map<string, ListingChange>()
  for (const plan of plans) {
    for (const change of plan.changes) addOnce(changes, change)
    for (const change of plan.whenClosed ?? []) addOnce(closed, change)
  }
  // Folders are moved last: other changes name files by their old paths.
  const ordered = [...changes.values()].toSorted((a, b) => Number(a.type === 'move') - Number(b.type === 'move'))
  return {
    changes: ordered,
    whenClosed: [...closed.values()],
    notes: [...new Set(plans.flatMap(({ notes }) => notes))],
  }
}

function addOnce(known: Map<string, ListingChange>, change: ListingChange): void {
  const key =
    change.type === 'row' ? JSON.stringify([change.file, change.table, String(Object.values(change.key))]) : change.file
  const before = known.get(key)
  if (before !== undefined && textOf(before) !== textOf(change))
    throw new RethreadError({
      code: 'plan-outdated',
      text: `Two changes of ${change.file} contradict each other.`,
      hint: 'Nothing was changed. Fix one session at a time: rethread relink SESSION',
      path: change.file,
    })
  known.set(key, change)
}

function textOf(change: ListingChange): string {
  return JSON.stringify(change, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
