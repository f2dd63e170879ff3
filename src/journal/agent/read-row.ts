// One event as it is stored.

import type { DatabaseOptions } from '../../disk/sqlite/read-database.ts'
import type { RowPlace } from '../../model/message.ts'
import type { SessionRef } from '../../model/session.ts'
import { openJournalReader } from '../store/read-only.ts'

/** Undefined where it no longer exists. */
export async function readRow(
  { sessionId, filePath }: SessionRef,
  { row }: RowPlace,
  options?: DatabaseOptions,
): Promise<Record<string, unknown> | undefined> {
  const reader = openJournalReader(filePath, options)
  try {
    return await reader.use(
      connection => connection.run('SELECT * FROM events WHERE session_id = ? AND seq = ?', [sessionId, row]).rows[0],
    )
  } finally {
    reader.close()
  }
}
