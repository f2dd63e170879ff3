// Findings about a conversation in Warp's database.

import { quote } from '../../disk/files/system-errors.ts'
import type { Database } from '../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Findings } from '../../model/finding.ts'
import { quoteWord } from '../../model/paste.ts'
import type { ConversationRow } from './overview.ts'
import { rowNumber } from './rows.ts'
import type { Task, TaskEntry } from './tasks.ts'

/**
 * One undecodable task makes Warp drop the whole conversation. rethread reads the rest of it. Returns how
 * many places were lost.
 */
export function noteLostBytes(database: Database, task: Task, findings: Findings): number {
  if (task.size === 0) {
    addLost(database, task, findings, 'undecodable-task', 'This task is empty: its messages are gone.')
    return 1
  }
  for (const { start, end } of task.lost) {
    const text = `From byte ${start} on, ${end - start} of the ${task.size} bytes of this task cannot be decoded; the messages around them were read.`
    addLost(database, task, findings, 'undecodable-task', text)
  }
  return task.lost.length
}

export function noteBrokenMessage(database: Database, { task, start }: TaskEntry, findings: Findings): void {
  const text = `The message at byte ${start} of this task cannot be decoded to its end; what could be is shown.`
  addLost(database, task, findings, 'undecodable-message', text)
}

function addLost(database: Database, task: Task, findings: Findings, damage: string, text: string): void {
  findings.add({
    damage,
    severity: 'lost',
    at: { file: database.path, table: 'agent_tasks', row: rowNumber(task.row) },
    text,
    hint: `Keep its bytes: ${query(database, `SELECT writefile('task.bin', task) FROM agent_tasks WHERE rowid = ${Number(task.row)}`)}`,
  })
}

/** The columns about a conversation hold its title and folder, and none of its messages. */
export function noteMalformedColumns(database: Database, listed: ConversationRow, findings: Findings): void {
  for (const column of listed.malformed)
    findings.add({
      damage: 'malformed-json',
      severity: 'survived',
      at: { file: database.path, table: 'agent_conversations', row: rowNumber(listed.row) },
      text: `The column ${column} holds something that is not JSON; no message is lost by it.`,
      hint: `See it: ${query(database, `SELECT ${column} FROM agent_conversations WHERE rowid = ${Number(listed.row)}`)}`,
    })
}

export function noteMalformedQuery(database: Database, row: string, findings: Findings): void {
  findings.add({
    damage: 'malformed-json',
    severity: 'lost',
    at: { file: database.path, table: 'ai_queries', row: rowNumber(row) },
    text: 'The prompt here is stored as something that is not JSON.',
    hint: `See it: ${query(database, `SELECT input FROM ai_queries WHERE rowid = ${Number(row)}`)}`,
  })
}

function query(database: Database, sql: string): string {
  return `sqlite3 -readonly ${quote(database.path)} ${quoteWord(sql)}`
}

export function conversationNotFound(database: Database, id: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no conversation ${id} in ${database.path}. Warp keeps only the last 200.`,
    hint: 'See what is there: rethread list --agent warp',
    path: database.path,
  })
}
