// Opens the journal for writing.
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { stateFolder } from '../../disk/state/state.ts'
import type { JournalFile, JournalFileOptions } from './database.ts'
import { openJournalFile } from './database.ts'
import type { CommitLimits } from './group-commit.ts'
import { migrate } from './migrations/index.ts'
import type { JournalTables } from './schema.ts'
import { SqlStore } from './sql-store.ts'
import { makeSqliteDialect, runInTransaction, transact } from './sqlite-dialect.ts'
import type { JournalStore } from './store.ts'

export interface JournalOptions extends JournalFileOptions {
  /** How much is written at once, and how much may wait. */
  limits?: Partial<CommitLimits>
  /** A page of events ends after the event that reaches this size. */
  maxPageBytes?: number
}

export function journalPath(state: string): string {
  return join(stateFolder(state), 'journal.sqlite')
}

/** Several processes may open one journal. Each transaction takes its numbers under the file lock. */
export async function openJournal(path: string, options: JournalOptions = {}): Promise<JournalStore> {
  return await openStore(await openJournalFile(path, options), options)
}

export async function openStore(file: JournalFile, options: JournalOptions = {}): Promise<JournalStore> {
  const { path, busyMs } = file
  const writing = { connection: file.writer, path, busyMs }
  const reading = { connection: file.reader, path, busyMs }
  const writer = new Kysely<JournalTables>({ dialect: makeSqliteDialect(writing) })
  const reader = new Kysely<JournalTables>({ dialect: makeSqliteDialect(reading) })
  try {
    await migrate(writer, path)
  } catch (error) {
    file.close()
    throw error
  }
  const { limits, maxPageBytes } = options
  return new SqlStore({
    writer,
    reader,
    path,
    async transact(work) {
      file.assertPresent()
      await transact(writing, async () => await work(writer))
      // Again before the writes are acknowledged: the file may have been removed meanwhile.
      file.assertPresent()
    },
    run: (_, query) => runInTransaction(writing, query),
    close: async () => file.close(),
    ...(limits === undefined ? {} : { limits }),
    ...(maxPageBytes === undefined ? {} : { maxPageBytes }),
  })
}
