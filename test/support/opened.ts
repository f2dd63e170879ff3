// Conversations in a throw-away home, opened by the threads that the server opens them with.
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { agents } from '../../src/agents/index.ts'
import type { Context } from '../../src/catalog/context.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import { readSession } from '../../src/catalog/reading.ts'
import type { Message } from '../../src/model/message.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { MessagesPage } from '../../src/server/api.ts'
import type { Readings } from '../../src/server/readings/index.ts'
import { makeReadings } from '../../src/server/readings/index.ts'
import type { Limits } from '../../src/server/readings/limits.ts'
import { put, temporaryHome } from './home.ts'

const FOLDER = '.claude/projects/-home-dev-shop'
const idOf = (number: number): string => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`

/** One thing that a person said: record number `own`, behind number `parent`. */
export function said(own: number, content: unknown, parent: number | null = own === 1 ? null : own - 1): string {
  return `${JSON.stringify({
    parentUuid: parent === null ? null : idOf(parent),
    isSidechain: false,
    cwd: '/home/dev/shop',
    sessionId: idOf(0),
    version: '2.1.25',
    type: 'user',
    message: { role: 'user', content },
    uuid: idOf(own),
    timestamp: new Date(Date.UTC(2026, 10, 1) + own * 1000).toISOString(),
  })}\n`
}

/** What a tool answered. */
export function answered(own: number, output: string): string {
  return said(own, [{ type: 'tool_result', tool_use_id: `call-${own}`, content: output }])
}

/** A block of a message of the model; several of one `message` are one. */
export function spoke(own: number, message: string, block: object): string {
  const record = JSON.parse(said(own, ''))
  const body = { id: message, role: 'assistant', model: 'm', content: [block] }
  return `${JSON.stringify({ ...record, type: 'assistant', message: body })}\n`
}

/** `count` short messages, "message 1" and so on. */
export function short(count: number, from = 1): string {
  return Array.from({ length: count }, (_, at) => said(from + at, `message ${from + at}`)).join('')
}

export interface Home {
  home: string
  context: Context
  sessions: SessionRef[]
  session: SessionRef
}

export async function homeWith(...logs: (string | Buffer)[]): Promise<Home> {
  const home = temporaryHome()
  for (const [at, log] of logs.entries()) put(home, `${FOLDER}/${idOf(9000 + at)}.jsonl`, log)
  return await lookInto(home)
}

/** In the order of their names. */
export async function lookInto(home: string): Promise<Home> {
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  const { sessions, failures } = await findSessions(context)
  sessions.sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1))
  const [session] = sessions
  if (session === undefined) throw new Error(`No session in ${home}: ${JSON.stringify(failures)}`)
  return { home, context, sessions, session }
}

/** Machines that run tests can be slow: nothing is to come out otherwise because of that. */
const PATIENT: Partial<Limits> = {
  firstReadingMs: 50_000,
  againMs: 50_000,
  messageMs: 50_000,
  threads: 1,
  tailFromBytes: Number.POSITIVE_INFINITY,
}

export function openReadings({ context }: Pick<Home, 'context'>, limits: Partial<Limits> = {}): Readings {
  const readings = makeReadings({ context, logLevel: 'silent', limits: { ...PATIENT, ...limits } })
  onTestFinished(async () => await readings.close())
  return readings
}

/** For the tests of a file that ask for nothing special: starting a thread takes longer than they do. It does not matter to a reading whose home a session is in. */
export function shareReadings(): () => Readings {
  const state = mkdtempSync(join(tmpdir(), 'rethread-state-'))
  let shared: Readings | undefined
  afterAll(async () => {
    await shared?.close()
    rmSync(state, { recursive: true })
  })
  return () => {
    shared ??= makeReadings({ context: makeContext({ state }), logLevel: 'silent', limits: PATIENT })
    return shared
  }
}

export function append({ session }: Pick<Home, 'session'>, bytes: string): void {
  appendFileSync(session.filePath, bytes)
}

/** What the reader itself gives, all at once. */
export async function collected(
  { context, session }: Pick<Home, 'context' | 'session'>,
  branch?: string,
): Promise<Message[]> {
  const options = branch === undefined ? {} : { branch }
  return (await collect(readSession({ ...context, agents }, session, options))).messages
}

/** As pages have it: without what is not for the page. */
export function paged(messages: readonly Message[], from = 0): object[] {
  return messages.map(({ usage, ...message }, at) => ({ index: from + at, ...message }))
}

export function textsOf(page: { messages: { parts: object[] }[] }): string[] {
  return page.messages.flatMap(({ parts }) => parts.map(part => ('text' in part ? String(part.text) : '')))
}

/** The last page once everything was read, whatever patience the readings have. */
export async function lastPage(readings: Readings, session: SessionRef, limit: number): Promise<MessagesPage> {
  for (;;) {
    const page = await readings.page(session, { limit })
    if (page.isComplete) return page
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** Every spool file there is, of whichever server. */
export function spoolFiles({ context }: Pick<Home, 'context'>): string[] {
  const folder = join(context.state, 'spool')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.lock'))
    .map(entry => join(entry.parentPath, entry.name))
}
