// What an agent writes while somebody reads is on the next page of messages, whatever the agent keeps its sessions in.
import { expect, test } from 'vitest'
import { messagesPageSchema } from '../../src/server/api.ts'
import type { Conversation } from '../support/conversations.ts'
import { appendMessage, putConversation } from '../support/conversations.ts'
import { runSql } from '../support/database.ts'
import { makeLibrary } from '../support/live-sessions.ts'
import { shareStage } from '../support/server.ts'

let log: Conversation | undefined
let row: { file: string; sessionId: string } | undefined
const stage = shareStage(home => {
  log = putConversation(home, 1)
  row = makeLibrary(home, 1, { agents: ['opencode'], generations: ['database'] })[0]
})

async function total(sessionId: string): Promise<number> {
  return (await stage().get(`/api/sessions/${stage().key(sessionId)}/messages`, messagesPageSchema)).total
}

test('a log', async () => {
  if (log === undefined) throw new Error('It was not made.')
  const { id } = log
  expect(await total(id)).toBe(10)
  appendMessage(log, 11)
  await expect.poll(() => total(id)).toBe(11)
})

test('a database', async () => {
  if (row === undefined) throw new Error('It was not made.')
  const { file, sessionId } = row
  const before = await total(sessionId)
  const copied =
    "SELECT 'msg_zzz', session_id, time_created + 1, time_updated + 1, data FROM message ORDER BY id DESC LIMIT 1"
  runSql(file, `INSERT INTO message ${copied}`, [])
  const part =
    "SELECT 'prt_zzz', 'msg_zzz', session_id, time_created + 1, time_updated + 1, data FROM part WHERE data LIKE '%\"text\"%' LIMIT 1"
  runSql(file, `INSERT INTO part ${part}`, [])
  runSql(file, 'UPDATE session SET time_updated = time_updated + 1', [])
  await expect.poll(() => total(sessionId)).toBe(before + 1)
})
