// One report over all agents: sessions that the agent's own list omits, folders that moved, and what may be
// lost next. Reads only; what it learns of existing folders is kept in rethread's own state.
import { type FolderMove, type ListingProblem, movedPath } from '../agents/listing.ts'
import type { Context } from '../catalog/context.ts'
import { hasErrorCode } from '../model/errors.ts'
import { quote } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import { openFolderMemory, rememberFolders } from './evidence.ts'
import { relinkLine } from './fix.ts'
import { findMoved, type GoneFolder, isFolder, type MovedFolder, namedFiles } from './gone-folders.ts'
import { describeSessions, type InspectedAll, type InspectedPlace, type InspectOptions, inspectAll } from './inspect.ts'
import type { DoctorFinding, DoctorReport } from './report.ts'
import { findWarnings } from './warnings.ts'

export interface DoctorOptions extends InspectOptions {
  /** Only sessions of this folder and below it. */
  project?: string
}

/** The report, and what a fix needs of it. */
export interface DoctorRun {
  report: DoctorReport
  inspected: InspectedAll
  /** Folders that certainly moved, with everything below them, each once. */
  moves: FolderMove[]
  /** Whether a session is one that was asked for. */
  isWanted(session: Named): boolean
}

/** How often everything is examined again because a session vanished meanwhile. */
const MAX_AGAIN = 3

export async function runDoctor(context: Context, options: DoctorOptions = {}): Promise<DoctorRun> {
  for (let again = 0; ; again++)
    try {
      return await examine(context, options)
    } catch (error) {
      if (!hasErrorCode(error, 'not-found') || again === MAX_AGAIN) throw error
    }
}

async function examine(context: Context, options: DoctorOptions): Promise<DoctorRun> {
  const inspected = await inspectAll(context, options)
  const isWanted = wantedIn(inspected, options.project)
  const problems = inspected.places.flatMap(place => findingsOf(place, isWanted))
  const { findings: folders, moves, gone } = await findFolders(context, inspected, isWanted)
  const warnings = await findWarnings(context, inspected.sessions.filter(isWanted), options.agents)
  const sessions = describeSessions(inspected)
    .filter(({ agent, sessionId, filePath }) => isWanted({ agent, sessionId, filePath }))
    .map(session => (session.folder !== null && gone.has(session.folder) ? asMoved(session) : session))
  const failures = inspected.failures.map(({ agent, code, text, hint }) => ({ agent, code, text, hint }))
  const count = (state: string): number => sessions.filter(session => session.state === state).length
  const findings = [...problems, ...folders, ...brokenIndexes(inspected.places), ...warnings].toSorted(
    (a, b) => rank(a) - rank(b),
  )
  const totals = {
    sessions: sessions.length,
    listed: count('listed'),
    lost: count('unlisted'),
    unknown: count('unknown'),
  }
  return { report: { findings, sessions, failures, totals }, inspected, moves, isWanted }
}

function asMoved(session: DoctorReport['sessions'][number]): DoctorReport['sessions'][number] {
  return session.state === 'listed' ? { ...session, state: 'unlisted', reason: 'folder-moved' } : session
}

function rank({ severity }: DoctorFinding): number {
  return ['lost', 'warning', 'notice'].indexOf(severity)
}

type Named = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>

function wantedIn({ places, sessions }: InspectedAll, project: string | undefined): (session: Named) => boolean {
  if (project === undefined) return () => true
  const states = new Map(places.flatMap(({ inspection }) => [...inspection.states]))
  const wanted = sessions.filter(session => isInside(states.get(session)?.folder ?? session.project, project))
  const keys = new Set(wanted.map(keyOf))
  return session => keys.has(keyOf(session))
}

function isInside(folder: string | undefined, project: string): boolean {
  return folder !== undefined && movedPath(folder, { from: project, to: project }) !== undefined
}

function keyOf({ agent, sessionId, filePath }: Named): string {
  return JSON.stringify([agent, sessionId, filePath])
}

const MAX_NAMED_SESSIONS = 20

function findingsOf(
  { agent, inspection, place }: InspectedPlace,
  isWanted: (session: Named) => boolean,
): DoctorFinding[] {
  const problems = inspection.problems.flatMap((problem): DoctorFinding[] => {
    const sessions = problem.sessions.filter(isWanted)
    const [first] = sessions
    if (first === undefined) return []
    const isFixable = problem.refused === undefined && problem.isDeliberate !== true
    const command = relinkLine(isFixable ? sessions : [first], place.sessions)
    return [
      {
        kind: 'unlisted',
        severity: severityOf(problem),
        agent: agent.id,
        reason: problem.reason,
        text: problem.refused === undefined ? problem.text : `${problem.text} ${problem.refused}`,
        evidence: problem.evidence,
        ...(problem.refused === undefined ? { command } : {}),
        isFixable,
        ...namesOf(sessions),
      },
    ]
  })
  const stale = inspection.stale.map(
    ({ text, count, file }): DoctorFinding => ({
      kind: 'stale-entry',
      severity: 'notice',
      agent: agent.id,
      text,
      evidence: [`${count} entries of ${file} have no session.`],
      isFixable: false,
      counts: {},
      sessions: [],
    }),
  )
  return [...problems, ...stale]
}

/** Once for each file: stores of one agent may share it. */
function brokenIndexes(places: readonly InspectedPlace[]): DoctorFinding[] {
  const found = new Map<string, DoctorFinding>()
  for (const { agent, inspection } of places)
    for (const { file, text } of inspection.broken ?? [])
      found.set(file, {
        kind: 'broken-index',
        severity: 'notice',
        agent: agent.id,
        text,
        evidence: [file],
        isFixable: false,
        counts: {},
        sessions: [],
      })
  return [...found.values()]
}

