// Applies the plan for one conversation with one receipt, and verifies the result.

import { dirname, sep } from 'node:path'
import { statIfThere } from '../../../disk/files/handles.ts'
import { assertInside, identityOf } from '../../../disk/files/read.ts'
import { applyChanges } from '../../../disk/vault/apply.ts'
import type { PlannedFile } from '../../../disk/vault/plan-fit.ts'
import type { Move } from '../../../disk/vault/steps/step.ts'
import { undoReceipt } from '../../../disk/vault/undo.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { Change, Why } from '../../../model/plan.ts'
import type { ReportEntry } from '../../sanitizer.ts'
import type { CopyState } from '../classify/index.ts'
import { classifyAlone } from '../classify/index.ts'
import type { FileMark, FileState } from '../classify/state.ts'
import { isHealthy } from '../classify/state.ts'
import type { ConversationFolder, JpConversation } from '../conversations.ts'
import { placeFolder } from '../conversations.ts'
import type { ManagedFile } from '../names.ts'
import { ACTIVE, AGENT, ARCHIVED, EVENTS, MANAGED } from '../names.ts'
import type { Root } from '../roots.ts'
import { filePathOf } from '../store/discover.ts'
import { conditionText } from './diagnosis.ts'
import type { Quarantine, SanitizeJob } from './job.ts'
import { entryFor } from './job.ts'

export interface FilePlan {
  copy: CopyState
  file: ManagedFile
  /** Undefined if the damaged file is only quarantined. */
  bytes: Buffer | undefined
  /** The modification time of the new file. A default must never be newer than the file that it replaces. */
  modifiedNs: bigint | undefined
  bucket: 'repaired' | 'degraded'
  /** The text after the name of the conversation in the report. */
  text: string
  source?: string
  /** See `ReportEntry.remark`. */
  remark?: string
  /** The new config has nothing of the flags that the conversation was started with. */
  losesFlags?: true
}

interface PreparedFile {
  change: Change | Move
  planned: PlannedFile[]
  entry: ReportEntry
}

const DAMAGE: Record<ManagedFile, string> = {
  'metadata.json': 'lost-header',
  'base_config.json': 'lost-config',
  'init_config.json': 'lost-overrides',
  'events.json': 'malformed-document',
}

/** Sorts the plans by file in the order of repair. */
export function inOrder(plans: readonly FilePlan[]): FilePlan[] {
  return MANAGED.flatMap(file => plans.filter(plan => plan.file === file))
}

function prepareFile(plan: FilePlan, quarantine: Quarantine): PreparedFile {
  const { copy, file, bytes, text, source, remark, bucket, modifiedNs } = plan
  const state = copy.files[file]
  const why = { damage: DAMAGE[file], reason: text }
  const entry: ReportEntry = {
    conversation: copy.folder.name,
    root: copy.folder.root.path,
    file,
    line: `${bucket === 'repaired' ? 'Repaired' : 'Degraded'} conversation ${copy.folder.name}: ${text}`,
    ...(source === undefined ? {} : { source }),
    ...(remark === undefined ? {} : { remark }),
  }
  const mode = modeFor(copy, state)
  const fresh = bytes === undefined ? undefined : { bytes, mode, ...(modifiedNs === undefined ? {} : { modifiedNs }) }
  if (state.mark === undefined) {
    if (fresh === undefined) throw new Error(`The plan has no change for ${state.path}.`)
    return { change: { type: 'write', file: state.path, ...fresh, ...why }, planned: [], entry }
  }
  const planned = [{ file: state.path, identity: identityFrom(state.mark) }]
  if (isHealthy(state)) {
    if (fresh === undefined) throw new Error(`Nothing is wrong with ${state.path}.`)
    return { change: { type: 'write', file: state.path, bytes: fresh.bytes, ...why }, planned, entry }
  }
  const to = quarantine.nameFor(state.path, state.condition.type === 'is-a-directory')
  const instead = fresh === undefined ? {} : { instead: fresh }
  return {
    change: { type: 'move', file: state.path, to, ...instead, ...why },
    planned,
    entry: { ...entry, quarantine: to },
  }
}

function identityFrom({ device, inode, size, mtimeNs }: FileMark): PlannedFile['identity'] {
  return { device, inode, size, mtimeMs: Number(mtimeNs) / 1e6, key: `${device}:${inode}:${size}:${mtimeNs}` }
}

const READABLE_BY_US = 0o600
const PERMISSIONS = 0o777

