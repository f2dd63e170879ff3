// The default path of the journal. Separate from open.ts, because most commands need only the name.
import { join } from 'node:path'

/** The variable that names the journal of the server that rethread is compatible with. */
export const COMPATIBLE_VARIABLE = 'OPENCODE_COMPAT_DB_PATH'

export function defaultJournal(state: string): string {
  return join(state, 'journal.sqlite')
}
