// Imports the conversations of another server's database into the journal. The database stays as it is. A
// second import adds what is new.

import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { openJournalReader } from '../store/read-only.ts'
import type { JournalStore } from '../store/store.ts'
import { hasForeignTables, readForeign } from './read-foreign.ts'
import { toEnvelopes } from './to-envelopes.ts'

export interface Imported {
  sessions: number
  events: number
  /** Sessions that the journal has already. */
  known: number
  /** Rows that hold no message. */
  skipped: number
}

/** Throws `unsupported` for a database with other tables. */
export async function importForeign(path: string, store: JournalStore): Promise<Imported> {
  const reader = openJournalReader(path)
  try {
    return await reader.use(async connection => {
      if (!hasForeignTables(connection)) throw otherTables(path)
      const imported: Imported = { sessions: 0, events: 0, known: 0, skipped: 0 }
      for (const { session, destroyedAt, metadata, events, skipped } of readForeign(connection)) {
        if ((await store.getSession(session.id)) !== undefined) {
          imported.known++
          continue
        }
        const envelopes = toEnvelopes(events)
        await store.createSession(session, metadata)
        if (envelopes.length > 0) await store.append(session.id, envelopes)
        if (destroyedAt !== undefined) await store.destroySession(session.id, destroyedAt)
        imported.sessions++
        imported.events += envelopes.length
        imported.skipped += skipped
      }
      return imported
    })
  } finally {
    reader.close()
  }
}

function otherTables(path: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} has no sessions that can be imported: its tables are not known.`,
    hint: `See what it contains: sqlite3 -readonly ${quote(path)} .schema`,
    path,
  })
}
