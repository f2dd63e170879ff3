// What all damages of rows have in common: the agent's folder finds them and knows the repair; here it is told, and planned where it may be.

import type { RecordColumn, RowProblem } from '../../../agents/repair.ts'
import type { Severity } from '../../../model/finding.ts'
import { paste } from '../../../model/paste.ts'
import type { DatabaseDamage, DatabaseSubject, Detected, Inflict, InflictTarget, Planned, Random } from '../damage.ts'
import { RUNNING_CALL } from './running-call.ts'

export interface RowDamage {
  id: string
  /** Which of the troubles of rows it is. */
  kind: RowProblem['kind']
  title: string
  why: string
  severity: Severity
  /** It may be what somebody is doing at this moment. */
  isOfDeadWriter: boolean
  inflict: Inflict
}

export function makeRowDamage(rows: RowDamage): DatabaseDamage {
  return {
    id: rows.id,
    title: rows.title,
    why: rows.why,
    framing: 'sqlite',
    concerns: () => true,
    detect: async subject => {
      const troubles = await findTroubles(subject)
      return troubles.filter(({ kind }) => kind === rows.kind).map(trouble => describe(rows, subject, trouble))
    },
    plan: (subject, detected) => planRows(rows.id, subject, detected),
    inflict: rows.inflict,
  }
}

/** Several damages ask for the same. */
const found = new WeakMap<DatabaseSubject, Promise<RowProblem[]>>()

function findTroubles(subject: DatabaseSubject): Promise<RowProblem[]> {
  const known = found.get(subject) ?? subject.repair.findBadRows(subject.session)
  found.set(subject, known)
  return known
}

function describe(rows: RowDamage, subject: DatabaseSubject, trouble: RowProblem): Detected {
  const { session, repair } = subject
  const at = { file: session.filePath, table: trouble.table, row: trouble.row }
  if (rows.isOfDeadWriter && subject.isLive) return { finding: { damage: rows.id, at, ...RUNNING_CALL } }
  const isRepairable = repair.isRepairable && trouble.refused === undefined
  const finding = {
    damage: rows.id,
    severity: rows.severity,
    at,
    text: trouble.text,
    hint: isRepairable
      ? `Repair it: ${paste('rethread repair', session.sessionId)}`
      : `Read the rest: ${paste('rethread show', session.sessionId)}`,
  }
  return { finding, detail: trouble }
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

/** For `inflict` alone: one of the session's records, of those whose text fits. */
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
