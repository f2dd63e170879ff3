// Where a journal is unless a person says otherwise. Without the means to open it: most of rethread only wants to know the name.
import { join } from 'node:path'

/** What names the journal of the server that ours can stand in for. */
export const COMPATIBLE_VARIABLE = 'OPENCODE_COMPAT_DB_PATH'

export function defaultJournal(state: string): string {
  return join(state, 'journal.sqlite')
}
