// Which sessions Claude Code lists: those in the project folder whose name is the encoded path of the current
// folder. Some versions show only what sessions-index.json names.
import { basename, dirname, join } from 'node:path'
import { exists } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import {
  type Inspection,
  type ListedPlace,
  type ListingPlan,
  type ListingProblem,
  type StoreListing,
  UNLISTED,
} from '../../listing.ts'
import { installed } from '../folders.ts'
import { findsInAllProjects } from '../loader/rules.ts'
import { INDEX_NAME, idsInIndex, indexFileOf, isMissingFromIndex, WHY_REMOVED } from '../repair/sessions-index.ts'
import { moveOne, planMove } from './move.ts'
import { folderNameOf, recordedVersion, whereListed } from './places.ts'
import { risks } from './risks.ts'

export const listing: StoreListing = { inspect, planMove, risks }

async function inspect(place: ListedPlace): Promise<Inspection> {
  const inspection: Inspection = { states: new Map(), problems: [], stale: [] }
  const version = installed(place.environment)?.version
  const astray = new Map<string, SessionRef[]>()
  const unindexed = new Map<string, SessionRef[]>()
  for (const session of place.sessions) {
    if (session.subagentOf !== undefined || session.sessionId.startsWith('agent-')) continue
    const listed = whereListed(session)
    if (listed === undefined) continue
    const { folder, first } = listed
    // Of a folder that is gone, the project folder may have been renamed by hand: then the session is listed.
    if (folder === undefined && exists(first)) {
      const isFound = isFoundByFolder(place, version ?? recordedVersion(session), first)
      inspection.states.set(session, { folder: first, ...(isFound ? {} : { reason: 'wrong-project' }) })
      collect(astray, JSON.stringify([dirname(session.filePath), first, isFound]), session)
    } else if (isMissingFromIndex(session, version)) {
      inspection.states.set(session, { folder: folder ?? first, reason: 'not-indexed' })
      collect(unindexed, indexFileOf(session), session)
    } else inspection.states.set(session, { folder })
  }
  for (const [key, sessions] of astray) {
    const [from, folder, isFound] = JSON.parse(key) as [string, string, boolean]
    inspection.problems.push(inOtherProject(place, sessions, from, folder, isFound))
  }
  for (const [file, sessions] of unindexed) inspection.problems.push(notIndexed(sessions, file))
  inspection.stale = staleEntries(place, version)
  return inspection
}

function collect(map: Map<string, SessionRef[]>, key: string, session: SessionRef): void {
  map.set(key, [...(map.get(key) ?? []), session])
}

/**
 * Later versions search all projects for sessions whose records name the folder, but only
 * while the folder's own project has no session.
 */
function isFoundByFolder({ sessions }: ListedPlace, version: string | undefined, folder: string): boolean {
  if (!findsInAllProjects(version)) return false
  const name = folderNameOf(folder)
  return !sessions.some(({ filePath, subagentOf }) => subagentOf === undefined && basename(dirname(filePath)) === name)
}

function inOtherProject(
  place: ListedPlace,
  sessions: SessionRef[],
  from: string,
  folder: string,
  isOnlyRisk: boolean,
): ListingProblem {
  const text = isOnlyRisk
    ? `The files of these sessions of ${folder} are in ${from}. This version of Claude Code continues them until a session is started in ${folder}; earlier ones, such as 2.1.25, never list them.`
    : `Claude Code does not list these sessions in ${folder}: their files are in ${from}.`
  return {
    reason: 'wrong-project',
    sessions,
    text,
    isOnlyRisk,
    evidence: [`Every record names ${folder}, and none names a folder that is called ${basename(from)} when encoded.`],
    async plan(wanted) {
      const plan: ListingPlan = { changes: [], notes: [] }
      for (const session of wanted) moveOne(plan, place, session, folder, { isWhole: false })
      return plan
    },
  }
}

function notIndexed(sessions: SessionRef[], file: string): ListingProblem {
  return {
    reason: 'not-indexed',
    sessions,
    text: `${file} does not name these sessions, so Claude Code does not offer them. They can still be resumed by id.`,
    evidence: [`${INDEX_NAME} was written, or another session changed, after these sessions.`],
    plan: async () => ({ changes: [{ type: 'remove', file, damage: UNLISTED, reason: WHY_REMOVED }], notes: [] }),
  }
}

/** Only where the version relies on the index: others rebuild it, or have none. */
function staleEntries(place: ListedPlace, version: string | undefined): Inspection['stale'] {
  const folders = Map.groupBy(place.sessions, ({ filePath }) => dirname(filePath))
  return [...folders].flatMap(([folder, [session]]) => {
    if (session === undefined) return []
    const missing = [...idsInIndex(session, version)].filter(id => !exists(join(folder, `${basename(id)}.jsonl`)))
    const file = join(folder, INDEX_NAME)
    return missing.length === 0
      ? []
      : [{ file, count: missing.length, text: `${file} names sessions whose files do not exist.` }]
  })
}
