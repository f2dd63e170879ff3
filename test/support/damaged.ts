// Healthy sessions of every agent and store, and what is needed to break, check, repair and read one in a throw-away home.

import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateLibrary } from '../../bench/generator/index.ts'
import { agents } from '../../src/agents/index.ts'
import type { Context } from '../../src/catalog/context.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import { breakSession } from '../../src/demo/break-session.ts'
import type { Kind } from '../../src/demo/kinds.ts'
import { repairableKinds as kindsOf } from '../../src/demo/kinds.ts'
import type { Message } from '../../src/model/message.ts'
import { isConversation } from '../../src/model/message.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { Damage, Inflicted } from '../../src/repair/damage/damage.ts'
import { readFrom } from './reading.ts'

/** Small, and with enough turns for every damage to have a place. */
const MEDIAN_BYTES = 12_000

export type { Kind } from '../../src/demo/kinds.ts'
export { damagesOf } from '../../src/demo/kinds.ts'

/** Every store that can be repaired and that can be made up. */
export async function repairableKinds(): Promise<Kind[]> {
  return await kindsOf(agents)
}

export interface MadeHome {
  home: string
  context: Context
  session: SessionRef
}

/** A home with one healthy session, old enough that nobody counts as writing it. */
export async function makeHome(
  home: string,
  { agent, store }: Kind,
  seed: number,
  bytes = MEDIAN_BYTES,
): Promise<MadeHome> {
  generateLibrary({
    home,
    seed,
    agents: [agent],
    generations: [store],
    sessionsPerAgent: 1,
    medianBytes: bytes,
    damageShare: 0,
  })
  for (const path of snapshot(home).keys()) utimesSync(path, LONG_AGO, LONG_AGO)
  return await openHome(home)
}

export async function openHome(home: string): Promise<MadeHome> {
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  const { sessions, failures } = await findSessions(context)
  const [session] = sessions
  if (session === undefined) throw new Error(`No session in ${home}: ${JSON.stringify(failures)}`)
  return { home, context, session }
}

/** Breaks the session in the way of one damage; undefined where it has no place for it. */
export function inflict(session: SessionRef, kind: Kind, damage: Damage, seed: number): Inflicted | undefined {
  return breakSession({ session, kind, damage, seed, at: LONG_AGO.getTime() })
}

/** Long enough ago that no file counts as being written. */
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

export async function readMessages({ context, session }: Pick<MadeHome, 'context' | 'session'>): Promise<Message[]> {
  const agent = context.agents.find(({ id }) => id === session.agent)
  if (agent === undefined) throw new Error(`no agent ${session.agent}`)
  const { messages } = await collect(readFrom(agent, session))
  return messages.filter(isConversation)
}

/** Every file below a folder with its bytes, but what is rethread's own. */
export function snapshot(home: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (const entry of readdirSync(home, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !path.includes('state-of-rethread')) files.set(path, readFileSync(path))
  }
  return files
}

/** The files that are not the same in both. Rows of a database are put back as they were, not the pages they are on. */
export function differing(before: ReadonlyMap<string, Buffer>, now: ReadonlyMap<string, Buffer>): string[] {
  return [...new Set([...before.keys(), ...now.keys()])].filter(name => {
    const [one, other] = [before.get(name), now.get(name)]
    if (one === undefined || other === undefined) return true
    return !one.equals(other) && !(isDatabase(one) && isDatabase(other) && dump(one) === dump(other))
  })
}

function isDatabase(bytes: Buffer): boolean {
  return bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3'
}

/** Every row of every table; of a database that cannot be read whole, its bytes. */
function dump(bytes: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'rethread-dump-'))
  const file = join(folder, 'copy.sqlite')
  writeFileSync(file, bytes)
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    return JSON.stringify(tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]))
  } catch {
    return bytes.toString('latin1')
  } finally {
    database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