function severityOf({ isDeliberate, isOnlyRisk }: ListingProblem): DoctorFinding['severity'] {
  if (isDeliberate === true) return 'notice'
  return isOnlyRisk === true ? 'warning' : 'lost'
}

function namesOf(sessions: readonly SessionRef[]): Pick<DoctorFinding, 'counts' | 'sessions'> {
  const counts: Record<string, number> = {}
  for (const { agent } of sessions) counts[agent] = (counts[agent] ?? 0) + 1
  const named = sessions.slice(0, MAX_NAMED_SESSIONS).map(({ agent, sessionId }) => ({ agent, sessionId }))
  return { counts, sessions: named }
}

interface FoundFolders {
  findings: DoctorFinding[]
  moves: FolderMove[]
  /** Folders that are gone and were found elsewhere. */
  gone: Set<string>
}

async function findFolders(
  context: Context,
  inspected: InspectedAll,
  isWanted: (session: Named) => boolean,
): Promise<FoundFolders> {
  const { there, missing } = await foldersOf(context, inspected)
  rememberFolders(context.state, there.keys())
  const result: FoundFolders = { findings: [], moves: [], gone: new Set() }
  const moved = new Map<string, MovedFolder & { sessions: SessionRef[] }>()
  const lost: GoneFolder[] = []
  const memory = openFolderMemory(context.state)
  try {
    for (const gone of missing) {
      const found = findMoved(gone, there, memory)
      if (found === undefined) lost.push(gone)
      else {
        const { from, to } = found.move
        const known = moved.get(JSON.stringify([from, to]))
        const sessions = [...(known?.sessions ?? []), ...gone.sessions]
        const evidence = [...new Set([...(known?.evidence ?? []), ...found.evidence])]
        const isProven = found.isProven || known?.isProven === true
        moved.set(JSON.stringify([from, to]), { move: { from, to }, evidence, isProven, sessions })
        result.gone.add(gone.path)
      }
    }
  } finally {
    memory.close()
  }
  for (const found of moved.values()) {
    if (!found.sessions.some(isWanted)) continue
    if (found.isProven) result.moves.push(found.move)
    result.findings.push(movedFinding(found, found.sessions))
  }
  const orphaned = lost.filter(({ sessions }) => sessions.some(isWanted))
  if (orphaned.length > 0) result.findings.push(goneFinding(orphaned))
  return result
}

interface Folders {
  there: Map<string, { firstAt: number }>
  missing: GoneFolder[]
}

async function foldersOf(context: Context, { places }: InspectedAll): Promise<Folders> {
  const there = new Map<string, { firstAt: number }>()
  const missing = new Map<string, Omit<GoneFolder, 'named' | 'mentioned'>>()
  for (const { inspection } of places)
    for (const [session, { folder, git }] of inspection.states) {
      if (folder === undefined) continue
      const gone = missing.get(folder)
      if (gone === undefined && (there.has(folder) || isFolder(folder))) {
        const firstAt = Math.min(there.get(folder)?.firstAt ?? session.updatedAt, session.updatedAt)
        there.set(folder, { firstAt })
        continue
      }
      missing.set(folder, {
        path: folder,
        sessions: [...(gone?.sessions ?? []), session],
        git: [...(gone?.git ?? []), ...(git === undefined ? [] : [git])],
        firstAt: Math.min(gone?.firstAt ?? session.updatedAt, session.updatedAt),
        lastAt: Math.max(gone?.lastAt ?? session.updatedAt, session.updatedAt),
      })
    }
  const gone: GoneFolder[] = []
  for (const each of missing.values()) gone.push({ ...each, ...(await namedFiles(context, each.path, each.sessions)) })
  return { there, missing: gone }
}

function movedFinding({ move, evidence, isProven }: MovedFolder, sessions: readonly SessionRef[]): DoctorFinding {
  const { from, to } = move
  return {
    kind: 'folder-moved',
    severity: 'lost',
    reason: 'folder-moved',
    text: isProven
      ? `${from} is ${to} now, and the agents search for its conversations at the old path.`
      : `${from} no longer exists, and ${to} may be the same folder. If it is, make the agents list its conversations there.`,
    evidence,
    command: `rethread move ${quote(from)} ${quote(to)}`,
    isFixable: isProven,
    ...namesOf(sessions),
    folder: { from, to },
  }
}

const MAX_NAMED_FOLDERS = 10

function goneFinding(gone: readonly GoneFolder[]): DoctorFinding {
  const [first] = gone
  const sessions = gone.flatMap(each => each.sessions)
  const names = gone.map(({ path }) => path)
  const more = names.length - MAX_NAMED_FOLDERS
  return {
    kind: 'folder-gone',
    severity: 'notice',
    text:
      names.length === 1
        ? `${names[0]} no longer exists, so no agent lists its conversations. If it has another path now, name it.`
        : `${names.length} project folders no longer exist, so no agent lists their conversations. If one has another path now, name it.`,
    evidence: [...names.slice(0, MAX_NAMED_FOLDERS), ...(more > 0 ? [`and ${more} more`] : [])],
    ...(first === undefined ? {} : { command: `rethread move ${quote(first.path)} NEW-FOLDER` }),
    isFixable: false,
    ...namesOf(sessions),
  }
}
