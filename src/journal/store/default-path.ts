// The default path of the journal. Separate from open.ts, because most commands need only the name.
import { join } from 'node:path'

/** The variable that names the journal of the server that rethread is compatible with. */
export const COMPATIBLE_VARIABLE = 'OPENCODE_COMPAT_DB_PATH'

export function defaultJournal(state: string): string {
  return join(state, 'journal.sqlite')
}

const IMPORTED = '.rethread'

/** The journal for the conversations of another server's database. */
export function importedJournal(path: string): string {
  return `${path}${IMPORTED}`
}

/** The database whose conversations a journal is for. Undefined for any other journal. */
export function importedFrom(journal: string): string | undefined {
  return journal.endsWith(IMPORTED) ? journal.slice(0, -IMPORTED.length) : undefined
}

/** The schema of a database of this kind is at its start, or still in its write-ahead log. */
export const HEAD_BYTES = 256 * 1024

/**
 * Whether the first bytes of a database and of its log are those of another server. Our own journal has a
 * table of migrations before any other.
 */
export function isForeignHead(head: Buffer): boolean {
  return head.includes('CREATE TABLE events') && head.includes('payload_json') && !head.includes('kysely_migration')
}
