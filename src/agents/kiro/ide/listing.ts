// Which sessions the editor's side bar shows: those in sessions.json of the folder that is named by the
// project's path. The editor keeps the list in memory, so it is changed only while the editor is closed.
import { basename, dirname, join } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { exists, readOptionalFile } from '../../../disk/files/read.ts'
import type { ByteEdit } from '../../../model/plan.ts'
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
import { asArray, asObject, asText } from '../../stores/values.ts'
import { workspaceHash } from './executions.ts'
import { folderFromName } from './read.ts'

export const listing: StoreListing = { inspect, planMove }

const SESSIONS = 'workspace-sessions'
const INDEX = 'sessions.json'
const MAX_BYTES = 64 * 1024 * 1024

interface Index {
  file: string
  bytes: Buffer | undefined
  /** By the id of the session. Undefined for a file that is not a list. */
  entries: Map<string, { isHidden: boolean }> | undefined
}

function readIndex(folder: string, root: string): Index {
  const file = join(folder, INDEX)
  const bytes = exists(file) ? readOptionalFile(file, root) : undefined
  const list = bytes === undefined ? [] : asArray(parseJson(bytes))
  const entries = list?.map(asObject).flatMap(entry => {
    const id = asText(entry?.['sessionId'])
    return id === undefined ? [] : [[id, { isHidden: entry?.['hidden'] === true }] as const]
  })
  return { file, bytes, entries: entries === undefined ? undefined : new Map(entries) }
}

/** Only documents of workspaces have a list. */
function workspacesOf({ location, sessions }: ListedPlace): Map<string, SessionRef[]> {
  const top = join(location.path, SESSIONS)
  const own = sessions.filter(({ filePath }) => dirname(dirname(filePath)) === top && filePath.endsWith('.json'))
  return Map.groupBy(own, ({ filePath }) => dirname(filePath))
}

async function inspect(place: ListedPlace): Promise<Inspection> {
  const inspection: Inspection = { states: new Map(), problems: [], stale: [] }
  for (const [folder, sessions] of workspacesOf(place)) {
    const index = readIndex(folder, place.location.root)
    const project = folderFromName(basename(folder))
    const missing = sessions.filter(({ sessionId }) => index.entries?.has(sessionId) !== true)
    const hidden = sessions.filter(({ sessionId }) => index.entries?.get(sessionId)?.isHidden === true)
    const problems = [
      ...(missing.length === 0 ? [] : [unlisted(index, missing, project)]),
      ...(hidden.length === 0 ? [] : [hiddenOnes(index, hidden)]),
    ]
    for (const session of sessions) {
      const reason = problems.find(problem => problem.sessions.includes(session))?.reason
      inspection.states.set(session, { folder: project, ...(reason === undefined ? {} : { reason }) })
    }
    inspection.problems.push(...problems)
    const known = new Set(sessions.map(({ sessionId }) => sessionId))
    const stale = [...(index.entries?.keys() ?? [])].filter(id => !known.has(id)).length
    const text = `${index.file} names sessions whose files do not exist.`
    if (stale > 0) inspection.stale.push({ file: index.file, count: stale, text })
  }
  return inspection
}

function unlisted(index: Index, sessions: SessionRef[], project: string | undefined): ListingProblem {
  const { file, bytes, entries } = index
  const reason = bytes === undefined ? 'index-missing' : entries === undefined ? 'index-corrupt' : 'not-indexed'
  const what = { 'index-missing': 'does not exist', 'index-corrupt': 'is not a list', 'not-indexed': 'omits them' }
  return {
    reason,
    sessions,
    text: `The side bar of Kiro does not show these sessions: ${file} ${what[reason]}.`,
    evidence: [`${sessions.length} files beside it have no entry in it.`],
    plan: async wanted => ({ changes: [], whenClosed: [addEntries(index, wanted, project)], notes: [] }),
  }
}

function hiddenOnes(index: Index, sessions: SessionRef[]): ListingProblem {
  return {
    reason: 'archived',
    sessions,
    text: `These sessions are marked as hidden in ${index.file}.`,
    evidence: ['Some versions of Kiro set this mark by themselves.'],
    isDeliberate: true,
    plan: async wanted => ({ changes: [], whenClosed: showAgain(index, wanted), notes: [] }),
  }
}

/** An entry is an object without others inside. */
const ENTRY = /\{[^{}]*\}/g
const HIDDEN = /"hidden"\s*:\s*(true)/

