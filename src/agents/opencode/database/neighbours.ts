// Rebuilds the lost row of a message from its parts and the messages around it, like a lost message file of
// the tree.
import { parseObject } from '../../../bytes/json.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import type { ParsedTreeFile } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import { rebuildMessage } from '../rebuild-message.ts'
import { asMillis, infoFromRow } from '../session-info.ts'
import type { BadRow } from './bad-rows.ts'
import { dataOf, partRows, sessionRow } from './rows.ts'

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
  return asMillis(database.all('SELECT time_created FROM message WHERE id = ?', id)[0]?.['time_created'])
}

function neighbours(database: Database, sessionId: string, id: string): Row[] {
  const side = (operator: '<' | '>', order: string) =>
    database.all(
      `SELECT id, data FROM message WHERE session_id = ?1 AND (time_created, id) ${operator} (SELECT time_created, id FROM message WHERE id = ?2)
       ORDER BY time_created ${order}, id ${order} LIMIT ${NEIGHBOURS}`,
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
