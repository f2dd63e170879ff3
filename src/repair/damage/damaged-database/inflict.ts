// Overwrites one page of a table with session records, or of one of its indexes, with garbage. Never the
// first page, because all others are found through it.
import type { Inflict, InflictTarget } from '../damage.ts'

export const inflict: Inflict = (target, random) => {
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
