// Which threads Codex lists. It reads the rollouts below `sessions`, by the folder in the
// header and in the last turn, and corrects its index itself; but it trusts a path in the
// index, and fails on an index that is not a database.
import { basename, dirname, join } from 'node:path'
import { exists, openFile } from '../../disk/files/read.ts'
import { readDatabase } from '../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { UUID } from '../../model/session-id.ts'
import {
  type FolderMove,
  type GitFacts,
  type Inspection,
  type ListedPlace,
  type ListingChange,
  type ListingPlan,
  type ListingProblem,
  movedPath,
  type Risk,
  type StoreListing,
  UNLISTED,
} from '../listing.ts'
import { fieldsInLines, moveInLines } from '../stores/path-fields.ts'
import { asObject, asText } from '../stores/values.ts'
import { COMPRESSED } from './discover.ts'
import { DATABASES, INDEX, inspectIndexDatabase } from './repair/databases.ts'
import { afterEdit, movedAway, unusable } from './repair/index-problems.ts'
import { threadOf } from './rollout-name.ts'

export const listing: StoreListing = { inspect, planMove, risks }

/** A header holds the instructions of the agent. */
const HEAD_BYTES = 4 * 1024 * 1024
/** Records that say in which folder the agent works. Others tell what was done there. */
const FOLDER_RECORDS = ['session_meta', 'turn_context']
const FOLDER_FIELDS = [
  ['payload', 'cwd'],
  ['payload', 'runtime_workspace_roots'],
]

interface Header {
  id: string | undefined
  folder: string | undefined
  git: GitFacts | undefined
}

async function inspect(place: ListedPlace): Promise<Inspection> {
  const inspection: Inspection = { states: new Map(), problems: [], stale: [] }
  const home = dirname(place.location.path)
  const isArchive = basename(place.location.path) === 'archived_sessions'
  const rows = await readRows(home)
  const broken = isArchive ? [] : await brokenDatabases(home)
  for (const session of place.sessions) {
    const header = session.generation === COMPRESSED ? undefined : headerOf(session)
    const folder = header?.folder ?? rows.get(session.sessionId)?.cwd
    if (folder === undefined) continue
    const git = header?.git
    const problem = isArchive
      ? inArchive(home, rows, session)
      : (differs(session, header) ?? (await lostPath(session, home)))
    if (problem !== undefined) inspection.problems.push(problem)
    const reason = problem?.reason ?? (broken.length > 0 ? 'index-corrupt' : undefined)
    const isLost = reason !== undefined
    inspection.states.set(session, { folder, ...(isLost ? { reason } : {}), ...(git === undefined ? {} : { git }) })
  }
  const hidden = [...inspection.states].flatMap(([session, { reason }]) =>
    reason === 'index-corrupt' ? [session] : [],
  )
  if (hidden.length > 0) inspection.problems.push(...broken.map(problem => ({ ...problem, sessions: hidden })))
  inspection.problems = joinArchived(inspection.problems)
  return inspection
}

interface IndexRow {
  cwd: string
  path: string
  isArchived: boolean
}

/** Empty where there is no index, or one that cannot be read: another check reports that. */
async function readRows(home: string): Promise<Map<string, IndexRow>> {
  const rows = new Map<string, IndexRow>()
  const file = join(home, INDEX)
  if (!exists(file) || (await inspectIndexDatabase(home, INDEX)).damage !== undefined) return rows
  try {
    await readDatabase(file, home, database => {
      if (!database.hasTable('threads')) return
      for (const row of database.each('SELECT id, cwd, rollout_path, archived FROM threads'))
        rows.set(String(row['id']), {
          cwd: String(row['cwd']),
          path: String(row['rollout_path']),
          isArchived: Number(row['archived']) !== 0,
        })
    })
  } catch (error) {
    // An empty file: Codex makes a database of it.
    if (!(error instanceof RethreadError) || error.code !== 'empty-file') throw error
  }
  return rows
}

function headerOf(session: SessionRef): Header | undefined {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    const end = Math.min(HEAD_BYTES, file.identity.size)
    const [meta] = fieldsInLines(file, ['payload'], { end, types: ['session_meta'] }).take(1)
    const payload = asObject(meta?.value)
    if (payload === undefined) return undefined
    const git = asObject(payload['git'])
    const facts = { remote: asText(git?.['repository_url']), commit: asText(git?.['commit_hash']) }
    return { id: asText(payload['id']), folder: asText(payload['cwd']), git: git === undefined ? undefined : facts }
  } finally {
    file.close()
  }
}

async function brokenDatabases(home: string): Promise<Omit<ListingProblem, 'sessions'>[]> {
  const problems: Omit<ListingProblem, 'sessions'>[] = []
  for (const { name } of DATABASES) {
    const { damage } = await inspectIndexDatabase(home, name)
    if (damage === undefined) continue
    const { text, changes } = unusable(join(home, name), name, damage)
    const named = changes.map(change => ({ ...change, damage: UNLISTED }))
    problems.push({
      reason: 'index-corrupt',
      text,
      evidence: [damage],
      plan: async () => ({ changes: named, notes: [] }),
    })
  }
  return problems
}

function inArchive(home: string, rows: ReadonlyMap<string, IndexRow>, session: SessionRef): ListingProblem {
  const row = rows.get(session.sessionId)
  return {
    reason: 'archived',
    sessions: [session],
    text: 'These threads are in archived_sessions, so Codex does not list them.',
    evidence:
      row === undefined || row.isArchived
        ? ['Codex puts threads there that a person archives.']
        : ['The index of Codex does not mark them as archived.'],
    // Codex marks what a person archives.
    isDeliberate: row === undefined || row.isArchived,
    plan: async sessions => ({ changes: sessions.flatMap(each => unarchive(home, rows, each)), notes: [] }),
  }
}