function showAgain({ file, bytes }: Index, sessions: readonly SessionRef[]): ListingChange[] {
  const ids = new Set(sessions.map(({ sessionId }) => sessionId))
  const edits = [...(bytes?.toString('latin1').matchAll(ENTRY) ?? [])].flatMap(({ 0: text, index }): ByteEdit[] => {
    const id = asText(asObject(parseJson(Buffer.from(text, 'latin1')))?.['sessionId'])
    const found = id !== undefined && ids.has(id) ? HIDDEN.exec(text) : null
    if (found === null) return []
    const end = index + found.index + found[0].length
    const why = { damage: UNLISTED, reason: 'Show the session in the side bar' }
    return [{ start: end - 'true'.length, end, bytes: Buffer.from('false'), old: Buffer.from('true'), ...why }]
  })
  return edits.length === 0 ? [] : [{ type: 'patch', file, edits }]
}

/** As Kiro writes them. The document has the same facts. */
function addEntries(
  { file, bytes, entries }: Index,
  sessions: readonly SessionRef[],
  project: string | undefined,
): ListingChange {
  const added = sessions.map(session => {
    const document = asObject(
      parseJson(readOptionalFile(session.filePath, session.storeRoot, MAX_BYTES) ?? Buffer.of()),
    )
    return {
      sessionId: session.sessionId,
      title: asText(document?.['title']) ?? session.title ?? 'New Session',
      dateCreated: asText(document?.['dateCreated']) ?? String(Math.round(session.updatedAt)),
      workspaceDirectory: asText(document?.['workspaceDirectory']) ?? project ?? '',
    }
  })
  const why = { damage: UNLISTED, reason: `List ${sessions.length} sessions in the side bar` }
  const text = JSON.stringify(added)
  // Before the end of the list; everything else in it stays as it is.
  const end = bytes === undefined || entries === undefined ? -1 : bytes.lastIndexOf(']')
  if (end === -1) return { type: 'write', file, bytes: Buffer.from(text), ...why }
  const inserted = Buffer.from(`${entries === undefined || entries.size === 0 ? '' : ','}${text.slice(1, -1)}`)
  return { type: 'patch', file, edits: [{ start: end, end, bytes: inserted, old: Buffer.of(), ...why }] }
}

async function planMove(place: ListedPlace, move: FolderMove): Promise<ListingPlan> {
  const plan: Required<ListingPlan> = { changes: [], whenClosed: [], notes: [] }
  for (const [folder, sessions] of workspacesOf(place)) {
    const project = folderFromName(basename(folder))
    const to = project === undefined ? undefined : movedPath(project, move)
    if (project === undefined || to === undefined) continue
    const moves = [
      [folder, join(dirname(folder), nameLike(basename(folder), to))],
      [join(place.location.path, workspaceHash(project)), join(place.location.path, workspaceHash(to))],
    ] as const
    const [taken] = moves.filter(([from, target]) => exists(from) && exists(target))
    if (taken !== undefined) {
      plan.notes.push(`${taken[1]} exists already, so the sessions of ${project} stay where they are.`)
      continue
    }
    for (const file of [join(folder, INDEX), ...sessions.map(({ filePath }) => filePath)]) {
      const edits = folderEdits(file, place.location.root, move)
      if (edits.length > 0) plan.whenClosed.push({ type: 'patch', file, edits })
    }
    const reason = `Name it for ${to}`
    for (const [file, target] of moves)
      if (exists(file)) plan.whenClosed.push({ type: 'move', file, to: target, damage: UNLISTED, reason })
  }
  return plan
}

/** Some versions write the padding as `_`. */
function nameLike(name: string, path: string): string {
  const encoded = Buffer.from(path).toString('base64')
  return name.endsWith('_') ? encoded.replaceAll('=', '_') : encoded
}

const FOLDER = /"workspace(?:Directory|Path)"\s*:\s*("(?:[^"\\]|\\.)*")/g

function folderEdits(file: string, root: string, move: FolderMove): ByteEdit[] {
  const bytes = exists(file) ? readOptionalFile(file, root, MAX_BYTES) : undefined
  // One character for each byte, so that places are offsets.
  return [...(bytes?.toString('latin1').matchAll(FOLDER) ?? [])].flatMap(found => {
    const [whole, quoted = ''] = found
    const end = found.index + whole.length
    const old = Buffer.from(quoted, 'latin1')
    const value = parseJson(old)
    const moved = typeof value === 'string' ? movedPath(value, move) : undefined
    return moved === undefined ? [] : [pathEdit(end - quoted.length, end, old, moved, move)]
  })
}
