// A recorded session whose lines a test has changed: what a check says of it, what a person sees of it, and both again after the repair.

import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '../../src/agents/index.ts'
import type { Context } from '../../src/catalog/context.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import type { Message } from '../../src/model/message.ts'
import { isConversation } from '../../src/model/message.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { checkSession } from '../../src/repair/check/check.ts'
import { repairSession } from '../../src/repair/repair.ts'
import { readFrom } from './reading.ts'
import { recordedHome } from './recorded.ts'

/** Lines as they are on the disk, byte by byte. */
export type EditLines = (lines: string[]) => string[]

export interface EditedRecording {
  context: Context
  session: SessionRef
  /** Status, what a resume loads now and after a repair, how many messages are shown, and what was found. */
  check(): Promise<{
    status: string
    loads: { now: number; afterRepair: number }
    shown: number
    found: string[]
    /** Messages of the verdict that are neither loaded after a repair nor copies. */
    missing: number
  }>
  repair(): Promise<string>
  messages(): Promise<Message[]>
  bytes(): Buffer
}

const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

/** The largest session of a recording such as `codex-0.166.0`, which is a log. */
export async function editRecording(name: string, edit: EditLines): Promise<EditedRecording> {
  const home = recordedHome(name)
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  const { sessions } = await findSessions(context)
  const [session] = sessions
    .filter(({ subagentOf }) => subagentOf === undefined)
    .toSorted((a, b) => b.fileSize - a.fileSize)
  if (session === undefined) throw new Error(`${name} holds no session`)
  const lines = readFileSync(session.filePath, 'latin1').split('\n').slice(0, -1)
  writeFileSync(session.filePath, `${edit(lines).join('\n')}\n`, 'latin1')
  utimesSync(session.filePath, LONG_AGO, LONG_AGO)
  const messages = async () => {
    const agent = agents.find(({ id }) => id === session.agent)
    if (agent === undefined) throw new Error(`nobody reads ${session.agent}`)
    return (await collect(readFrom(agent, session))).messages.filter(isConversation)
  }
  return {
    context,
    session,
    async check() {
      const { verdict } = await checkSession(context, session, { force: true })
      const found = [...new Set(verdict.findings.map(({ damage }) => damage))]
      const missing = verdict.messageCount - verdict.loads.afterRepair - (verdict.copies ?? 0)
      return { status: verdict.status, loads: verdict.loads, shown: (await messages()).length, found, missing }
    },
    repair: async () => (await repairSession(context, session, { force: true })).report.status,
    messages,
    bytes: () => readFileSync(session.filePath),
  }
}

export type ChangeRecord = (record: Record<string, unknown>) => void

/** Gives a field another value, or takes it away. */
export function set(field: string, value?: unknown): ChangeRecord {
  return record => {
    record[field] = value
  }
}

/** The same for a field of what an envelope holds. */
export function setIn(field: string, value?: unknown): ChangeRecord {
  return record => {
    record['payload'] = { ...Object(record['payload']), [field]: value }
  }
}

/** One line with some of its fields changed. */
export function edited(line: string | undefined, change: ChangeRecord): string {
  const record = JSON.parse(Buffer.from(line ?? '{}', 'latin1').toString('utf8'))
  change(record)
  return Buffer.from(JSON.stringify(record)).toString('latin1')
}
