// The journal as one of the agents: its conversations are listed, read and checked like the agents' own
// sessions. It writes nothing.
import { dirname } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import type { Store } from '../../agents/store.ts'
import type { DatabaseOptions } from '../../disk/sqlite/read-database.ts'
import type { RowPlace } from '../../model/message.ts'
import type { SessionRef } from '../../model/session.ts'
import { ACP_SESSION_ID } from '../../model/session-id.ts'
import { openJournalReader } from '../store/read-only.ts'
import { discover, JOURNAL_STORE } from './discover.ts'

export const JOURNAL_AGENT = 'journal'

/** The file need not exist. */
export function makeJournalAgent(path: string): Agent {
  return { id: JOURNAL_AGENT, title: 'Journal', isJournal: true, stores: [makeStore(path)] }
}

function makeStore(path: string): Store {
  return {
    name: JOURNAL_STORE,
    title: 'SQLite journal of conversations over ACP',
    // Ids of rethread, or of an agent whose session was adopted.
    sessionId: ACP_SESSION_ID,
    traits: {
      framing: 'sqlite',
      linkedByParent: false,
      headerRecord: false,
      toolPairs: true,
      indexBeside: false,
      appendOnly: false,
    },
    locations: () => [{ path, root: dirname(path) }],
    // One file holds many conversations, so a path alone does not name one.
    discover,
    async *read(session, options) {
      // Loaded lazily: the reducer is slow to load, and most commands read no conversation.
      const { read } = await import('./read.ts')
      return yield* read(session, options)
    },
    readRow,
    resume: () => ({
      type: 'unsupported',
      reason:
        'A journal conversation has no command of its own. Continue it on the page, or in an editor that starts `rethread acp --agent NAME`.',
    }),
  }
}

/** Returns the stored event, or undefined where it no longer exists. */
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
