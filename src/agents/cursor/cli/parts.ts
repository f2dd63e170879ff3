// Reads a large chat in parts: each has some of the messages that the latest root names. A chat whose root is lost is
// read in one.
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { type Finding, Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { RecordCounts } from '../../../model/reading.ts'
import { PART_BYTES } from '../../stores/part-log.ts'
import { makeRowParts } from '../../stores/part-rows.ts'
import { readOrder } from './order.ts'
import type { Notes } from './read.ts'
import { endStore, newState, openStore, readMessage } from './read.ts'
import { bytesOfBlob, readStoreFacts } from './store.ts'

interface Known {
  /** Ids of message blobs, and the position of the first one in the chat. */
  ids: string[]
  first: number
  /** Of the root. Empty in all parts but the first. */
  workspaces: string[]
}

interface Collected {
  findings: Finding[]
  counts: RecordCounts
  notes: Notes
}

export const parts = makeRowParts<Known, Collected>({
  *cut(database, session, sizes) {
    openStore(database, session, new Findings())
    const findings = new Findings()
    const { ids, workspaces } = readOrder(database, readStoreFacts(database), findings)
    if (findings.list.length > 0) return
    let rest = workspaces
    for (const [start, end] of cutIds(database, ids, sizes?.part ?? PART_BYTES)) {
      yield { known: { ids: ids.slice(start, end), first: start, workspaces: rest }, messages: end - start }
      rest = []
    }
  },

  *read(database, _, { ids, first }): Generator<Message, Collected | undefined, void> {
    const state = newState()
    for (const [at, id] of ids.entries()) {
      const message = readMessage(database, first + at, id, state)
      if (message !== undefined) yield message
    }
    const { findings, counts, notes } = state
    return findings.beyondLimit > 0 ? undefined : { findings: findings.list, counts, notes }
  },

  end(database, session, read) {
    const state = newState()
    const opened = openStore(database, session, state.findings)
    for (const { collected } of read) {
      for (const finding of collected.findings) state.findings.add(finding)
      for (const name of ['records', 'unknown', 'skipped'] as const) state.counts[name] += collected.counts[name]
      const { prompt, named } = collected.notes
      if (prompt !== undefined) state.notes.prompt ??= prompt
      state.notes.named.push(...named)
    }
    return endStore(session, opened, read[0]?.known.workspaces ?? [], state)
  },
})

/** One of so many blobs is measured, and stands for those after it. */
const MEASURED = 16

/** The places between which so many bytes stand. */
function* cutIds(
  database: Database,
  ids: readonly string[],
  partBytes: number,
): Generator<[number, number], void, void> {
  let start = 0
  let bytes = 0
  let weight = 0
  for (const [at, id] of ids.entries()) {
    if (at % MEASURED === 0) weight = bytesOfBlob(database, id)
    bytes += weight
    if (bytes < partBytes && at < ids.length - 1) continue
    yield [start, at + 1]
    start = at + 1
    bytes = 0
  }
}
