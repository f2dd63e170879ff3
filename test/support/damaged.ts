// Healthy sessions of every agent and generation, and what is needed to break, check, mend and read one in a throw-away home.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateLibrary } from '../../bench/generator/index.ts'
import { makers } from '../../bench/generator/list.ts'
import { Random } from '../../bench/generator/random.ts'
import type { Generation } from '../../src/agents/agent.ts'
import { agents } from '../../src/agents/index.ts'
import type { Mend } from '../../src/agents/mend.ts'
import type { Damage, Inflicted, InflictTarget } from '../../src/damage/damage.ts'
import { damages } from '../../src/damage/index.ts'
import { findSessions } from '../../src/library/catalog.ts'
import type { Context } from '../../src/library/context.ts'
import { makeContext } from '../../src/library/context.ts'
import type { Message } from '../../src/model/message.ts'
import { isConversation } from '../../src/model/message.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'

/** Small, and with enough turns for every damage to have a place. */
const MEDIAN_BYTES = 12_000

export interface Kind {
  agent: string
  generation: string
  traits: Generation['traits']
  mend: Mend
}

/** Every generation that can be mended and that the generator can make. */
export async function mendableKinds(): Promise<Kind[]> {
  const kinds: Kind[] = []
  for (const { agent, generation } of makers) {
    const found = agents.find(({ id }) => id === agent)?.generations[generation]
    const mend = await found?.mend?.()
    if (found !== undefined && mend !== undefined) kinds.push({ agent, generation, traits: found.traits, mend })
  }
  return kinds
}

/** The damages that a session of this kind can have. */
export function damagesOf({ traits, mend }: Kind): Damage[] {
  return damages.filter(damage => damage.framing === mend.framing && concerns(damage, traits, mend))
}

function concerns(damage: Damage, traits: Generation['traits'], mend: Mend): boolean {
  switch (damage.framing) {
    case 'json-lines':
      return mend.framing === 'json-lines' && damage.concerns(traits, mend)
    case 'json-document':
      return mend.framing === 'json-document' && damage.concerns(traits, mend)
    case 'json-tree':
      return mend.framing === 'json-tree' && damage.concerns(traits, mend)
    case 'sqlite':
      return mend.framing === 'sqlite' && damage.concerns(traits, mend)
  }
}

export interface MadeHome {
  home: string
  context: Context
  session: SessionRef
}

/** A home with one healthy session, old enough that nobody counts as writing it. */
export async function makeHome(
  home: string,
  { agent, generation }: Kind,
  seed: number,
  bytes = MEDIAN_BYTES,
): Promise<MadeHome> {
  generateLibrary({
    home,
    seed,
    agents: [agent],
    generations: [generation],
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
  const random = new Random(`${seed} ${damage.id} ${kind.agent} ${kind.generation}`)
  return damage.inflict(targetOf(session, kind), random)
}

/** Long enough ago that no file counts as being written. */
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

function targetOf(session: SessionRef, { traits, mend }: Kind): InflictTarget {
  return {
    session,
    traits,
    mend,
    read: file => readFileSync(file),
    write(file, bytes) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bytes)
      utimesSync(file, LONG_AGO, LONG_AGO)
    },
    remove: file => rmSync(file, { force: true }),
    sql(file, statement, ...values) {
      const database = new DatabaseSync(file)
      try {
        return database.prepare(statement).all(...values)
      } finally {
        database.close()
        if (existsSync(file)) utimesSync(file, LONG_AGO, LONG_AGO)
      }
    },
  }
}

export async function readMessages({ context, session }: Pick<MadeHome, 'context' | 'session'>): Promise<Message[]> {
  const agent = context.agents.find(({ id }) => id === session.agent)
  if (agent === undefined) throw new Error(`no agent ${session.agent}`)
  const { messages } = await collect(agent.read(session))
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
