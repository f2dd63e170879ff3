// Makes a row usable again: from the last event about it, else from its own bytes, else from its parts and
// neighbours. If all of these fail, the row is removed.

import { closeObject } from '../../../bytes/close-object.ts'
import { Pieces } from '../../../bytes/edits.ts'
import { parseObject } from '../../../bytes/json.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { textOfBytes } from '../../../disk/sqlite/values.ts'
import type { ProposedRow } from '../../../model/plan.ts'
import type { ParsedTreeFile, RawEdit } from '../../repair.ts'
import { asObject, type Json } from '../../stores/values.ts'
import { rebuildMessage } from '../rebuild-message.ts'
import { asMillis, infoFromRow } from '../session-info.ts'
import { editState } from '../settle-tool.ts'
import { refuses } from '../shapes.ts'
import { type BadRow, isRole, type OpenCall } from './bad-rows.ts'
import { lastData, lastSessionField } from './events.ts'
import { dataOf, messageTime, partRows, sessionRow } from './rows.ts'

export interface RowRepair {
  changes: ProposedRow[]
  /** The content of the row afterwards. Undefined if it is removed. */
  data: string | undefined
}

interface RowContext {
  database: Database
  sessionId: string
}

export function repairMessage(context: RowContext, bad: BadRow): RowRepair {
  const { database, sessionId } = context
  const data =
    fromBlob(bad) ??
    fromEvent(lastData(database, 'message', sessionId, bad.id)) ??
    fromOwnBytes(context, bad, []) ??
    asData(rebuildFromParts(database, sessionId, bad), 'Rebuild it from its parts and from the messages around it')
  if (data !== undefined && isRole(parseObject(Buffer.from(data.text))?.['role'])) return update(context, bad, data)
  // Its parts are removed first: a part without its message is never shown.
  const parts = database.all('SELECT id FROM part WHERE message_id = ? ORDER BY id', bad.id)
  const reason = 'Remove it with its parts, as its content is lost; the receipt keeps everything'
  return {
    changes: [
      ...parts.map(part => remove(context, 'part', String(part['id']), reason)),
      { ...remove(context, 'message', bad.id, reason), expect: { [bad.column]: bad.stored } },
    ],
    data: undefined,
  }
}

export function repairPart(context: RowContext, bad: BadRow): RowRepair {
  const { database, sessionId } = context
  const data =
    fromBlob(bad) ?? fromEvent(lastData(database, 'part', sessionId, bad.id)) ?? fromOwnBytes(context, bad, ['text'])
  if (data !== undefined && parseObject(Buffer.from(data.text)) !== undefined) return update(context, bad, data)
  const reason = 'Remove it, as its content is lost; the receipt keeps it'
  return {
    changes: [{ ...remove(context, 'part', bad.id, reason), expect: { [bad.column]: bad.stored } }],
    data: undefined,
  }
}

/** These columns hold no conversation. If no event has their value, OpenCode accepts an empty one. */
export function repairColumn(context: RowContext, bad: BadRow): ProposedRow {
  const field = bad.column === 'summary_diffs' ? 'summary.diffs' : bad.column
  const last = bad.table === 'session' ? lastSessionField(context.database, context.sessionId, field) : undefined
  const reason = last === undefined ? `Empty ${bad.column}` : `Restore ${bad.column} from its last event`
  return change(context, bad, { [bad.column]: last ?? (bad.column === 'sandboxes' ? '[]' : null) }, reason)
}

export function settleCall({ database }: RowContext, call: OpenCall): ProposedRow | undefined {
  const edits = editState(call.bytes, call.start)
  if (edits === undefined) return undefined
  return {
    type: 'row',
    file: database.path,
    table: 'part',
    key: { id: call.id },
    change: { type: 'update', set: { data: textOfBytes(applyRawEdits(call.bytes, edits)) } },
    expect: { data: textOfBytes(call.bytes) },
    reason: `Mark the call of ${call.tool} as an error with unknown outcome`,
  }
}

interface Data {
  text: string
  reason: string
}

/** JSON that is stored as a blob, which OpenCode refuses. */
function fromBlob({ stored, bytes }: BadRow): Data | undefined {
  if (!(stored instanceof Uint8Array) || parseObject(bytes) === undefined) return undefined
  return { text: textOfBytes(bytes), reason: 'Store it as text' }
}

function fromEvent(data: string | undefined): Data | undefined {
  return asData(data, 'Restore it from its last event')
}

function asData(text: string | undefined, reason: string): Data | undefined {
  return text === undefined ? undefined : { text, reason }
}

