// Whether the pages of a database are sound, and what a rebuild would save of one whose pages are not.
// Creates and changes nothing beside the database.
import { basename, join } from 'node:path'
import { hasErrorCode } from '../../model/errors.ts'
import type { PageProblem } from '../../model/page-check.ts'
import { statPath } from '../files/read.ts'
import { makePrivateFolder } from '../state/private-folder.ts'
import { fromSqliteError, isCorruption } from './errors.ts'
import { type Database, type DatabaseOptions, readDatabase, readStandIn } from './read-database.ts'
import { type RebuildReport, rebuildDatabase } from './rebuild.ts'

/** A database that was overwritten by something else has one problem for each page. */
const MAX_PROBLEMS = 100

/** Reports each damaged page once. Throws `database-busy` and the errors of an unreadable file. */
export async function checkPages(
  path: string,
  storeRoot: string,
  options: DatabaseOptions = {},
): Promise<PageProblem[]> {
  try {
    return await readDatabase(path, storeRoot, quickCheck, options)
  } catch (error) {
    if (!hasErrorCode(error, 'database-corrupt') || !(error instanceof Error)) throw error
    return [{ text: error.message, start: 0, end: Number(statPath(path).size) }]
  }
}

function quickCheck(database: Database): PageProblem[] {
  const lines = readLines(database)
  if (lines.length === 0) return []
  const pageBytes = Number(database.all('PRAGMA page_size')[0]?.['page_size'])
  const names = new Map(
    database
      .all('SELECT rootpage, type, name FROM sqlite_schema WHERE rootpage > 0')
      .map(({ rootpage, type, name }) => [Number(rootpage), `${type} ${name}`]),
  )
  const problems = lines.map(line => describe(line, pageBytes, names))
  const ofPages = problems.filter(({ end }) => end > 0)
  // Inconsistencies follow from damaged pages, so they are reported only where no page is damaged.
  const reported = ofPages.length > 0 ? ofPages : problems
  return [...new Map(reported.map(problem => [problem.text, problem] as const)).values()]
}

/** SQLite checks the pages first and then the rows. It stops checking rows at the first damage. */
function readLines(database: Database): string[] {
  const lines: string[] = []
  try {
    for (const row of database.each(`PRAGMA quick_check(${MAX_PROBLEMS})`))
      lines.push(...String(row['quick_check']).split('\n').filter(isOfPages))
    return lines
  } catch (error) {
    if (isCorruption(error) && lines.length > 0) return lines
    throw error
  }
}

function isOfPages(line: string): boolean {
  return line !== 'ok' && !NOT_OF_PAGES.test(line)
}

/**
 * The name of the database, unused space, and rows that break a rule of their table, which only concern the
 * agent.
 */
const NOT_OF_PAGES = /^\*\*\*|never used|^(NULL|TEXT|NUMERIC|CHECK|non-)|^$/

const OF_PAGE = /^(?:Tree (\d+) |On tree )?page (\d+)/i

function describe(line: string, pageBytes: number, names: ReadonlyMap<number, string>): PageProblem {
  const [, tree, page] = OF_PAGE.exec(line) ?? []
  if (page === undefined) return { text: `SQLite says: ${line}`, start: 0, end: 0 }
  const owner = names.get(Number(tree))
  const start = (Number(page) - 1) * pageBytes
  return { text: `Page ${page}${owner === undefined ? '' : ` of ${owner}`} is damaged.`, start, end: start + pageBytes }
}

export interface Trial {
  /** The new database. */
  path: string
  report: RebuildReport
  /** The caller must call it. */
  remove(): void
}

/** Rebuilds into a private folder. Throws `database-corrupt` where nothing can be saved. */
export function tryRebuild(path: string, fills: readonly string[]): Trial {
  const { folder, remove } = makePrivateFolder()
  try {
    const into = join(folder, basename(path))
    return { path: into, report: rebuildDatabase(path, into, fills), remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Reads what a rebuild would leave, from a temporary copy. */
export function readRebuilt<T>(path: string, fills: readonly string[], use: (database: Database) => T): T {
  const { path: rebuilt, remove } = tryRebuild(path, fills)
  try {
    return readStandIn(rebuilt, path, use)
  } catch (error) {
    throw fromSqliteError(error, path)
  } finally {
    remove()
  }
}

export function describeLosses({ tables, unusable, unfilled }: RebuildReport): string[] {
  const rows = tables.flatMap(({ table, lost, ignored }) => [
    ...lost.map(range => `table ${table}: ${'row' in range ? `row ${range.row}` : nameRange(range)}`),
    ...(ignored === 0 ? [] : [`table ${table}: ${ignored} rows that break its rules`]),
  ])
  return [...rows, ...unusable.map(name => `the definition of ${name}`), ...unfilled.map(why => `not filled: ${why}`)]
}

function nameRange({ after, before }: { after: string; before: string }): string {
  if (after === '') return before === '' ? 'all rows' : `rows before ${before}`
  return before === '' ? `rows after ${after}` : `rows between ${after} and ${before}`
}
