// Which sessions OpenCode lists: those of the project that the current folder belongs to; `run -c` takes the
// last one whose directory is the current folder. It opens one database, that of its own channel.
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { statIfThere } from '../../../disk/files/handles.ts'
import { exists } from '../../../disk/files/read.ts'
import { readRootCommits } from '../../../disk/processes/git.ts'
import { type Database, readDatabase } from '../../../disk/sqlite/read-database.ts'
import type { RowChange, SqlValue } from '../../../model/plan.ts'
import type { SessionRef } from '../../../model/session.ts'
import {
  type FolderMove,
  type Inspection,
  type ListedPlace,
  type ListingPlan,
  type ListingProblem,
  movedPath,
  type Risk,
  type StoreListing,
  UNLISTED,
} from '../../listing.ts'

export const listing: StoreListing = { inspect, planMove, risks }

const DEFAULT = 'opencode.db'
const GLOBAL = 'global'
const COMMIT = /^[0-9a-f]{40}$/

interface SessionRow {
  id: string
  projectId: string
  directory: string
  path: string | undefined
}

interface ProjectRow {
  id: string
  worktree: string
  sandboxes: string | undefined
}

interface Rows {
  sessions: Map<string, SessionRow>
  projects: Map<string, ProjectRow>
}

async function readRows(file: string, root: string): Promise<Rows> {
  return await readDatabase(file, root, database => {
    const sessions = new Map<string, SessionRow>()
    const projects = new Map<string, ProjectRow>()
    const columns = columnsOf(database, 'session')
    if (!['project_id', 'directory'].every(name => columns.includes(name))) return { sessions, projects }
    const path = columns.includes('path') ? 'path' : 'NULL AS path'
    for (const row of database.each(`SELECT id, project_id, directory, ${path} FROM session`))
      sessions.set(String(row['id']), {
        id: String(row['id']),
        projectId: String(row['project_id']),
        directory: String(row['directory']),
        path: typeof row['path'] === 'string' ? row['path'] : undefined,
      })
    if (!columnsOf(database, 'project').includes('worktree')) return { sessions, projects }
    const sandboxes = columnsOf(database, 'project').includes('sandboxes') ? 'sandboxes' : 'NULL AS sandboxes'
    for (const row of database.each(`SELECT id, worktree, ${sandboxes} FROM project`))
      projects.set(String(row['id']), {
        id: String(row['id']),
        worktree: String(row['worktree']),
        sandboxes: typeof row['sandboxes'] === 'string' ? row['sandboxes'] : undefined,
      })
    return { sessions, projects }
  })
}

function columnsOf(database: Database, table: string): string[] {
  return database.all('SELECT name FROM pragma_table_info(?)', table).map(row => String(row['name']))
}

async function inspect(place: ListedPlace): Promise<Inspection> {
  const inspection: Inspection = { states: new Map(), problems: [], stale: [] }
  for (const [file, sessions] of Map.groupBy(place.sessions, ({ filePath }) => filePath)) {
    const rows = await readRows(file, place.location.root)
    const channel = otherChannel(file, sessions)
    if (channel !== undefined) inspection.problems.push(channel)
    const projectOf = makeProjectOf(rows)
    const wrong = new Map<string, SessionRef[]>()
    for (const session of sessions) {
      const row = rows.sessions.get(session.sessionId)
      if (row === undefined || session.subagentOf !== undefined) continue
      const { directory, projectId } = row
      const git = COMMIT.test(projectId) ? { git: { rootCommit: projectId } } : {}
      const expected = projectOf(directory)
      // What was held before `git init` is taken along by the agent itself.
      const isWrong = expected !== undefined && expected !== projectId && projectId !== GLOBAL
      if (isWrong) wrong.set(expected, [...(wrong.get(expected) ?? []), session])
      const reason = channel !== undefined ? channel.reason : isWrong ? ('wrong-project' as const) : undefined
      inspection.states.set(session, { folder: directory, ...(reason === undefined ? {} : { reason }), ...git })
    }
    for (const [project, own] of wrong) inspection.problems.push(inOtherProject(file, rows, project, own))
  }
  return inspection
}

/** The database of another channel, while that of the usual one does not exist. */
function otherChannel(file: string, sessions: readonly SessionRef[]): ListingProblem | undefined {
  const to = join(dirname(file), DEFAULT)
  const isOwn = /^opencode-[\w.-]+\.db$/.test(basename(file))
  if (!isOwn || exists(to)) return undefined
  const names = ['', '-wal', '-shm'].filter(suffix => exists(file + suffix))
  return {
    reason: 'left-behind',
    sessions,
    text: `The sessions are in ${file}, the database of another channel of OpenCode, and ${to} does not exist.`,
    evidence: [`${basename(file)} has ${sessions.length} sessions.`],
    plan: async () => ({
      changes: names.map(suffix => ({
        type: 'move' as const,
        file: file + suffix,
        to: to + suffix,
        damage: UNLISTED,
        reason: 'Name the database as the installed channel expects it',
      })),
      notes: [],
    }),
  }
}

