// Records and homes for the tests of this agent.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { geminiCli } from '../../../src/agents/gemini-cli/index.ts'
import type { Message } from '../../../src/model/message.ts'
import { collect } from '../../../src/model/reading.ts'
import { environmentOf, put, temporaryHome } from '../home.ts'
import { findSession, readFrom } from '../reading.ts'

export const SESSION = '22222222-2222-4222-8222-222222222222'
export const PROJECT = '/home/dev/shop'
export const HASH = createHash('sha256').update(PROJECT).digest('hex')
export const LOG = '.gemini/tmp/shop/chats/session-2026-11-01T10-00-22222222.jsonl'
export const DOCUMENT = `.gemini/tmp/${HASH}/chats/session-2026-11-01T10-00-22222222.json`
export const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../src/agents/gemini-cli/fixtures', name))
export const header = { sessionId: SESSION, projectHash: HASH, startTime: time(0), lastUpdated: time(0), kind: 'main' }

export async function readLog(log: string | Buffer, projects: object = { projects: { [PROJECT]: 'shop' } }) {
  const home = temporaryHome()
  put(home, '.gemini/projects.json', JSON.stringify(projects))
  put(home, LOG, log)
  const session = await findSession(geminiCli, environmentOf(home), SESSION)
  return { session, ...(await collect(readFrom(geminiCli, session))) }
}

export function putProjects(home: string): void {
  put(home, '.gemini/projects.json', JSON.stringify({ projects: { [PROJECT]: 'shop' } }))
}

export function time(second: number): string {
  return new Date(Date.UTC(2026, 10, 1, 10, 0, second)).toISOString()
}

export function user(id: string, content: unknown) {
  return { id, timestamp: time(1), type: 'user', content }
}

export function model(id: string, content: unknown) {
  return { id, timestamp: time(1), type: 'gemini', content, thoughts: [], model: 'gemini-2.5-flash' }
}

export function call(id: string, output: string) {
  const result: unknown = [response(id, output)]
  return { id, name: 'ls', args: {}, result, status: 'success', timestamp: time(1) }
}

export function response(id: string, output?: string, error?: string) {
  return { functionResponse: { id, name: 'ls', response: error === undefined ? { output } : { error } } }
}

export function set(fields: object) {
  return { $set: fields }
}

export function texts(messages: Message[]): string[] {
  return messages.flatMap(message => message.parts.map(part => ('text' in part ? part.text : part.type)))
}
