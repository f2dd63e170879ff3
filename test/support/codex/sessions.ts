// Sessions made record by record, for the tests of this folder.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codex } from '../../../src/agents/codex/index.ts'
import type { Message } from '../../../src/model/message.ts'
import { collect } from '../../../src/model/reading.ts'
import { environmentOf, put, temporaryHome } from '../home.ts'
import { findSession, readFrom } from '../reading.ts'

export const SESSION = '0199aaaa-0000-7000-8000-000000000001'
export const OTHER = '0199aaaa-0000-7000-8000-000000000002'
export const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../src/agents/codex/fixtures', name), 'utf8')

export async function open(text: string) {
  const home = temporaryHome()
  const file = put(home, `.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${SESSION}.jsonl`, text)
  const session = await findSession(codex, environmentOf(home), SESSION)
  return { file, session, read: (options = {}) => collect(readFrom(codex, session, options)) }
}

export const readText = async (text: string) => (await open(text)).read()

let second = 0
export function record(type: string, payload: object) {
  return { timestamp: new Date(Date.UTC(2026, 10, 1, 10) + 1000 * second++).toISOString(), type, payload }
}
const HEADER = {
  id: SESSION,
  timestamp: '2026-11-01T10:00:00.000Z',
  cwd: '/home/dev/shop',
  originator: 'codex_exec',
  cli_version: '0.166.0',
}
export const meta = (more: object = {}) => record('session_meta', { ...HEADER, ...more })
export const item = (payload: object) => record('response_item', payload)
export const event = (payload: object) => record('event_msg', payload)
export const user = (...texts: string[]) =>
  item({ type: 'message', role: 'user', content: texts.map(text => ({ type: 'input_text', text })) })
export const answer = (text: string) =>
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
export const tokens = (total: number, output = total) =>
  event({
    type: 'token_count',
    info: { total_token_usage: { total_tokens: total }, last_token_usage: { input_tokens: 9, output_tokens: output } },
  })

/** The texts of messages, in order. */
export const spoken = (messages: Message[]) =>
  messages.flatMap(message => message.parts.map(part => ('text' in part ? part.text : '')))
