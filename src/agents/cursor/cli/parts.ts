// Reads a large chat in parts: each has some of the messages that the latest root names. A chat whose root is lost is
// read in one.
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { type Finding, Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { RecordCounts } from '../../../model/reading.ts'
import { PART_BYTES } from '../../stores/part-log.ts'
import { makeRowParts } from '../../stores/part-rows.ts'
import type { BlobIds } from './order.ts'
import { blobIdsIn, hashesBetween, readOrder } from './order.ts'
import type { Notes } from './read.ts'
import { endStore, newState, openStore, readMessages } from './read.ts'
import { bytesOfBlob, readStoreFacts } from './store.ts'

interface Known {
  /** The bytes of the ids of message blobs, and the position of the first one in the chat. */
  ids: Uint8Array
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
  // They begin with the position in the chat.
  hasUniqueIds: true,

  *cut(database, session, sizes) {
    openStore(database, session, new Findings())
    const findings = new Findings()
    const order = readOrder(database, readStoreFacts(database), findings)
    const { hashes } = order
    if (findings.list.length > 0 || hashes === undefined) return
    let { workspaces } = order
    for (const [start, end] of cutOrder(database, order, sizes?.part ?? PART_BYTES)) {
      const known = { ids: hashesBetween(hashes, start, end), first: start, workspaces }
      yield { known, messages: end - start }
      workspaces = []
    }
  },

  read(database, _, { ids, first }): Generator<Message, Collected | undefined, void> {
    const state = newState()
    const hashes = Buffer.from(ids.buffer, ids.byteOffset, ids.length)
    return readMessages(database, { ids: blobIdsIn(hashes), first }, state, () => {
      const { findings, counts, notes } = state
      return findings.beyondLimit > 0 ? undefined : { findings: findings.list, counts, notes }
    })
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

/** The positions between which so many bytes stand. */
function* cutOrder(
  database: Database,
  { count, idsBetween }: BlobIds,
  partBytes: number,
): Generator<[number, number], void, void> {
  let start = 0
  let bytes = 0
  let weight = 0
  for (let at = 0; at < count; at++) {
    if (at % MEASURED === 0) for (const id of idsBetween(at, at + 1)) weight = bytesOfBlob(database, id)
    bytes += weight
    if (bytes < partBytes && at < count - 1) continue
    yield [start, at + 1]
    start = at + 1
    bytes = 0
  }
}
