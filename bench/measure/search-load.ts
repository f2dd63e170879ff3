// node bench/measure/search-load.ts OPTIONS: indexes a home, searches in it, appends to one session, and inserts the same
// rows into a bare FTS5 table. One process, one thread. Prints the figures as JSON.
import { appendFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import { readSession } from '../../src/catalog/reading.ts'
import { openSearchIndex, searchIndexPath } from '../../src/disk/search/search-index.ts'
import { clip, partTexts } from '../../src/search/parts.ts'
import { Searcher } from '../../src/search/searcher.ts'
import { updateIndex } from '../../src/search/update.ts'
import { queriesFor } from './search-queries.ts'

export interface SearchOptions {
  home: string
  state: string
  /** Different queries of each kind. As many others run before, unmeasured. */
  queries: number
  /** A log that is appended to, and its lines. */
  growing: string
  lines: string[]
}

export interface SearchFigures {
  sessions: number
  messages: number
  bytes: number
  /** Characters of what is indexed, as UTF-8. */
  textBytes: number
  indexBytes: number
  buildSeconds: number
  floorSeconds: number
  floorBytes: number
  /** The 95th percentile of each kind of query, each asked once, in milliseconds of the processor. */
  p95: Record<string, number>
  /** Conversations in an answer, on average. */
  found: Record<string, number>
  appendMs: number
}

/** Sessions from which phrases are taken. */
const SAMPLED_SESSIONS = 40

const options = JSON.parse(process.argv[2] ?? '{}') as SearchOptions
const context = makeContext({ home: options.home, state: options.state })
process.stdout.write(JSON.stringify(await measure()))

async function measure(): Promise<SearchFigures> {
  const index = openSearchIndex(options.state)
  const began = process.cpuUsage()
  const { behind } = await updateIndex(context, index)
  const buildSeconds = secondsSince(began)
  if (behind > 0) throw new Error(`${behind} sessions were not indexed.`)
  index.close()
  new DatabaseSync(searchIndexPath(options.state)).exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const indexBytes = statSync(searchIndexPath(options.state)).size
  const queried = await query()
  const appendMs = await append()
  return { ...(await floor()), indexBytes, buildSeconds, ...queried, appendMs }
}

/** As the server does it: the index stays open. No query is asked twice. */
async function query(): Promise<Pick<SearchFigures, 'p95' | 'found'>> {
  const searcher = new Searcher(context)
  const p95: Record<string, number> = {}
  const found: Record<string, number> = {}
  const kinds = Object.entries(queriesFor(searchIndexPath(options.state), await someTexts(), 2 * options.queries))
  for (const [, texts] of kinds)
    for (const text of texts.slice(0, texts.length / 2)) await searcher.search({ text, limit: 12 })
  for (const [kind, texts] of kinds) {
    const measured = texts.slice(texts.length / 2)
    const times: number[] = []
    let results = 0
    for (const text of measured) {
      const start = process.cpuUsage()
      results += (await searcher.search({ text, limit: 12 })).results.length
      times.push(secondsSince(start) * 1000)
    }
    p95[kind] = percentile(times, 0.95)
    found[kind] = Math.round(results / measured.length)
  }
  searcher.close()
  return { p95, found }
}

/** What was said in sessions from all over the home. */
async function someTexts(): Promise<string[]> {
  const { sessions } = await findSessions(context)
  const texts: string[] = []
  for (let at = 0; at < sessions.length; at += Math.ceil(sessions.length / SAMPLED_SESSIONS)) {
    const session = sessions[at]
    if (session === undefined) continue
    for (const reading = readSession(context, session); ; ) {
      const step = await reading.next()
      if (step.done) break
      texts.push(...partTexts(step.value).flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])))
    }
  }
  return texts
}

/** One message more in a log, until it can be found. */
async function append(): Promise<number> {
  const index = openSearchIndex(options.state)
  const { sessions } = await findSessions(context)
  const session = sessions.find(({ filePath }) => filePath === options.growing)
  if (session === undefined) throw new Error('The session that grows was not found.')
  const times: number[] = []
  for (const [at, line] of options.lines.entries()) {
    appendFileSync(options.growing, line)
    const start = process.cpuUsage()
    await updateIndex(context, index, { only: [{ ...session, identity: `grown ${at}` }] })
    if (at > 0) times.push(secondsSince(start) * 1000)
  }
  index.close()
  return percentile(times, 0.5)
}

/** The same texts in a table of the same kind, and nothing else: the least that FTS5 takes. */
async function floor(): Promise<Omit<SearchFigures, 'indexBytes' | 'buildSeconds' | 'p95' | 'found' | 'appendMs'>> {
  const path = join(options.state, 'floor.sqlite')
  rmSync(path, { force: true })
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1,
      tokenize = "unicode61 remove_diacritics 2")`)
  const insert = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)')
  const { sessions } = await findSessions(context)
  const figures = { sessions: sessions.length, messages: 0, bytes: 0, textBytes: 0, floorSeconds: 0, floorBytes: 0 }
  let row = 0
  for (const session of sessions) {
    figures.bytes += session.fileSize
    const texts: string[] = []
    for (const reading = readSession(context, session); ; ) {
      const step = await reading.next()
      if (step.done) break
      figures.messages++
      texts.push(...partTexts(step.value).map(clip))
    }
    const began = process.cpuUsage()
    database.exec('BEGIN')
    for (const text of texts) insert.run(++row, text)
    database.exec('COMMIT')
    figures.floorSeconds += secondsSince(began)
    for (const text of texts) figures.textBytes += Buffer.byteLength(text)
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return { ...figures, floorBytes: statSync(path).size }
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function percentile(times: number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