/** Uses the mode of the old file; for a new file, that of the events beside it. */
function modeFor({ files }: CopyState, state: FileState): number {
  const isPlain = (candidate: FileState): boolean =>
    candidate.mark !== undefined && candidate.linkTarget === undefined && candidate.condition.type !== 'is-a-directory'
  const like = [state, files[EVENTS]].find(isPlain)
  return ((like?.mark?.mode ?? 0) & PERMISSIONS) | READABLE_BY_US
}

export interface Changes {
  changes: (Change | Move)[]
  planned: PlannedFile[]
}

/** Returns the id of the receipt. `filePath` is the path of the session after the changes. */
export async function apply(
  job: SanitizeJob,
  conversation: JpConversation,
  { changes, planned }: Changes,
  filePath = filePathOf(conversation),
): Promise<string> {
  const receipt = await applyChanges({
    state: job.options.state,
    agent: AGENT,
    sessionId: conversation.sessionId,
    filePath,
    changes,
    planned,
  })
  return receipt.id
}

/** A folder that is renamed after its files are repaired. */
export interface ConversationMove extends Why {
  folder: ConversationFolder
  to: string
  /** Files in the folder that are removed before the move. */
  leftBehind?: readonly string[]
  /** The text after the name of the conversation in the report. */
  text: string
}

/**
 * Applies all changes with one receipt. If a new file is not valid, rolls back and throws before anything is
 * reported.
 */
export async function applyFiles(
  job: SanitizeJob,
  conversation: JpConversation,
  plans: readonly FilePlan[],
  moves: readonly ConversationMove[] = [],
): Promise<void> {
  if (plans.length + moves.length === 0) return
  const prepared = plans.map(plan => ({ plan, ...prepareFile(plan, job.quarantine) }))
  const changes = [...prepared.map(({ change }) => change), ...moves.flatMap(changesOf)]
  const planned = [...prepared.flatMap(one => one.planned), ...changes.slice(plans.length).flatMap(plannedFor)]
  const receipt = await apply(job, conversation, { changes, planned }, moveAlong(moves, filePathOf(conversation)))
  await verify(job, plans, receipt, moves)
  for (const { plan, entry } of prepared) {
    const quarantine = entry.quarantine && { quarantine: moveAlong(moves, entry.quarantine) }
    job.report[plan.bucket].push({ ...entry, ...quarantine, receipt })
  }
  for (const { folder, to, text } of moves)
    job.report.repaired.push(entryFor('repaired', folder, text, { target: to, receipt }))
}

function changesOf({ folder, to, leftBehind = [], damage, reason }: ConversationMove): (Change | Move)[] {
  assertInPlace(folder.root, to)
  return [
    ...leftBehind.map(file => ({ type: 'remove' as const, file, damage, reason })),
    { type: 'move', file: folder.path, to, damage, reason },
  ]
}

/** No folder is moved out of its storage, whatever its name is. */
function assertInPlace(root: Root, to: string): void {
  const above = dirname(to)
  if (above !== placeFolder(root, ACTIVE) && above !== placeFolder(root, ARCHIVED))
    throw new Error(`${to} is not a place for a conversation of ${root.path}.`)
  if (statIfThere(above, 'stat') !== undefined) assertInside(above, root.within)
}

/** Returns the path after the folder around it is renamed. */
function moveAlong(moves: readonly ConversationMove[], path: string): string {
  const move = moves.find(({ folder }) => path === folder.path || path.startsWith(folder.path + sep))
  return move === undefined ? path : move.to + path.slice(move.folder.path.length)
}

async function verify(
  job: SanitizeJob,
  plans: readonly FilePlan[],
  receipt: string,
  moves: readonly ConversationMove[],
): Promise<void> {
  for (const { copy, file, bytes } of plans) {
    const { state } = classifyAlone({ ...copy.folder, path: moveAlong(moves, copy.folder.path) }, file)
    if (bytes === undefined ? state.condition.type === 'missing' : isHealthy(state)) continue
    await undoReceipt(job.options.state, receipt)
    throw new RethreadError({
      code: 'repair-failed',
      text: `After the repair ${conditionText(state)}; the repair was rolled back.`,
      hint: 'Nothing was changed. Please report this with the output of: rethread sanitize --check --json',
      path: state.path,
    })
  }
}

function plannedFor({ file }: Change | Move): PlannedFile[] {
  return plannedAt(file)
}

export function plannedAt(path: string): PlannedFile[] {
  const stats = statIfThere(path)
  return stats === undefined ? [] : [{ file: path, identity: identityOf(stats) }]
}

/** The conversation without these copies. */
export function withoutCopies(conversation: JpConversation, copies: readonly CopyState[]): JpConversation {
  const gone = new Set(copies.map(({ folder }) => folder.path))
  return { ...conversation, folders: conversation.folders.filter(({ path }) => !gone.has(path)) }
}