/** The project of a folder that exists; undefined where it cannot be determined. */
function makeProjectOf({ projects }: Rows): (directory: string) => string | undefined {
  const known = new Map<string, string | undefined>()
  const find = (directory: string): string | undefined => {
    if (statIfThere(directory, 'stat')?.isDirectory() !== true) return undefined
    const top = repositoryAround(directory)
    if (top === undefined) return projects.has(GLOBAL) ? GLOBAL : undefined
    const own = [...projects.values()].filter(({ worktree }) => worktree === top).map(({ id }) => id)
    const [only] = own
    if (own.length === 1) return only
    return readRootCommits(top).find(commit => projects.has(commit))
  }
  return directory => {
    if (!known.has(directory)) known.set(directory, find(directory))
    return known.get(directory)
  }
}

function repositoryAround(directory: string): string | undefined {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    if (exists(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return undefined
  }
}

function inOtherProject(file: string, rows: Rows, project: string, sessions: SessionRef[]): ListingProblem {
  const worktree = rows.projects.get(project)?.worktree ?? '/'
  const folders = new Set(sessions.map(({ sessionId }) => rows.sessions.get(sessionId)?.directory))
  const others = new Set(sessions.map(({ sessionId }) => rows.sessions.get(sessionId)?.projectId))
  return {
    reason: 'wrong-project',
    sessions,
    text: `OpenCode does not list these sessions in ${[...folders].join(', ')}: they are filed under another project.`,
    evidence: [`Their project is ${[...others].join(', ')}; that of the folder is ${project}.`],
    plan: async wanted => ({
      changes: wanted.flatMap(({ sessionId }) => {
        const row = rows.sessions.get(sessionId)
        if (row === undefined) return []
        const path: Record<string, SqlValue> = row.path === undefined ? {} : { path: relative(worktree, row.directory) }
        return [updateRow(file, 'session', sessionId, { project_id: project, ...path }, { project_id: row.projectId })]
      }),
      notes: [],
    }),
  }
}

function updateRow(
  file: string,
  table: string,
  id: string,
  set: Record<string, SqlValue>,
  expect: Record<string, SqlValue>,
): RowChange {
  const reason = table === 'session' ? 'File the session under its folder' : 'Name the new folder of the project'
  return { type: 'row', file, table, key: { id }, change: { type: 'update', set }, expect, damage: UNLISTED, reason }
}

async function planMove(place: ListedPlace, move: FolderMove): Promise<ListingPlan> {
  const plan: ListingPlan = { changes: [], notes: [] }
  for (const file of new Set(place.sessions.map(({ filePath }) => filePath))) {
    const rows = await readRows(file, place.location.root)
    const worktrees = new Map(
      [...rows.projects.values()].map(({ id, worktree }) => [id, movedPath(worktree, move) ?? worktree]),
    )
    for (const { id, projectId, directory, path } of rows.sessions.values()) {
      const to = movedPath(directory, move)
      if (to === undefined) continue
      const inside: Record<string, SqlValue> =
        path === undefined ? {} : { path: relative(worktrees.get(projectId) ?? '/', to) }
      plan.changes.push(updateRow(file, 'session', id, { directory: to, ...inside }, { directory }))
    }
    for (const { id, worktree, sandboxes } of rows.projects.values()) {
      const to = movedPath(worktree, move)
      const list = movedList(sandboxes, move)
      const set = { ...(to === undefined ? {} : { worktree: to }), ...(list === undefined ? {} : { sandboxes: list }) }
      if (Object.keys(set).length > 0) plan.changes.push(updateRow(file, 'project', id, set, { worktree }))
    }
  }
  return plan
}

/** The other worktrees of a repository. */
function movedList(text: string | undefined, move: FolderMove): string | undefined {
  const list = text === undefined ? undefined : parseJson(Buffer.from(text))
  if (!Array.isArray(list) || !list.some(item => typeof item === 'string' && movedPath(item, move) !== undefined))
    return undefined
  return JSON.stringify(list.map(item => (typeof item === 'string' ? (movedPath(item, move) ?? item) : item)))
}

/**
 * anomalyco/opencode#37495: logs of 5 to 15 GB while one process keeps running. They filled the disk, new
 * processes ended at once (1.18.11), and only the end of all of them made the log small again.
 */
const MAX_LOG_BYTES = 1_000_000_000

function risks(sessions: readonly SessionRef[]): Risk[] {
  return [...Map.groupBy(sessions, ({ filePath }) => filePath)].flatMap(([file, own]): Risk[] => {
    const size = Number(statIfThere(`${file}-wal`)?.size ?? 0)
    if (size < MAX_LOG_BYTES) return []
    const text = `The log of ${file} has ${Math.round(size / 1e9)} GB. It can fill the disk, and new processes of OpenCode may not start.`
    const evidence = [
      `${file}-wal. Close every OpenCode: the last one to end writes the log into the database. Do not delete it.`,
    ]
    return [{ kind: 'too-large', text, evidence, sessions: own }]
  })
}
