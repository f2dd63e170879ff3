// A database has pages that SQLite cannot read. Every readable row is copied into a new database; rows cannot
// be repaired in the old one.
import type { PageCheck, PageProblem } from '../../../model/page-check.ts'
import { paste } from '../../../model/paste.ts'
import type { RebuildDatabase } from '../../../model/plan.ts'
import type { DatabaseDamage, DatabaseSubject, Detected, Inflict, InflictTarget } from '../damage.ts'

/**
 * Overwrites one page of a table with session records, or of one of its indexes, with garbage. Never the
 * first page, because all others are found through it.
 */
const inflict: Inflict = (target, random) => {
  if (target.repair.framing !== 'sqlite') return undefined
  const file = target.session.filePath
  // Pages that are only in the write-ahead log would hide the garbage.
  target.sql(file, 'PRAGMA wal_checkpoint(TRUNCATE)')
  const tables = (target.repair.records ?? []).map(({ table }) => table)
  const pages = pagesOf(target, tables)
  const page = pages[random.below(pages.length)]
  if (page === undefined) return undefined
  const bytes = Buffer.from(target.read(file))
  const start = (page.number - 1) * page.size
  // No valid page starts with such a high byte.
  bytes[start] = 0x80 + random.below(0x80)
  for (let at = start + 1; at < start + page.size; at++) bytes[at] = random.below(256)
  target.write(file, bytes)
  return {
    what: `page ${page.number} (${page.type}) of ${page.name} overwritten`,
    destroyed: rowsBelow(page, pages, tables),
  }
}

interface Page {
  number: number
  size: number
  name: string
  type: string
  rows: number
}

/**
 * Picks an index where no table is known to hold only records: damage to a table could lose a whole session.
 */
function pagesOf({ session, sql }: InflictTarget, tables: readonly string[]): Page[] {
  const which =
    tables.length === 0
      ? "sqlite_schema.type = 'index' AND ncell > 0"
      : `tbl_name IN (${tables.map(() => '?').join(', ')})`
  return sql(
    session.filePath,
    `SELECT pageno, pgsize, dbstat.name AS name, pagetype, ncell FROM dbstat JOIN sqlite_schema ON sqlite_schema.name = dbstat.name
     WHERE ${which} AND pagetype <> 'overflow' ORDER BY pageno`,
    ...tables,
  ).map(row => ({
    number: Number(row['pageno']),
    size: Number(row['pgsize']),
    name: String(row['name']),
    type: String(row['pagetype']),
    rows: Number(row['ncell']),
  }))
}

/** Upper limit of lost rows: none for an index, all rows of a table for a page that leads to others. */
function rowsBelow(page: Page, pages: readonly Page[], tables: readonly string[]): number {
  if (!tables.includes(page.name)) return 0
  if (page.type === 'leaf') return page.rows
  return pages
    .filter(({ name, type }) => name === page.name && type === 'leaf')
    .reduce((sum, { rows }) => sum + rows, 0)
}

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
