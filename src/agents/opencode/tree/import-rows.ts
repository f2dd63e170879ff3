// The rows that sessions of the tree become in the database, as the agent's own migration makes them.
import { basename, join } from 'node:path'
import { parseObject } from '../../../bytes/json.ts'
import { listFolder, readSmallFile } from '../../../disk/files/read.ts'
import { type Database, readDatabase } from '../../../disk/sqlite/read-database.ts'
import type { RowChange, SqlValue } from '../../../model/plan.ts'
import type { SessionRef } from '../../../model/session.ts'
import { type ListingPlan, UNLISTED } from '../../listing.ts'
import type { Location } from '../../store.ts'
import { asNumber, asObject, asText, type Json } from '../../stores/values.ts'

type Values = Record<string, SqlValue>

interface Column {
  name: string
  isNeeded: boolean
}

/** A session whose files do not all parse stays where it is: a repair comes first. */
export async function planImport(
  tree: Location,
  database: Location,
  sessions: readonly SessionRef[],
): Promise<ListingPlan> {
  const plan: ListingPlan = { changes: [], notes: [] }
  const { tables, projects } = await readDatabase(database.path, database.root, opened => ({
    tables: new Map(['project', 'session', 'message', 'part'].map(table => [table, columnsOf(opened, table)])),
    projects: new Set(opened.all('SELECT id FROM project').map(row => String(row['id']))),
  }))
  const made = new Set<string>()
  for (const session of sessions) {
    try {
      const rows = rowsOf(tree, session)
      const project = String(rows[0]?.values['project_id'] ?? '')
      const first = projects.has(project) || made.has(project) ? [] : [projectRow(tree, project)]
      made.add(project)
      plan.changes.push(...[...first, ...rows].map(row => insert(database.path, row, tables)))
    } catch (error) {
      if (!(error instanceof CannotImport)) throw error
      plan.notes.push(`Session ${session.sessionId} stays in the tree: ${error.message}`)
    }
  }
  return plan
}

class CannotImport extends Error {}

interface NewRow {
  table: string
  values: Values
}

function columnsOf(database: Database, table: string): Column[] {
  return database.all('SELECT name, "notnull" AS needed, dflt_value, pk FROM pragma_table_info(?)', table).map(row => ({
    name: String(row['name']),
    isNeeded: Number(row['needed']) !== 0 && row['dflt_value'] === null,
  }))
}

/** Only columns that the table has. A column that it needs and the files do not tell is not guessed. */
function insert(file: string, { table, values }: NewRow, tables: ReadonlyMap<string, Column[]>): RowChange {
  const columns = tables.get(table) ?? []
  const known = columns.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]] as const]))
  const missing = columns.find(({ name, isNeeded }) => isNeeded && values[name] === undefined)
  if (missing !== undefined || columns.length === 0)
    throw new CannotImport(`${table} needs ${missing?.name ?? 'columns'}.`)
  const change = { type: 'insert' as const, values: Object.fromEntries(known) }
  const key = { id: values['id'] ?? null }
  return {
    type: 'row',
    file,
    table,
    key,
    change,
    damage: UNLISTED,
    reason: 'Copy the session of the tree into the database',
  }
}

function rowsOf(tree: Location, session: SessionRef): NewRow[] {
  const info = readRecord(session.filePath, tree)
  const rows: NewRow[] = [{ table: 'session', values: sessionValues(info) }]
  for (const { path: file, name } of recordsIn(join(tree.path, 'message', session.sessionId))) {
    const message = readRecord(file, tree)
    // The name of a file is its id, and the folder it is in counts for more than the ids in it.
    const id = basename(name, '.json')
    const time = millis(asObject(message['time'])?.['created'])
    const common = { session_id: session.sessionId, time_created: time, time_updated: time }
    rows.push({ table: 'message', values: { id, ...common, data: without(message, 'id', 'sessionID') } })
    for (const { path: partFile, name: partName } of recordsIn(join(tree.path, 'part', id))) {
      const part = readRecord(partFile, tree)
      const data = without(part, 'id', 'sessionID', 'messageID')
      rows.push({ table: 'part', values: { id: basename(partName, '.json'), message_id: id, ...common, data } })
    }
  }
  return rows
}

function recordsIn(folder: string) {
  return listFolder(folder).filter(({ name, isFolder }) => !isFolder && name.endsWith('.json'))
}

function readRecord(file: string, { root }: Location): Json {
  const record = parseObject(readSmallFile(file, root, 512 * 1024 * 1024))
  if (record === undefined || asText(record['id']) === undefined) throw new CannotImport(`${file} is not a record.`)
  return record
}

function without(record: Json, ...names: string[]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name))))
}

function sessionValues(info: Json): Values {
  const time = asObject(info['time'])
  const summary = asObject(info['summary'])
  const directory = asText(info['directory']) ?? ''
  const project = asText(info['projectID']) ?? 'global'
  return {
    id: asText(info['id']) ?? '',
    project_id: project,
    parent_id: asText(info['parentID']) ?? null,
    slug: asText(info['slug']) ?? asText(info['id']) ?? '',
    directory,
    // Relative to the worktree, which is the root for sessions outside of repositories.
    path: project === 'global' ? directory.replace(/^\/+/, '') : null,
    title: asText(info['title']) ?? '',
    version: asText(info['version']) ?? '',
    share_url: asText(asObject(info['share'])?.['url']) ?? null,
    summary_additions: integer(summary?.['additions']),
    summary_deletions: integer(summary?.['deletions']),
    summary_files: integer(summary?.['files']),
    summary_diffs: json(summary?.['diffs']),
    revert: json(info['revert']),
    permission: json(info['permission']),
    time_created: millis(time?.['created']),
    time_updated: millis(time?.['updated']),
  }
}

function projectRow(tree: Location, id: string): NewRow {
  const file = join(tree.path, 'project', `${id}.json`)
  if (!/^\w[\w-]*$/.test(id)) throw new CannotImport('its project has no usable id.')
  const info = readRecord(file, tree)
  const time = asObject(info['time'])
  const values = {
    id,
    worktree: asText(info['worktree']) ?? '/',
    vcs: asText(info['vcs']) ?? null,
    time_created: millis(time?.['created']),
    time_updated: millis(time?.['updated'] ?? time?.['created']),
    sandboxes: json(info['sandboxes']) ?? '[]',
  }
  return { table: 'project', values }
}

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

function integer(value: unknown): bigint | null {
  const number = asNumber(value)
  return number === undefined ? null : BigInt(Math.trunc(number))
}

function millis(value: unknown): bigint {
  return integer(value) ?? 0n
}
