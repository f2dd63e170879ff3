// Which sessions of the tree OpenCode lists: those in the folder of the current project. Versions with a
// database do not read the tree any more.
import { basename, dirname, join } from 'node:path'
import { parseObject } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import { exists, listFolder, readOptionalFile } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import {
  type FolderMove,
  type Inspection,
  type ListedPlace,
  type ListingChange,
  type ListingPlan,
  type ListingProblem,
  movedPath,
  type StoreListing,
  UNLISTED,
} from '../../listing.ts'
import { pathEdit } from '../../stores/path-fields.ts'
import { asText, type Json } from '../../stores/values.ts'
import { databasesOf } from '../places.ts'
import { planImport } from './import-rows.ts'

export const listing: StoreListing = { inspect, planMove }

const COMMIT = /^[0-9a-f]{40}$/

async function inspect(place: ListedPlace): Promise<Inspection> {
  const inspection: Inspection = { states: new Map(), problems: [], stale: [] }
  const [database] = databasesOf(place.environment).filter(({ path }) => basename(path) === 'opencode.db')
  const left: SessionRef[] = []
  const wrong: SessionRef[] = []
  for (const session of place.sessions) {
    const info = readSession(session)
    const folder = asText(info?.['directory'])
    if (info === undefined || folder === undefined || asText(info['parentID']) !== undefined) continue
    const filed = basename(dirname(session.filePath))
    const git = COMMIT.test(filed) ? { git: { rootCommit: filed } } : {}
    const own = asText(info['projectID'])
    if (database !== undefined) left.push(session)
    // The folder counts for more than the id in the file.
    else if (own !== undefined && own !== filed) wrong.push(session)
    const reason = database !== undefined ? 'left-behind' : wrong.includes(session) ? 'wrong-project' : undefined
    inspection.states.set(session, { folder, ...(reason === undefined ? {} : { reason }), ...git })
  }
  if (database !== undefined && left.length > 0) inspection.problems.push(leftBehind(place, database, left))
  if (wrong.length > 0) inspection.problems.push(inOtherProject(place, wrong))
  return inspection
}

/** Undefined for a session whose file is lost: a repair makes it again first. */
function readSession({ filePath, storeRoot }: SessionRef): Json | undefined {
  const bytes = filePath.endsWith('.json') ? readOptionalFile(filePath, storeRoot) : undefined
  return bytes === undefined ? undefined : parseObject(bytes)
}

function leftBehind(
  place: ListedPlace,
  database: { path: string; root: string },
  sessions: SessionRef[],
): ListingProblem {
  return {
    reason: 'left-behind',
    sessions,
    text: `These sessions are in ${place.location.path}, and OpenCode reads ${database.path} only.`,
    evidence: ['OpenCode copied the files of older versions once, when it had no database.'],
    plan: wanted => planImport(place.location, database, wanted),
  }
}

function inOtherProject({ location }: ListedPlace, sessions: SessionRef[]): ListingProblem {
  return {
    reason: 'wrong-project',
    sessions,
    text: 'OpenCode does not list these sessions in their project: their files are in the folder of another one.',
    evidence: sessions.slice(0, 5).map(({ filePath }) => filePath),
    async plan(wanted) {
      const plan: ListingPlan = { changes: [], notes: [] }
      for (const session of wanted) {
        const project = asText(readSession(session)?.['projectID']) ?? ''
        const to = join(location.path, 'session', project, basename(session.filePath))
        if (!/^\w[\w-]*$/.test(project) || exists(to)) plan.notes.push(`${session.filePath} stays where it is.`)
        else
          plan.changes.push({
            type: 'move',
            file: session.filePath,
            to,
            damage: UNLISTED,
            reason: `Move it to its project, ${project}`,
          })
      }
      return plan
    },
  }
}

async function planMove({ location, sessions }: ListedPlace, move: FolderMove): Promise<ListingPlan> {
  const files = sessions.flatMap(({ filePath }) => movedField(filePath, location.root, 'directory', move))
  const projects = listFolder(join(location.path, 'project')).flatMap(({ path }) =>
    path.endsWith('.json') ? movedField(path, location.root, 'worktree', move) : [],
  )
  return { changes: [...files, ...projects], notes: [] }
}

function movedField(file: string, root: string, field: string, move: FolderMove): ListingChange[] {
  const bytes = file.endsWith('.json') ? readOptionalFile(file, root) : undefined
  const value = bytes === undefined ? undefined : asText(parseObject(bytes)?.[field])
  const to = value === undefined ? undefined : movedPath(value, move)
  const span = bytes === undefined ? undefined : skimFields(bytes, fieldNames(field))?.[0]
  if (bytes === undefined || to === undefined || span === undefined) return []
  const old = Buffer.from(bytes.subarray(span.start, span.end))
  return [{ type: 'patch', file, edits: [pathEdit(span.start, span.end, old, to, move)] }]
}
