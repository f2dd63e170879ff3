// node journal-load.ts OPTIONS: appends to a journal as fast as it takes it, in turn with bare INSERTs, and prints envelopes per second. With
// `events` it only fills a journal and reads some of it, so that others can measure the memory of this process.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openJournal } from '../../src/journal/store/open.ts'
import type { JournalStore } from '../../src/journal/store/store.ts'
import { sampleEnvelope, sampleSession } from '../../test/support/journal/samples.ts'
import { median } from './processes.ts'

export interface JournalLoad {
  folder: string
  synchronous: 'normal' | 'full'
  rounds: number
  /** In each round. */
  envelopes: number
  events?: number
}

export interface JournalFigures {
  bare: number
  oneByOne: number
  flood: number
}

/** So many are on their way at once in a flood. */
const IN_FLIGHT = 1000
const TEXT = 'words of an answer, as they come '.repeat(3)
const ENVELOPE = sampleEnvelope(1, TEXT)

const options: JournalLoad = JSON.parse(process.argv[2] ?? '{}')
if (options.events === undefined) process.stdout.write(JSON.stringify(await measure(options)))
else await fill(options, options.events)

async function measure({ folder, synchronous, rounds, envelopes }: JournalLoad): Promise<JournalFigures> {
  const store = await openSample(join(folder, `journal-${synchronous}.sqlite`), synchronous)
  const bare = openBare(join(folder, `bare-${synchronous}.sqlite`), synchronous)
  const speeds = { bare: [] as number[], oneByOne: [] as number[], flood: [] as number[] }
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const speed = {
      bare: await timed(envelopes, () => bare.insert(envelopes)),
      oneByOne: await timed(envelopes, async () => await appendOneByOne(store, envelopes)),
      flood: await timed(envelopes, async () => await appendAll(store, envelopes)),
    }
    if (round === 0) continue
    speeds.bare.push(speed.bare)
    speeds.oneByOne.push(speed.oneByOne)
    speeds.flood.push(speed.flood)
  }
  const expected = 2 * envelopes * (rounds + 1)
  if ((await store.count('s')) !== expected) throw new Error('Not every envelope is in the journal.')
  await store.close()
  bare.close()
  return { bare: median(speeds.bare), oneByOne: median(speeds.oneByOne), flood: median(speeds.flood) }
}

async function fill({ folder, synchronous }: JournalLoad, events: number): Promise<void> {
  const store = await openSample(join(folder, `filled-${events}.sqlite`), synchronous)
  await appendAll(store, events)
  const { events: last } = await store.tail('s', 50)
  if (last.at(-1)?.seq !== events && events > 0) throw new Error('The end of the journal is not what was written.')
  for (let after = 0; after < events; after += 500) await store.page('s', { after, limit: 500 })
  await store.close()
}

async function timed(envelopes: number, work: () => void | Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return envelopes / ((performance.now() - start) / 1000)
}

async function openSample(path: string, synchronous: 'normal' | 'full'): Promise<JournalStore> {
  const store = await openJournal(path, { synchronous })
  await store.createSession(sampleSession('s'))
  return store
}

async function appendOneByOne(store: JournalStore, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await store.append('s', [ENVELOPE])
}

async function appendAll(store: JournalStore, count: number): Promise<void> {
  for (let n = 0; n < count; n += IN_FLIGHT)
    await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, count - n) }, () => store.append('s', [ENVELOPE])))
}

/** The least that keeps the same rows as safe: the same table, prepared statements, and nothing else. */
function openBare(path: string, synchronous: 'normal' | 'full') {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
  database.exec(`CREATE TABLE events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, created_at INTEGER NOT NULL,
    connection_id TEXT NOT NULL, sender TEXT NOT NULL, kind TEXT NOT NULL, payload_json TEXT NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (session_id, seq))`)
  const begin = database.prepare('BEGIN IMMEDIATE')
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const commit = database.prepare('COMMIT')
  const { connectionId, sender, kind, payload } = ENVELOPE
  const text = payload.toString('utf8')
  let seq = 0
  return {
    insert(count: number): void {
      for (let n = 0; n < count; n++) {
        begin.run()
        insert.run('s', ++seq, '00000000-0000-4000-8000-000000000000', Date.now(), connectionId, sender, kind, text, 0)
        commit.run()
      }
    },
    close: () => database.close(),
  }
}
