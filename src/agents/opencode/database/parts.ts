// Reads a large session of the database in parts: each has some messages, which are named by their places in one table.
import type { Database } from '../../../disk/sqlite/read-database.ts'
import type { Message } from '../../../model/message.ts'
import { PART_BYTES } from '../../stores/part-log.ts'
import { type CutPart, makeRowParts, WORTH_BYTES } from '../../stores/part-rows.ts'
import { ConversationBuilder, type TakenMessages } from '../conversation.ts'
import { endConversation, inOrder, openConversation, RowReader } from './read.ts'
import { bytesOfFound, findMessageRows, findNewerRows, selectFound, waitingInputs } from './rows.ts'

interface Known {
  isNewer: boolean
  rows: number[]
  isLast: boolean
}

interface Collected {
  taken: TakenMessages
  /** How many parts of messages were read. */
  parts: number
}

export const parts = makeRowParts<Known, Collected>({
  *cut(database, session, sizes) {
    // The messages after a revert depend on where it was.
    if (openConversation(database, session).info.revert !== undefined) return
    const found = findRows(database, session.sessionId)
    if (found === undefined) return
    const weights = weigh(database, found)
    if (sizes === undefined && weights.total < WORTH_BYTES) return
    yield* cutAt(found, weights, sizes?.part ?? PART_BYTES)
  },

  *read(database, { sessionId }, { isNewer, rows, isLast }): Generator<Message, Collected | undefined, void> {
    const conversation = new ConversationBuilder(sessionId, {}, undefined)
    const reader = new RowReader(database, conversation)
    const sql = selectFound(database, isNewer)
    for (const at of rows) {
      const row = database.get(sql, at)
      if (row === undefined) return undefined
      const shown = reader.take({ isNewer, row })
      if (shown !== undefined) yield shown
    }
    if (isLast)
      for (const waiting of waitingInputs(database, sessionId)) {
        const shown = reader.takeWaiting(waiting)
        if (shown !== undefined) yield shown
      }
    const taken = conversation.taken()
    return taken && { taken, parts: reader.parts }
  },

  end(database, session, read) {
    const conversation = openConversation(database, session)
    let parts = 0
    for (const { collected } of read) {
      conversation.add(collected.taken)
      parts += collected.parts
    }
    return endConversation(database, session, conversation, parts)
  },
})

/** In the order of the session. */
interface FoundRows {
  rows: number[]
  isNewer: boolean[]
}

/** Undefined if one has a number that is not exact. */
function findRows(database: Database, sessionId: string): FoundRows | undefined {
  const found: FoundRows = { rows: [], isNewer: [] }
  for (const { isNewer, row } of inOrder(findMessageRows(database, sessionId), findNewerRows(database, sessionId))) {
    if (typeof row['row'] !== 'number') return undefined
    found.rows.push(row['row'])
    found.isNewer.push(isNewer)
  }
  return found
}

/** One of so many rows is measured, and stands for those after it. */
const MEASURED = 16

interface Weights {
  of(at: number): number
  total: number
}

function weigh(database: Database, { rows, isNewer }: FoundRows): Weights {
  const weights: number[] = []
  let total = 0
  for (let at = 0; at < rows.length; at += MEASURED) {
    const bytes = bytesOfFound(database, isNewer[at] === true, rows[at] ?? 0)
    weights.push(bytes)
    total += bytes * Math.min(MEASURED, rows.length - at)
  }
  return { of: at => weights[Math.floor(at / MEASURED)] ?? 0, total }
}

/** Each part is of one table. */
function* cutAt(
  { rows, isNewer }: FoundRows,
  weights: Weights,
  partBytes: number,
): Generator<CutPart<Known>, void, void> {
  let start = 0
  let bytes = 0
  for (let at = 0; at < rows.length; at++) {
    bytes += weights.of(at)
    const isLast = at === rows.length - 1
    if (!isLast && isNewer[at + 1] === isNewer[at] && bytes < partBytes) continue
    const part = rows.slice(start, at + 1)
    yield { known: { isNewer: isNewer[at] === true, rows: part, isLast }, messages: part.length }
    start = at + 1
    bytes = 0
  }
}
