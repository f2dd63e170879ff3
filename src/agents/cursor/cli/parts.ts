// Reads a large chat in parts: each has some of the messages that the latest root names. A chat whose root is lost is
// read in one.
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { type Finding, Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { RecordCounts } from '../../../model/reading.ts'
import { PART_BYTES } from '../../stores/part-log.ts'
import { makeRowParts } from '../../stores/part-rows.ts'
import { ID_BYTES, type MessageOrder, readOrder } from './order.ts'
import type { Notes } from './read.ts'
import { endStore, newState, openStore, readMessage } from './read.ts'
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
    if (findings.list.length > 0) return
    let { workspaces } = order
    for (const [start, end] of cutOrder(database, order, sizes?.part ?? PART_BYTES)) {
      yield { known: { ids: idsBetween(order, start, end), first: start, workspaces }, messages: end - start }
      workspaces = []
    }
  },

  *read(database, _, { ids, first }): Generator<Message, Collected | undefined, void> {
    const state = newState()
    for (const [at, id] of idsIn(ids).entries()) {
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

function idsBetween({ idAt }: MessageOrder, start: number, end: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow((end - start) * ID_BYTES)
  for (let at = start; at < end; at++) bytes.write(idAt(at), (at - start) * ID_BYTES, 'hex')
  return bytes
}

function idsIn({ buffer, byteOffset, length }: Uint8Array): string[] {
  const bytes = Buffer.from(buffer, byteOffset, length)
  return Array.from({ length: length / ID_BYTES }, (_, at) => bytes.toString('hex', at * ID_BYTES, (at + 1) * ID_BYTES))
}

/** One of so many blobs is measured, and stands for those after it. */
const MEASURED = 16

/** The positions between which so many bytes stand. */
function* cutOrder(
  database: Database,
  { count, idAt }: MessageOrder,
  partBytes: number,
): Generator<[number, number], void, void> {
  let start = 0
  let bytes = 0
  let weight = 0
  for (let at = 0; at < count; at++) {
    if (at % MEASURED === 0) weight = bytesOfBlob(database, idAt(at))
    bytes += weight
    if (bytes < partBytes && at < count - 1) continue
    yield [start, at + 1]
    start = at + 1
    bytes = 0
  }
}
