// Plans and carries out what the doctor found: sessions that are listed again, and folders that moved.
import { type FolderMove, type ListingPlan, movedPath } from '../agents/listing.ts'
import type { Context } from '../catalog/context.ts'
import type { PlannedFile } from '../disk/vault/plan-fit.ts'
import { RethreadError } from '../model/errors.ts'
import { paste, quote } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import { type ApplyOptions, applyFix, identitiesOf, mergePlans, type PlannedFix } from './apply.ts'
import type { InspectedAll } from './inspect.ts'

/** One fix: what it does, for whom, and its changes. */
export interface Fix extends PlannedFix {
  text: string
}

export interface FixResult {
  agent: string
  text: string
  sessions: number
  /** Undefined where nothing was changed. */
  receipt: string | undefined
  notes: string[]
  /** Why it was not carried out. */
  error?: { code: string; text: string; hint: string }
}

export interface FixChoice {
  /** All of them, or only these sessions, with what may have been wanted. */
  only?: readonly SessionRef[]
  isWanted?(session: SessionRef): boolean
}

/** The fixes of sessions that their agent does not list. Each problem is one fix. */
export async function planRelinks({ places }: InspectedAll, { only, isWanted }: FixChoice = {}): Promise<Fix[]> {
  const fixes: Fix[] = []
  for (const { agent, inspection, place } of places)
    for (const problem of inspection.problems) {
      if (only === undefined && problem.isDeliberate === true) continue
      const sessions = problem.sessions.filter(
        session => only?.some(each => isSame(each, session)) ?? isWanted?.(session) ?? true,
      )
      if (sessions.length === 0) continue
      if (problem.refused !== undefined) {
        if (only !== undefined) throw refused(sessions, problem.text, problem.refused)
        continue
      }
      const before = identitiesOf(sessions.map(({ filePath }) => filePath))
      const plan = mergePlans([await problem.plan(sessions)])
      const command = relinkLine(sessions, place.sessions)
      fixes.push({ agent, sessions, plan, planned: withOthers(before, plan), command, text: problem.text })
    }
  return fixes
}

/** `all` are the sessions beside them: an id may name two files. */
export function relinkLine(sessions: readonly SessionRef[], all: readonly SessionRef[]): string {
  const [first, ...others] = sessions
  if (first === undefined || others.length > 0) return 'rethread doctor --fix'
  const { sessionId, filePath } = first
  const isUnique = all.filter(each => each.sessionId === sessionId).length < 2
  return isUnique ? paste('rethread relink', sessionId) : `rethread relink ${quote(filePath)}`
}

/** The sessions as they were before they were read, and the other files of the plan. */
function withOthers(before: PlannedFile[], { changes, whenClosed = [] }: ListingPlan): PlannedFile[] {
  const known = new Set(before.map(({ file }) => file))
  const others = [...changes, ...whenClosed].map(({ file }) => file).filter(file => !known.has(file))
  return [...before, ...identitiesOf(others)]
}

/** One fix for each agent that has sessions in the folder or below it. */
export async function planMoves({ places }: InspectedAll, move: FolderMove): Promise<Fix[]> {
  const fixes: Fix[] = []
  for (const [agent, own] of Map.groupBy(places, place => place.agent)) {
    const before = identitiesOf(own.flatMap(({ place }) => place.sessions.map(({ filePath }) => filePath)))
    const plans = []
    for (const { place, listing } of own) plans.push(await listing.planMove(place, move))
    const plan = mergePlans(plans)
    const files = plan.changes.map(({ file }) => file)
    const sessions = own.flatMap(({ inspection }) =>
      [...inspection.states].flatMap(([session, { folder }]) =>
        isMoved(folder, move) || files.some(file => isIn(session.filePath, file)) ? [session] : [],
      ),
    )
    if (plan.changes.length === 0 && plan.whenClosed?.length === 0 && plan.notes.length === 0) continue
    const text =
      sessions.length === 0
        ? `Settings of ${move.from} become those of ${move.to}.`
        : `Conversations of ${move.from} are listed in ${move.to}.`
    const command = `rethread move ${quote(move.from)} ${quote(move.to)}`
    fixes.push({ agent, sessions, plan, planned: withOthers(before, plan), command, text })
  }
  return fixes
}

function isMoved(folder: string | undefined, move: FolderMove): boolean {
  return folder !== undefined && movedPath(folder, move) !== undefined
}

/** A session that shares a database with others is not changed because the database is. */
function isIn(path: string, file: string): boolean {
  return path.startsWith(`${file}/`)
}

/** One after the other. One that fails does not keep the others from being carried out. */
export async function applyFixes(
  context: Context,
  fixes: readonly Fix[],
  options: ApplyOptions = {},
): Promise<FixResult[]> {
  const results: FixResult[] = []
  for (const fix of fixes) {
    const common = { agent: fix.agent.id, text: fix.text, sessions: fix.sessions.length }
    try {
      const applied = await applyFix(context, fix, options)
      const notes = [...fix.plan.notes, ...(applied?.notes ?? [])]
      results.push({ ...common, receipt: applied?.receipt.id, notes })
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
      const { code, message, hint } = error
      results.push({ ...common, receipt: undefined, notes: fix.plan.notes, error: { code, text: message, hint } })
    }
  }
  return results
}

function isSame(a: SessionRef, b: SessionRef): boolean {
  return a.agent === b.agent && a.sessionId === b.sessionId && a.filePath === b.filePath
}

function refused([session]: readonly SessionRef[], text: string, why: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${text} ${why}`,
    hint: `Read it: ${paste('rethread show', session?.sessionId ?? '')}`,
    ...(session === undefined ? {} : { path: session.filePath }),
  })
}