/** Uses only the row's own bytes. */
function fromOwnBytes({ sessionId }: RowContext, bad: BadRow, texts: readonly string[]): Data | undefined {
  const ids = { id: bad.id, sessionID: sessionId, ...(bad.messageId === undefined ? {} : { messageID: bad.messageId }) }
  const role = bad.table === 'part' ? 'part' : 'message'
  const closing = closeObject(bad.bytes, texts).find(
    ({ value }) => refuses({ file: '', role, id: bad.id }, { ...value, ...ids }) === undefined,
  )
  if (closing === undefined) return undefined
  const reason = closing.hasCutText
    ? 'Close the JSON where it was cut, in the middle of a text'
    : 'Complete the JSON from its own bytes; the receipt keeps the rest'
  return { text: textOfBytes(applyRawEdits(bad.bytes, closing.edits)), reason }
}

function applyRawEdits(bytes: Buffer, edits: readonly RawEdit[]): Buffer {
  const pieces = Pieces.whole(bytes.length).edit(edits)
  return Buffer.concat([...pieces.chunks(0, pieces.size, (start, end) => [bytes.subarray(start, end)])])
}

function update(context: RowContext, bad: BadRow, { text, reason }: Data): RowRepair {
  return { changes: [change(context, bad, { [bad.column]: text }, reason)], data: text }
}

function change(
  { database }: RowContext,
  bad: BadRow,
  set: Record<string, string | null>,
  reason: string,
): ProposedRow {
  return {
    type: 'row',
    file: database.path,
    table: bad.table,
    key: { id: bad.id },
    change: { type: 'update', set },
    expect: { [bad.column]: bad.stored },
    reason,
  }
}

function remove({ database }: RowContext, table: string, id: string, reason: string): ProposedRow {
  return {
    type: 'row',
    file: database.path,
    table,
    key: { id },
    change: { type: 'delete' },
    reason,
  }
}

// Rebuilds the lost row of a message from its parts and the messages around it, like a lost message file of
// the tree.

/** How many messages before and after it: the model and the agent stay the same over long stretches. */
const NEIGHBOURS = 20

/** The `data` of the row. Undefined if too little is known. */
export function rebuildFromParts(database: Database, sessionId: string, bad: BadRow): string | undefined {
  const created = createdAt(database, bad.id)
  const files = [
    sessionFile(database, sessionId),
    ...neighbours(database, sessionId, bad.id).flatMap(row => file('message', row, { sessionID: sessionId })),
    ...partRows(database, bad.id).flatMap(row => file('part', row, { sessionID: sessionId, messageID: bad.id })),
  ]
  const rebuilt = rebuildMessage({ file: '', role: 'message', id: bad.id, bytes: bad.bytes, value: undefined }, files)
  const value = 'refused' in rebuilt ? undefined : parseObject(rebuilt.bytes)
  if (value === undefined) return undefined
  const { id: _, sessionID: __, time, ...data } = value
  return JSON.stringify({ ...data, time: { ...asObject(time), ...(created === undefined ? {} : { created }) } })
}

function createdAt(database: Database, id: string): number | undefined {
  return asMillis(database.all(`SELECT ${messageTime(database)} AS time FROM message WHERE id = ?`, id)[0]?.['time'])
}

function neighbours(database: Database, sessionId: string, id: string): Row[] {
  const time = messageTime(database)
  const side = (operator: '<' | '>', order: string) =>
    database.all(
      `SELECT id, data FROM message WHERE session_id = ?1 AND (${time}, id) ${operator} (SELECT ${time}, id FROM message WHERE id = ?2)
       ORDER BY ${time} ${order}, id ${order} LIMIT ${NEIGHBOURS}`,
      sessionId,
      id,
    )
  return [...side('<', 'DESC').reverse(), ...side('>', 'ASC')]
}

/** With the ids, which are columns here and fields in a file. */
function file(role: 'message' | 'part', row: Row, ids: Json): ParsedTreeFile[] {
  const id = String(row['id'])
  const data = dataOf(row)
  const of = ids['messageID']
  if (data === undefined) return []
  return [
    {
      file: '',
      role,
      id,
      bytes: Buffer.alloc(0),
      value: { ...data, id, ...ids },
      ...(typeof of === 'string' ? { of } : {}),
    },
  ]
}

function sessionFile(database: Database, sessionId: string): ParsedTreeFile {
  const info = infoFromRow(sessionRow(database, sessionId) ?? {})
  const value = { directory: info.directory, projectID: info.projectId, time: { created: info.createdAt } }
  return { file: '', role: 'session', id: sessionId, bytes: Buffer.alloc(0), value }
}
