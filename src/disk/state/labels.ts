// Names, pins, tags and hidden conversations, in a database of rethread's own. A person made them, so they are not
// derived from anything and must not be deleted. Every change is one transaction: a crash leaves the state before or
// after it, and two processes wait for each other.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { RethreadError } from '../../model/errors.ts'
import type { Label, LabelChange } from '../../model/label.ts'
import { cleanChange, MAX_TAGS } from '../../model/label.ts'
import { statIfThere } from '../files/handles.ts'
import { identityOf } from '../files/read.ts'
import { fromSystemError, quote } from '../files/system-errors.ts'
import { isBusy, isCorruption, SQLITE_FULL, sqliteCode } from '../sqlite/errors.ts'
import { makePrivate } from './own-files.ts'
import { stateFolder } from './state.ts'

/** A conversation keeps its label where its file moves, and in the archive. */
export interface LabelledSession {
  agent: string
  sessionId: string
}

export interface Labels {
  get(session: LabelledSession): Label | undefined
  /** The labels as plain data, for another thread. */
  entries: ReadonlyMap<string, Label>
}

const FILE = 'labels.sqlite'
const BUSY_MS = 10_000
const SCHEMA_VERSION = 1
const SCHEMA = `
  CREATE TABLE labels (
    agent TEXT NOT NULL, session TEXT NOT NULL, name TEXT,
    pinned INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, session)
  ) WITHOUT ROWID;
  CREATE TABLE tags (
    agent TEXT NOT NULL, session TEXT NOT NULL, tag TEXT NOT NULL,
    PRIMARY KEY (agent, session, tag)
  ) WITHOUT ROWID;
  PRAGMA user_version = ${SCHEMA_VERSION}`

export function labelsOf(entries: ReadonlyMap<string, Label>): Labels {
  return { entries, get: session => (entries.size === 0 ? undefined : entries.get(labelKey(session))) }
}

function labelKey({ agent, sessionId }: LabelledSession): string {
  return JSON.stringify([agent, sessionId])
}

/** Changes whenever a label does. Only a stat. */
export function labelsIdentity(state: string): string {
  const stats = statIfThere(join(state, FILE), 'stat')
  return stats === undefined ? 'none' : identityOf(stats).mark
}

/** Creates nothing: without a file there are no labels. */
export function readLabels(state: string): Labels {
  const path = join(state, FILE)
  const entries = new Map<string, Label>()
  if (statIfThere(path, 'stat') === undefined) return labelsOf(entries)
  attempt(path, () => {
    const database = open(path)
    try {
      if (versionOf(database, path) > 0) for (const [key, label] of readAll(database)) entries.set(key, label)
    } finally {
      database.close()
    }
  })
  return labelsOf(entries)
}

/** Changes all of these conversations or none. */
export function changeLabels(state: string, sessions: readonly LabelledSession[], wanted: LabelChange): Labels {
  const change = cleanChange(wanted)
  const path = join(stateFolder(state), FILE)
  makePrivate(path)
  return attempt(path, () => {
    const database = open(path)
    try {
      database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE')
      if (versionOf(database, path) === 0) database.exec(SCHEMA)
      for (const session of sessions) changeOne(database, session, change)
      const entries = new Map(readAll(database))
      database.exec('COMMIT')
      return labelsOf(entries)
    } finally {
      // Closing rolls back what was not committed.
      database.close()
    }
  })
}

function changeOne(database: DatabaseSync, session: LabelledSession, change: LabelChange): void {
  const { agent, sessionId } = session
  database.prepare('INSERT INTO labels (agent, session) VALUES (?, ?) ON CONFLICT DO NOTHING').run(agent, sessionId)
  const set = (column: 'name' | 'pinned' | 'hidden', value: string | number | null): void => {
    database.prepare(`UPDATE labels SET ${column} = ? WHERE agent = ? AND session = ?`).run(value, agent, sessionId)
  }
  if (change.name !== undefined) set('name', change.name)
  if (change.isPinned !== undefined) set('pinned', change.isPinned ? 1 : 0)
  if (change.isHidden !== undefined) set('hidden', change.isHidden ? 1 : 0)
  const remove = database.prepare('DELETE FROM tags WHERE agent = ? AND session = ? AND tag = ?')
  for (const tag of change.removeTags ?? []) remove.run(agent, sessionId, tag)
  const add = database.prepare('INSERT INTO tags VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  for (const tag of change.addTags ?? []) add.run(agent, sessionId, tag)
  const { count } = database
    .prepare('SELECT count(*) AS count FROM tags WHERE agent = ? AND session = ?')
    .get(agent, sessionId) as { count: number }
  if (count > MAX_TAGS)
    throw new RethreadError({
      code: 'usage',
      text: `A conversation has at most ${MAX_TAGS} tags.`,
      hint: 'Remove one first: rethread untag SESSION TAG',
    })
}

function* readAll(database: DatabaseSync): Generator<[string, Label]> {
  const tags = new Map<string, string[]>()
  for (const { agent, session, tag } of database.prepare('SELECT * FROM tags ORDER BY tag').iterate()) {
    const key = labelKey({ agent: String(agent), sessionId: String(session) })
    tags.set(key, [...(tags.get(key) ?? []), String(tag)])
  }
  for (const { agent, session, name, pinned, hidden } of database.prepare('SELECT * FROM labels').iterate()) {
    const key = labelKey({ agent: String(agent), sessionId: String(session) })
    const label: Label = {
      ...(typeof name === 'string' ? { name } : {}),
      isPinned: pinned === 1,
      isHidden: hidden === 1,
      tags: tags.get(key) ?? [],
    }
    if (label.name !== undefined || label.isPinned || label.isHidden || label.tags.length > 0) yield [key, label]
  }
}

function open(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_MS })
}

function versionOf(database: DatabaseSync, path: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version <= SCHEMA_VERSION) return version
  throw new RethreadError({
    code: 'unsupported',
    text: `${path} was written by a newer rethread.`,
    hint: 'Update this rethread: npm install --global rethread@latest',
    path,
  })
}

function attempt<Result>(path: string, step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    if (error instanceof RethreadError) throw error
    if (sqliteCode(error) === undefined) throw fromSystemError(error, path)
    throw failed(path, error)
  }
}

function failed(path: string, cause: unknown): RethreadError {
  const what = cause instanceof Error ? cause.message : String(cause)
  if (isCorruption(cause))
    return new RethreadError({
      code: 'database-corrupt',
      text: `Names, pins and tags of conversations cannot be read: ${what}. The conversations themselves are not affected.`,
      hint: `To start over without them: mv ${quote(path)} ${quote(`${path}.damaged`)}`,
      path,
      cause,
    })
  const code = isBusy(cause) ? 'database-busy' : sqliteCode(cause) === SQLITE_FULL ? 'no-space' : 'io-error'
  const hint = code === 'no-space' ? 'See how full the disk is: df -h' : 'Another rethread may be writing. Try again.'
  return new RethreadError({ code, text: `${path} could not be used: ${what}.`, hint, path, cause })
}
