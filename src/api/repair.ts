// repair: repairs sessions so that the agent itself resumes in full.

import type { Chosen, SessionName } from '../catalog/choose-sessions.ts'
import { chooseNamed } from '../catalog/choose-sessions.ts'
import type { Context } from '../catalog/context.ts'
import { findSessions } from '../catalog/find-all.ts'
import type { Recovered } from '../disk/vault/recover.ts'
import type { Failure } from '../model/errors.ts'
import { RethreadError } from '../model/errors.ts'
import type { Change, RowChange, Why } from '../model/plan.ts'
import type { RepairReport, Verdict } from '../model/verdict.ts'
import { checkMany } from '../repair/check/check-many.ts'
import { finishInterrupted } from '../repair/repair.ts'
import type { RepairOfSession as Done, RepairSelection } from '../repair/repair-many.ts'
import { isRepaired, pickDamaged, repairMany } from '../repair/repair-many.ts'
import type { Verdicts } from '../repair/verdicts/verdict-cache.ts'
import { openVerdicts } from '../repair/verdicts/verdict-cache.ts'
import type { Options } from './arguments.ts'
import { openContext, parseArgument, SCHEMAS } from './arguments.ts'

export type RepairOptions = RepairHow & (RepairNamed | RepairAll)

export interface RepairNamed {
  /** Repair these sessions. An empty list repairs none. */
  sessions: readonly SessionName[]
  all?: never
}

export interface RepairAll {
  /** Every damaged session. */
  all: true
  sessions?: never
}

export interface RepairHow extends Options {
  /** Plan without changing anything. Each session then has a `plan`. */
  dryRun?: boolean
  /**
   * Repair at once, even what was written less than ten seconds ago. Open files and the agent's own locks
   * still count.
   */
  force?: boolean
  /**
   * How long to wait in total for sessions that changed a moment ago. Without it, such a session is left
   * unchanged with the status `busy`; `reason.retryAfterMs` says when to try again.
   */
  waitMs?: number
}

export interface RepairResult {
  /**
   * One for each named session. With `all`: one for each session that was damaged or could not be examined.
   */
  sessions: RepairedSession[]
  /** Names that match no session, and stores that could not be searched. */
  failures: Failure[]
  /** Repairs that a crash had interrupted. They are finished or rolled back before the others start. */
  recovered: Recovered[]
}

/** The verdict after the repair, and the report of the repair. */
export interface RepairedSession extends Verdict {
  repair: RepairReport
  /** With `dryRun`: the planned changes. */
  plan?: PlannedChange[]
}

export type PlannedChange =
  | { type: 'patch'; file: string; edits: PlannedEdit[] }
  | ({ type: 'write'; file: string /** In base64. */; bytes: string } & Why)
  | ({ type: 'remove' | 'rebuild-database'; file: string } & Why)
  | ({ type: 'row'; file: string } & Pick<RowChange, 'table' | 'key' | 'change'> & Why)

/** Replaces the bytes from `start` to `end`. Inserts where the two are equal. */
export interface PlannedEdit extends Why {
  start: number
  end: number
  /** In base64. */
  bytes: string
}

/**
 * Repairs sessions as `rethread repair` does. It never changes a session while its agent writes. It keeps a
 * copy and a receipt in the state folder, so that `rethread undo` restores the exact bytes. A refused or
 * failed repair says so in its report. Throws `RethreadError` with the code `usage` for wrong options or an
 * unknown agent.
 */
export async function repair(options: RepairOptions): Promise<RepairResult> {
  const { sessions: names, all, ...how } = parseArgument(SCHEMAS.repair, options, 'repair(options)')
  if ((names === undefined) === (all === undefined)) throw notNamed()
  const context = openContext(how)
  const recovered = how.dryRun === true ? [] : await finishAll(how)
  const choose = (): Promise<Chosen> => (names === undefined ? findSessions(context) : chooseNamed(context, names))
  const chosen = await choose()
  const verdicts = openVerdicts(context.state)
  try {
    const toRepair = names === undefined ? await findDamaged(context, chosen, verdicts) : { ...chosen, unexamined: [] }
    const done = await repairMany(context, toRepair, { ...flagsOf(how), ...waitOf(how), verdicts })
    // A store that could not be searched may be one that was just repaired.
    const isWorthAsking = chosen.failures.length > 0 && done.some(isRepaired)
    const { failures } = isWorthAsking ? await choose() : chosen
    return { sessions: done.map(one => describe(one, how.dryRun === true)), failures, recovered }
  } finally {
    verdicts.close()
    await context.log.flush()
  }
}

/** Uses all agents, whichever are chosen: an agent outside the context could not take its own lock. */
async function finishAll({ home, state }: Options): Promise<Recovered[]> {
  const where = { ...(home === undefined ? {} : { home }), ...(state === undefined ? {} : { state }) }
  return await finishInterrupted(openContext(where))
}

async function findDamaged(context: Context, { sessions }: Chosen, verdicts: Verdicts): Promise<RepairSelection> {
  return pickDamaged(sessions, await checkMany(context, sessions, { verdicts }))
}

function flagsOf({ force = false, dryRun = false }: RepairHow): { force: boolean; dryRun: boolean } {
  return { force, dryRun }
}

function waitOf({ waitMs = 0 }: RepairHow): { maxWaitMs?(): number } {
  if (waitMs === 0) return {}
  let deadline: number | undefined
  return {
    maxWaitMs() {
      deadline ??= performance.now() + waitMs
      return Math.max(0, deadline - performance.now())
    },
  }
}

function describe({ verdict, report, changes }: Done, isDryRun: boolean): RepairedSession {
  return { ...verdict, repair: report, ...(isDryRun ? { plan: changes.map(describeChange) } : {}) }
}

function describeChange(change: Change): PlannedChange {
  const { type, file } = change
  switch (type) {
    case 'patch':
      return {
        type,
        file,
        edits: change.edits.map(edit => ({ ...editOf(edit), bytes: edit.bytes.toString('base64') })),
      }
    case 'write':
      return { type, file, ...whyOf(change), bytes: change.bytes.toString('base64') }
    case 'remove':
    case 'rebuild-database':
      return { type, file, ...whyOf(change) }
    case 'row':
      return { type, file, ...whyOf(change), table: change.table, key: change.key, change: change.change }
  }
}

function editOf({ start, end, ...why }: Why & { start: number; end: number }): Omit<PlannedEdit, 'bytes'> {
  return { start, end, ...whyOf(why) }
}

function whyOf({ damage, reason }: Why): Why {
  return { damage, reason }
}

function notNamed(): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: 'repair(options): Specify either sessions or all.',
    hint: "For example: await repair({ sessions: ['3a51537a'] }), or await repair({ all: true })",
  })
}
