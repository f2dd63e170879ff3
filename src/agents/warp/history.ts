// A conversation without tasks: the person's prompts and the commands, from two other tables. The agent's
// answers are not in them.
import { stripVTControlCharacters } from 'node:util'
import { parseJson } from '../../bytes/json.ts'
import type { Database, Row } from '../../disk/sqlite/read-database.ts'
import type { Findings } from '../../model/finding.ts'
import type { Message, Part, RowPlace } from '../../model/message.ts'
import type { RecordCounts } from '../../model/reading.ts'
import { asObject, asText } from '../stores/values.ts'
import { noteMalformedQuery } from './damage.ts'
import { CONVERSATION_OF_BLOCK, queryItems, queryText } from './overview.ts'
import { bytesOf, hasColumns, rowNumber, textOf, texts, timeOf } from './rows.ts'

export interface HistoryRow {
  table: 'ai_queries' | 'blocks'
  row: string
  time: string
}

/** The rows of a conversation in the order of their times. */
export function historyRows(database: Database, conversationId: string): HistoryRow[] {
  const rows: HistoryRow[] = []
  const add = (table: HistoryRow['table'], where: string) => {
    const sql = `SELECT CAST(rowid AS TEXT) AS row, ${texts(database, table, 'start_ts')} FROM ${table} WHERE ${where} ORDER BY rowid`
    for (const row of database.each(sql, conversationId))
      rows.push({ table, row: textOf(row, 'row') ?? '', time: timeOf(row, 'start_ts') ?? '' })
  }
  if (hasColumns(database, 'ai_queries', 'conversation_id')) add('ai_queries', 'conversation_id = ?')
  if (hasColumns(database, 'blocks', 'ai_metadata')) add('blocks', `${CONVERSATION_OF_BLOCK} = ?`)
  return rows.sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? -1 : 1))
}

const ONLY_HALF =
  'Warp stores no transcript of this conversation. Only the prompts and the commands are known, not the answers of the agent.'

export function* readHistory(
  database: Database,
  rows: HistoryRow[],
  findings: Findings,
  counts: RecordCounts,
): Generator<Message, void, void> {
  for (const [i, row] of rows.entries()) {
    const at = { file: database.path, table: row.table, row: rowNumber(row.row) }
    if (i === 0) yield { id: '@', role: 'system', time: null, parts: [{ type: 'notice', text: ONLY_HALF }], at }
    counts.records++
    if (row.table === 'blocks') yield* blockMessages(storedRow(database, row, blockColumns(database)), at)
    else yield* queryMessages(database, row, at, findings, counts)
  }
}

function storedRow(database: Database, { table, row }: HistoryRow, columns: string): Row | undefined {
  return database.all(`SELECT ${columns} FROM ${table} WHERE rowid = ?`, row)[0]
}

function queryMessages(
  database: Database,
  place: HistoryRow,
  at: RowPlace,
  findings: Findings,
  counts: RecordCounts,
): Message[] {
  const row = storedRow(database, place, texts(database, 'ai_queries', 'start_ts', 'input'))
  const items = queryItems(textOf(row, 'input') ?? '[]')
  if (items === undefined) {
    counts.skipped++
    noteMalformedQuery(database, place.row, findings)
    return []
  }
  // Follow-ups of the agent to itself have no input.
  if (items.length === 0) counts.bookkeeping++
  const time = timeOf(row, 'start_ts') ?? null
  return items.map((item, i): Message => {
    const text = queryText(item)
    const id = `query-${at.row}-${i}`
    if (text !== undefined) return { id, role: 'user', time, parts: [{ type: 'text', text }], at }
    counts.unknown++
    const recordType = Object.keys(item)[0] ?? '(none)'
    return { id, role: 'system', time, parts: [{ type: 'unknown', recordType, value: item }], at }
  })
}

function blockColumns(database: Database): string {
  const columns = database.columns('blocks')
  const blobs = ['stylized_command', 'stylized_output'].map(name =>
    columns.has(name) ? `CAST(${name} AS BLOB) AS ${name}` : `NULL AS ${name}`,
  )
  const rest = texts(
    database,
    'blocks',
    'block_id',
    'ai_metadata',
    'exit_code',
    'did_execute',
    'start_ts',
    'completed_ts',
  )
  return [...blobs, rest].join(', ')
}

function blockMessages(row: Row | undefined, at: RowPlace): Message[] {
  const metadata = asObject(parseJson(Buffer.from(textOf(row, 'ai_metadata') ?? '{}')))
  const id =
    asText(metadata?.['action_id']) ??
    asText(metadata?.['requested_command_action_id']) ??
    textOf(row, 'block_id') ??
    `block-${at.row}`
  const command = plainText(bytesOf(row, 'stylized_command'))
  const call: Part = { type: 'tool-call', id, name: 'run_shell_command', input: { command } }
  const started = timeOf(row, 'start_ts') ?? null
  const messages: Message[] = [{ id: `block-${at.row}`, role: 'assistant', time: started, parts: [call], at }]
  if (textOf(row, 'did_execute') === '0') return messages
  const output = plainText(bytesOf(row, 'stylized_output'))
  const result: Part = { type: 'tool-result', id, output, isError: Number(textOf(row, 'exit_code') ?? 0) !== 0 }
  const ended = timeOf(row, 'completed_ts') ?? started
  return [...messages, { id: `block-${at.row}-result`, role: 'tool', time: ended, parts: [result], at }]
}

/** The text on the screen, without colours. */
function plainText(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8')).replace(/\r+\n/g, '\n').replace(/\r/g, '\n').trimEnd()
}
