// Shared by all row damage classes. The agent's folder finds the damage and knows the repair; this module
// reports it and plans the repair where it is safe.

import type { RecordColumn, RowProblem } from '../../../agents/repair.ts'
import type { Severity } from '../../../model/finding.ts'
import { paste } from '../../../model/paste.ts'
import type { DatabaseDamage, DatabaseSubject, Detected, Inflict, InflictTarget, Planned, Random } from '../damage.ts'
import { RUNNING_CALL } from '../damage.ts'

export interface RowDamage {
  id: string
  /** The kind of row problem that this class handles. */
  kind: RowProblem['kind']
  title: string
  why: string
  severity: Severity
  /** Damage only once the writer is gone: the agent may be doing this at the moment. */
  needsDeadWriter: boolean
  inflict: Inflict
}

export function makeRowDamage(rows: RowDamage): DatabaseDamage {
  return {
    id: rows.id,
    title: rows.title,
    why: rows.why,
    framing: 'sqlite',
    appliesTo: () => true,
    detect: async subject => {
      const problems = await findRowProblems(subject)
      return problems.filter(({ kind }) => kind === rows.kind).map(problem => describe(rows, subject, problem))
    },
    plan: (subject, detected) => planRows(rows.id, subject, detected),
    inflict: rows.inflict,
  }
}

/** Several damage classes need the same result. */
const found = new WeakMap<DatabaseSubject, Promise<RowProblem[]>>()

function findRowProblems(subject: DatabaseSubject): Promise<RowProblem[]> {
  const known = found.get(subject) ?? subject.repair.findBadRows(subject.session)
  found.set(subject, known)
  return known
}

function describe(rows: RowDamage, subject: DatabaseSubject, problem: RowProblem): Detected {
  const { session, repair } = subject
  const at = { file: session.filePath, table: problem.table, row: problem.row }
  if (rows.needsDeadWriter && subject.isLive) return { finding: { damage: rows.id, at, ...RUNNING_CALL } }
  const isRepairable = repair.isRepairable && problem.refused === undefined
  const finding = {
    damage: rows.id,
    severity: rows.severity,
    at,
    text: problem.text,
    hint: isRepairable
      ? `Repair it: ${paste('rethread repair', session.sessionId)}`
      : `Read the rest: ${paste('rethread show', session.sessionId)}`,
  }
  return { finding, detail: problem }
}

function planRows(damage: string, { repair }: DatabaseSubject, detected: readonly Detected[]): Planned {
  const planned: Planned = { changes: [], refused: [] }
  for (const { finding, detail } of detected) {
    if (finding.severity === 'updating') continue
    const { refused, changes } = detail as RowProblem
    const reason = refused ?? (repair.isRepairable ? undefined : 'Only the agent itself writes rows of this store.')
    if (reason === undefined) planned.changes.push(...changes.map(change => ({ ...change, damage })))
    else planned.refused.push({ finding, reason })
  }
  return planned
}

export interface BreakableRow extends RecordColumn {
  id: string
  text: string
}

/** For `inflict` only: picks one of the session's records whose text matches. */
export function pickRow(
  { repair, session, sql }: InflictTarget,
  random: Random,
  fits: (text: string) => boolean = () => true,
): BreakableRow | undefined {
  if (repair.framing !== 'sqlite') return undefined
  const rows = (repair.records ?? []).flatMap(record =>
    sql(
      session.filePath,
      `SELECT ${record.key} AS id, ${record.column} AS text FROM ${record.table} WHERE ${record.session} = ? ORDER BY 1`,
      session.sessionId,
    ).flatMap(({ id, text }): BreakableRow[] =>
      typeof text === 'string' && fits(text) ? [{ ...record, id: String(id), text }] : [],
    ),
  )
  return rows.length === 0 ? undefined : rows[random.below(rows.length)]
}

export function writeRow({ session, sql }: InflictTarget, row: BreakableRow, value: string | Uint8Array): void {
  sql(session.filePath, `UPDATE ${row.table} SET ${row.column} = ? WHERE ${row.key} = ?`, value, row.id)
}