/** One problem for all that were archived on purpose, and one for those that were not. */
function joinArchived(problems: readonly ListingProblem[]): ListingProblem[] {
  const archived = problems.filter(({ reason }) => reason === 'archived')
  const joined = [...Map.groupBy(archived, ({ isDeliberate }) => isDeliberate).values()].flatMap(group => {
    const [first] = group
    return first === undefined ? [] : [{ ...first, sessions: group.flatMap(({ sessions }) => sessions) }]
  })
  return [...problems.filter(({ reason }) => reason !== 'archived'), ...joined]
}

function unarchive(home: string, rows: ReadonlyMap<string, IndexRow>, session: SessionRef): ListingChange[] {
  const { filePath, sessionId } = session
  const name = basename(filePath)
  const [year = '', month = '', day = ''] = /^rollout-(\d{4})-(\d\d)-(\d\d)/.exec(name)?.slice(1) ?? []
  const to = join(home, 'sessions', year, month, day, name)
  const why = { damage: UNLISTED, reason: 'Move the thread to where Codex lists it' }
  const row = rows.get(sessionId)
  if (year === '' || exists(to)) return []
  const set = { archived: 0n, archived_at: null, rollout_path: to }
  return [
    ...(row === undefined
      ? []
      : [
          {
            type: 'row' as const,
            file: join(home, INDEX),
            table: 'threads',
            key: { id: sessionId },
            change: { type: 'update' as const, set },
            expect: { rollout_path: row.path },
            ...why,
          },
        ]),
    { type: 'move', file: filePath, to, ...why },
  ]
}

function differs(session: SessionRef, header: Header | undefined): ListingProblem | undefined {
  const own = threadOf(basename(session.filePath))
  if (header?.id === undefined || own === undefined || header.id === own || !UUID.test(header.id)) return undefined
  const to = join(dirname(session.filePath), basename(session.filePath).replace(own, header.id))
  return {
    reason: 'header-differs',
    sessions: [session],
    text: `${session.filePath} holds thread ${header.id}, and its name says ${own}, so Codex does not find it.`,
    evidence: [`The header of the file names ${header.id}.`],
    ...(exists(to) ? { refused: `${to} exists already.` } : {}),
    plan: async () => ({
      changes: [{ type: 'move', file: session.filePath, to, damage: UNLISTED, reason: 'Name the file by its thread' }],
      notes: [],
    }),
  }
}

async function lostPath(session: SessionRef, home: string): Promise<ListingProblem | undefined> {
  const problem = await movedAway(session, home)
  if (problem === undefined) return undefined
  const changes = problem.changes.map(change => ({ ...change, damage: UNLISTED }))
  return {
    reason: 'not-indexed',
    sessions: [session],
    text: problem.text,
    evidence: [`The thread is in ${session.filePath}.`],
    plan: async () => ({ changes, notes: [] }),
  }
}

async function planMove(place: ListedPlace, move: FolderMove): Promise<ListingPlan> {
  const plan: ListingPlan = { changes: [], notes: [] }
  const home = dirname(place.location.path)
  const rows = await readRows(home)
  for (const session of place.sessions) {
    const row = rows.get(session.sessionId)
    const cwd = row === undefined ? undefined : movedPath(row.cwd, move)
    if (row !== undefined && cwd !== undefined)
      plan.changes.push({
        type: 'row',
        file: join(home, INDEX),
        table: 'threads',
        key: { id: session.sessionId },
        change: { type: 'update', set: { cwd } },
        expect: { cwd: row.cwd },
        damage: UNLISTED,
        reason: `Name the new folder, ${move.to}`,
      })
    if (session.generation === COMPRESSED) {
      if (cwd !== undefined) plan.notes.push(`${session.filePath} is compressed and still names ${move.from}.`)
      continue
    }
    const folder = headerOf(session)?.folder
    if (folder === undefined || movedPath(folder, move) === undefined) continue
    const patch = moveInLines(session.filePath, session.storeRoot, FOLDER_FIELDS, move, FOLDER_RECORDS)
    const [first] = patch?.edits ?? []
    if (patch === undefined || first === undefined) continue
    plan.changes.push(patch, ...(await afterEdit(session, first.start)))
  }
  return plan
}

/**
 * Codex rebuilds a lost index from all sessions, each loaded whole, and its start waits
 * this long for it: so says the source of openai/codex. How much it manages in that time
 * was not measured; tens of GB are far above it.
 */
const REBUILD_SECONDS = 30
const MAX_REBUILT_BYTES = 10_000_000_000

function risks(sessions: readonly SessionRef[]): Risk[] {
  const plain = sessions.filter(({ generation }) => generation !== COMPRESSED)
  const bytes = plain.reduce((sum, { fileSize }) => sum + fileSize, 0)
  if (bytes < MAX_REBUILT_BYTES) return []
  const text = `Codex may not be able to rebuild its index of these sessions if it is lost: they have ${Math.round(bytes / 1e9)} GB.`
  const evidence = [
    `It loads each of them whole when it starts, and waits at most ${REBUILD_SECONDS} seconds for it. Archive old threads.`,
  ]
  return [{ kind: 'too-large', text, evidence, sessions: plain }]
}
