// Databases whose rows rethread must not write. Unreadable rows are reported and left alone. A damaged file
// is still rebuilt.
import { basename } from 'node:path'
import { databaseMark } from '../../disk/sqlite/read-database.ts'
import type { Finding } from '../../model/finding.ts'
import { isConversation } from '../../model/message.ts'
import type { SessionRef } from '../../model/session.ts'
import type { DatabaseRepair, RowProblem } from '../repair.ts'
import type { Store } from '../store.ts'

const REFUSED = 'Unreadable rows of this store are left unchanged: only the agent knows how to write them.'

const adapters = new WeakMap<Store['read'], DatabaseRepair>()

/**
 * `read` is the agent's reader. Its count is what the agent loads, as far as known. There is one adapter for
 * each reader, because it caches the last reading.
 */
export function readOnlyRepair(read: Store['read']): DatabaseRepair {
  const adapter = adapters.get(read) ?? makeAdapter(read)
  adapters.set(read, adapter)
  return adapter
}

function makeAdapter(read: Store['read']): DatabaseRepair {
  let last: { key: string; read: ReadThrough } | undefined
  // One reading answers both questions.
  const readOnce = async (session: SessionRef): Promise<ReadThrough> => {
    const key = [session.identity, session.sessionId, session.filePath, databaseMark(session.filePath)].join(' ')
    if (last?.key !== key) last = { key, read: await readThrough(read, session) }
    return last.read
  }
  return {
    framing: 'sqlite',
    isRepairable: false,
    companions: databaseCompanions,
    async findBadRows(session) {
      return (await readOnce(session)).problems
    },
    async countMessages(session) {
      const { messages } = await readOnce(session)
      return { now: messages, afterRepair: messages }
    },
  }
}

/**
 * A commit is in the WAL before it is in the database. A page can be damaged without a change of the
 * session's rows.
 */
export function databaseCompanions({ filePath }: SessionRef): string[] {
  return [`${filePath}-wal`, `${filePath}-journal`]
}

interface ReadThrough {
  messages: number
  problems: RowProblem[]
}

async function readThrough(read: Store['read'], session: SessionRef): Promise<ReadThrough> {
  // A message with an id that was already given replaces the earlier one.
  const ids = new Set<string>()
  const reading = read(session)
  let step = await reading.next()
  for (; !step.done; step = await reading.next()) if (isConversation(step.value)) ids.add(step.value.id)
  return { messages: ids.size, problems: step.value.findings.filter(isLost).map(describe) }
}

function isLost({ severity }: Finding): boolean {
  return severity === 'lost'
}

function describe({ at, text }: Finding): RowProblem {
  // Some stores have files beside the database.
  const place = 'table' in at ? { table: at.table, row: at.row } : { table: basename(at.file), row: at.start }
  return { kind: 'unreadable', ...place, text, changes: [], refused: REFUSED }
}
