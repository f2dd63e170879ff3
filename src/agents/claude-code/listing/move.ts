// The changes that take sessions to the project folder of another path, with everything that belongs to them.
import { basename, dirname, join, sep } from 'node:path'
import { applyEdits } from '../../../bytes/edits.ts'
import { parseObject } from '../../../bytes/json.ts'
import { exists, readOptionalFile, readSmallFile, statPath } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import {
  type FolderMove,
  type ListedPlace,
  type ListingChange,
  type ListingPlan,
  movedPath,
  UNLISTED,
} from '../../listing.ts'
import { moveInLines, moveKeys } from '../../stores/path-fields.ts'
import { asObject } from '../../stores/values.ts'
import { INDEX_NAME } from '../repair/sessions-index.ts'
import { CWD, folderNameOf, whereListed } from './places.ts'

/** A larger log is moved as it is: its own records then name the old folder. */
const MAX_REWRITTEN_BYTES = 256 * 1024 * 1024
/** The settings of all projects, with what the agent remembers of each. */
const MAX_STATE_BYTES = 64 * 1024 * 1024

export async function planMove(place: ListedPlace, move: FolderMove): Promise<ListingPlan> {
  const plan: Required<ListingPlan> = { changes: [], whenClosed: [], notes: [] }
  const main = place.sessions.filter(({ subagentOf }) => subagentOf === undefined)
  const byFolder = Map.groupBy(main, ({ filePath }) => dirname(filePath))
  for (const [folder, sessions] of byFolder) {
    const concerned = new Map<SessionRef, string>()
    for (const session of sessions) {
      const listed = whereListed(session)
      const base = listed?.folder ?? listed?.first
      const target = base === undefined ? undefined : movedPath(base, move)
      if (target !== undefined) concerned.set(session, target)
    }
    const targets = new Set(concerned.values())
    const [only] = targets
    if (only === undefined) continue
    const isWhole = targets.size === 1 && sessions.every(session => concerned.has(session) || !whereListed(session))
    const name = folderNameOf(only)
    if (name === undefined) plan.notes.push(tooLong(only))
    else if (isWhole && !exists(join(dirname(folder), name))) moveWhole(plan, place, folder, name, move)
    else for (const [session, target] of concerned) moveOne(plan, place, session, target, { move, isWhole })
  }
  moveBeside(plan, place, move)
  return plan
}

/** The folder keeps all that is in it: memory, subagents, results of tools. */
function moveWhole(plan: ListingPlan, place: ListedPlace, folder: string, name: string, move: FolderMove): void {
  for (const { filePath, storeRoot } of place.sessions.filter(each => each.filePath.startsWith(folder + sep))) {
    const patch = moveInLines(filePath, storeRoot, [CWD], move)
    if (patch !== undefined) plan.changes.push(patch)
  }
  plan.changes.push(...withoutIndex(folder))
  plan.changes.push({
    ...moved(folder, join(dirname(folder), name)),
    reason: `Rename the project folder for ${move.to}`,
  })
}

interface MoveOptions {
  /** Absent where the records name the right folder already. */
  move?: FolderMove
  /** Every session of the folder is moved, so what they share goes along. */
  isWhole: boolean
}

/** Into a project folder that exists already, beside the sessions that are there. */
export function moveOne(
  plan: ListingPlan,
  place: Pick<ListedPlace, 'sessions'>,
  session: SessionRef,
  target: string,
  { move, isWhole }: MoveOptions,
): void {
  const { filePath, sessionId, storeRoot } = session
  const name = folderNameOf(target)
  if (name === undefined) return void plan.notes.push(tooLong(target))
  const folder = dirname(filePath)
  const newFolder = join(dirname(folder), name)
  const to = join(newFolder, basename(filePath))
  const own = join(folder, sessionId)
  if (exists(to) || (exists(own) && exists(join(newFolder, sessionId))))
    return void plan.notes.push(`${to} exists already, so session ${sessionId} stays where it is.`)
  const patch = move === undefined ? undefined : moveInLines(filePath, storeRoot, [CWD], move)
  const isSmall = session.fileSize <= MAX_REWRITTEN_BYTES
  if (patch === undefined || !isSmall) plan.changes.push(moved(filePath, to))
  else {
    const stats = statPath(filePath)
    const bytes = applyEdits(readSmallFile(filePath, storeRoot, MAX_REWRITTEN_BYTES), patch.edits)
    const mode = Number(stats.mode) & 0o777
    const why = { damage: UNLISTED, reason: `Move the session to the project folder of ${target}` }
    plan.changes.push({ type: 'write', file: to, bytes, modifiedNs: stats.mtimeNs, mode, ...why })
    plan.changes.push({ type: 'remove', file: filePath, ...why })
  }
  if (exists(own)) {
    const logs = place.sessions.filter(each => each.filePath.startsWith(own + sep))
    for (const log of move === undefined ? [] : logs) {
      const inside = moveInLines(log.filePath, log.storeRoot, [CWD], move ?? { from: '', to: '' })
      if (inside !== undefined) plan.changes.push(inside)
    }
    plan.changes.push(moved(own, join(newFolder, sessionId)))
  }
  const index = withoutIndex(folder).filter(({ file }) => !plan.changes.some(change => change.file === file))
  plan.changes.push(...index)
  const memory = join(folder, 'memory')
  if (!isWhole || !exists(memory) || plan.changes.some(({ file }) => file === memory)) return
  if (exists(join(newFolder, 'memory')))
    plan.notes.push(`${newFolder} has a memory folder of its own; ${memory} stays.`)
  else plan.changes.push(moved(memory, join(newFolder, 'memory')))
}

function moved(file: string, to: string): Extract<ListingChange, { type: 'move' }> {
  return { type: 'move', file, to, damage: UNLISTED, reason: `Move it to ${basename(dirname(to))}` }
}

/** It names the sessions by their old paths. Versions that use it make it again. */
function withoutIndex(folder: string): ListingChange[] {
  const file = join(folder, INDEX_NAME)
  if (!exists(file)) return []
  return [{ type: 'remove', file, damage: UNLISTED, reason: 'Move it to the vault; Claude Code recreates it' }]
}

/** The list of prompts, and the settings of each project. */
function moveBeside(plan: Required<ListingPlan>, { location }: ListedPlace, move: FolderMove): void {
  const config = dirname(location.path)
  const history = join(config, 'history.jsonl')
  const patch = exists(history) ? moveInLines(history, config, [['project']], move) : undefined
  if (patch !== undefined) plan.changes.push(patch)
  const state = stateFileOf(config)
  const bytes = state === undefined ? undefined : readOptionalFile(state, dirname(state), MAX_STATE_BYTES)
  if (state === undefined || bytes === undefined) return
  const projects = asObject(parseObject(bytes)?.['projects'])
  if (projects === undefined) return
  const { edits, taken } = moveKeys(bytes, ['projects'], Object.keys(projects), move)
  if (edits.length > 0) plan.whenClosed.push({ type: 'patch', file: state, edits })
  for (const key of taken)
    plan.notes.push(`${state} has settings for ${movedPath(key, move) ?? move.to} already; those of ${key} stay.`)
}

/** Beside the folder `.claude` of a home, inside a folder that CLAUDE_CONFIG_DIR names. */
function stateFileOf(config: string): string | undefined {
  return [join(config, '.claude.json'), `${config}.json`].find(file => exists(file))
}

function tooLong(path: string): string {
  return `The path ${path} is so long that Claude Code cuts the name of its folder; its sessions stay.`
}
