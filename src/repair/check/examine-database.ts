// Examines a session in a database: what the damage classes find, what they would change, and what the agent
// would load. Where pages are damaged, the rows are examined in a rebuilt copy, as they would be after the
// repair.
import { dirname } from 'node:path'
import type { DatabaseRepair } from '../../agents/repair.ts'
import { statementOf } from '../../disk/sqlite/values.ts'
import { hasErrorCode } from '../../model/errors.ts'
import { type Finding, Findings } from '../../model/finding.ts'
import type { Change, RebuildDatabase, Refusal } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Loads } from '../../model/verdict.ts'
import type { DatabaseDamage, DatabaseSubject, Detected } from '../damage/damage.ts'
import { type PagesResult, withPages } from './database-pages.ts'
import type { Examination, Examine } from './examination.ts'

export const examineDatabase: Examine<'sqlite'> = async (session, traits, repair, damages, { isLive }) => {
  const applicable = damages.filter(damage => damage.appliesTo(traits, repair))
  return await withPages(session, repair, async pages => {
    const examined = pages.rebuilt === undefined ? session : moveTo(session, pages.rebuilt.path)
    const subject: DatabaseSubject = { session: examined, traits, repair, isLive, pages: pages.check }
    const results = new DatabaseResults(session.filePath, examined.filePath)
    for (const damage of applicable) await results.add(subject, damage)
    const loads = await countLoads(session, examined, repair, pages)
    return {
      findings: results.findings.list,
      moreFindings: results.findings.beyondLimit,
      changes: joinRebuild(results.changes),
      refusals: results.refusals,
      loads: results.changes.length === 0 ? { now: loads.now, afterRepair: loads.now } : loads,
      chainDepth: loads.now,
      orphanCount: 0,
      messageCount: Math.max(loads.now, loads.afterRepair),
    } satisfies Examination
  })
}

function moveTo(session: SessionRef, filePath: string): SessionRef {
  return { ...session, filePath, storeRoot: dirname(filePath) }
}

/** Findings and changes, with the path of the database itself instead of its copy. */
class DatabaseResults {
  readonly findings = new Findings()
  readonly refusals: Refusal[] = []
  readonly changes: Change[] = []
  readonly #path: string
  readonly #examinedPath: string

  constructor(path: string, examinedPath: string) {
    this.#path = path
    this.#examinedPath = examinedPath
  }

  async add(subject: DatabaseSubject, damage: DatabaseDamage): Promise<void> {
    const detected = await detect(subject, damage)
    if (detected.length === 0) return
    for (const { finding } of detected) this.findings.add(this.#withRealPath(finding))
    const planned = damage.plan(subject, detected)
    this.changes.push(...planned.changes.map(change => ({ ...change, file: this.#pathOf(change.file) })))
    for (const reason of new Set(planned.refused.map(refused => refused.reason)))
      this.refusals.push({ damage: damage.id, reason, file: this.#path })
  }

  #withRealPath(finding: Finding): Finding {
    return { ...finding, at: { ...finding.at, file: this.#pathOf(finding.at.file) } }
  }

  #pathOf(file: string): string {
    return file === this.#examinedPath ? this.#path : file
  }
}

/** With damaged pages, rows are examined as far as they can be read. */
async function detect(subject: DatabaseSubject, damage: DatabaseDamage): Promise<Detected[]> {
  try {
    return await damage.detect(subject)
  } catch (error) {
    if ((subject.pages?.problems.length ?? 0) > 0 && isDamageError(error)) return []
    throw error
  }
}

async function countLoads(
  session: SessionRef,
  examined: SessionRef,
  repair: DatabaseRepair,
  pages: PagesResult,
): Promise<Loads> {
  if (pages.check.problems.length === 0) return await repair.countMessages(session)
  const now = await countDamaged(session, repair)
  if (pages.rebuilt === undefined) return { now: now.now, afterRepair: now.now }
  const after = await countDamaged(examined, repair)
  return { now: now.now, afterRepair: after.afterRepair }
}

/** The agent loads nothing of a session that it cannot read to its end. */
async function countDamaged(session: SessionRef, repair: DatabaseRepair): Promise<Loads> {
  try {
    return await repair.countMessages(session)
  } catch (error) {
    if (isDamageError(error)) return { now: 0, afterRepair: 0 }
    throw error
  }
}

/** Tables and rows can be lost together with a page. */
function isDamageError(error: unknown): boolean {
  return (['database-corrupt', 'not-a-session', 'session-not-found'] as const).some(code => hasErrorCode(error, code))
}

/**
 * A database is changed in one way at a time. Row changes in a database that is rebuilt become part of the
 * rebuild.
 */
function joinRebuild(changes: readonly Change[]): Change[] {
  const rebuild = changes.find((change): change is RebuildDatabase => change.type === 'rebuild-database')
  if (rebuild === undefined) return [...changes]
  const isOwn = (change: Change) => change.type === 'row' && change.file === rebuild.file
  const rows = changes.flatMap(change => (change.type === 'row' && isOwn(change) ? [change] : []))
  const others = changes.filter(change => change !== rebuild && !isOwn(change))
  if (rows.length === 0) return [rebuild, ...others]
  const reason = `${rebuild.reason}; then ${rows.map(row => `${row.table} ${Object.values(row.key).join(', ')} ${row.reason}`).join('; ')}`
  return [{ ...rebuild, reason, fills: [...(rebuild.fills ?? []), ...rows.map(statementOf)] }, ...others]
}
