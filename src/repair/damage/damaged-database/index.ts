// A database has pages that SQLite cannot read. Every readable row is copied into a new database; rows cannot
// be repaired in the old one.

import type { PageCheck, PageProblem } from '../../../model/page-check.ts'
import { paste } from '../../../model/paste.ts'
import type { RebuildDatabase } from '../../../model/plan.ts'
import type { DatabaseDamage, DatabaseSubject, Detected } from '../damage.ts'
import { inflict } from './inflict.ts'

const DAMAGE = 'damaged-database'

export const damagedDatabase: DatabaseDamage = {
  id: DAMAGE,
  title: 'damaged pages of a database',
  why: 'Pages of the database file are damaged, usually by a crash or a failing disk. The agent may fail on every session in it. A repair rebuilds the database from all rows that can be read.',
  framing: 'sqlite',
  breaksStore: true,
  appliesTo: () => true,
  detect: subject => (subject.pages?.problems ?? []).map(problem => describe(subject, problem)),
  plan: (subject, detected) => {
    const [first] = detected
    if (first === undefined) return { changes: [], refused: [] }
    const reason = subject.pages?.refused
    if (reason !== undefined) return { changes: [], refused: [{ finding: first.finding, reason }] }
    return { changes: [rebuild(subject)], refused: [] }
  },
  inflict,
}

function describe({ session, pages }: DatabaseSubject, { text, start, end }: PageProblem): Detected {
  const hint =
    pages?.refused === undefined
      ? `Repair it, with the agent closed: ${paste('rethread repair', session.sessionId)}`
      : 'Look for an older copy of the database, such as a backup of the disk.'
  const finding = {
    damage: DAMAGE,
    severity: 'lost' as const,
    at: { file: session.filePath, start, end },
    text: `${text} All sessions in this database are affected.`,
    hint,
  }
  return { finding }
}

/** A longer list would not be read. */
const MAX_LOSSES_LISTED = 5

function rebuild({ session, repair, pages }: DatabaseSubject): RebuildDatabase {
  const fills = repair.fills === undefined ? {} : { fills: repair.fills }
  const reason = `Rebuild the database and keep the old one; ${describeLosses(pages)}`
  return { type: 'rebuild-database', file: session.filePath, damage: DAMAGE, reason, ...fills }
}

function describeLosses({ losses = [], filled = 0 }: Partial<PageCheck> = {}): string {
  if (losses.length === 0) return 'no row is lost'
  const listed = losses.slice(0, MAX_LOSSES_LISTED)
  const more = losses.length > listed.length ? [`${losses.length - listed.length} more`] : []
  const back = filled === 0 ? '' : `; ${filled} rows restored from other tables`
  return `lost with the pages: ${[...listed, ...more].join('; ')}${back}`
}
