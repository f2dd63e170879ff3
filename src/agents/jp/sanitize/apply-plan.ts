// Carries out what was planned for one conversation: all of it or nothing, with a receipt; then looks whether it came out as planned.
import { dirname, sep } from 'node:path'
import { statIfThere } from '../../../disk/files/handles.ts'
import { assertInside, identityOf } from '../../../disk/files/read.ts'
import { applyChanges } from '../../../disk/vault/apply.ts'
import type { PlannedFile } from '../../../disk/vault/plan-fit.ts'
import type { Move } from '../../../disk/vault/steps/step.ts'
import { undoReceipt } from '../../../disk/vault/undo.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { Change, Why } from '../../../model/plan.ts'
import { type CopyState, classifyAlone } from '../classify/index.ts'
import { isHealthy } from '../classify/state.ts'
import { type Conversation, type ConversationFolder, placeFolder } from '../conversations.ts'
import { ACTIVE, AGENT, ARCHIVED } from '../names.ts'
import type { Root } from '../roots.ts'
import { filePathOf } from '../store/discover.ts'
import { conditionText } from './course.ts'
import { carryFile, type FilePlan } from './file-plan.ts'
import type { Job } from './job.ts'
import { entryFor } from './report.ts'

export interface Changes {
  changes: (Change | Move)[]
  planned: PlannedFile[]
}

/** The receipt's id. `filePath` is what the conversation is known by, once it is done. */
export async function apply(
  job: Job,
  conversation: Conversation,
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

/** A folder that gets another name once its files are right. */
export interface FolderMove extends Why {
  folder: ConversationFolder
  to: string
  /** Files in it that do not go along. */
  without?: readonly string[]
  /** What the line says behind the name of the conversation. */
  text: string
}

/** All of it with one receipt. Throws before anything is told, and with everything as it was, where a new file is not what it should be. */
export async function applyFiles(
  job: Job,
  conversation: Conversation,
  plans: readonly FilePlan[],
  moves: readonly FolderMove[] = [],
): Promise<void> {
  if (plans.length + moves.length === 0) return
  const prepared = plans.map(plan => ({ plan, ...carryFile(plan, job.quarantine) }))
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

function changesOf({ folder, to, without: gone = [], damage, reason }: FolderMove): (Change | Move)[] {
  assertInPlace(folder.root, to)
  return [
    ...gone.map(file => ({ type: 'remove' as const, file, damage, reason })),
    { type: 'move', file: folder.path, to, damage, reason },
  ]
}

/** However a name came about, nothing is moved out of the storage that it is in. */
function assertInPlace(root: Root, to: string): void {
  const above = dirname(to)
  if (above !== placeFolder(root, ACTIVE) && above !== placeFolder(root, ARCHIVED))
    throw new Error(`${to} is not a place for a conversation of ${root.path}.`)
  if (statIfThere(above, 'stat') !== undefined) assertInside(above, root.path)
}

/** Where it is once the folder around it has another name. */
function moveAlong(moves: readonly FolderMove[], path: string): string {
  const move = moves.find(({ folder }) => path === folder.path || path.startsWith(folder.path + sep))
  return move === undefined ? path : move.to + path.slice(move.folder.path.length)
}

async function verify(
  job: Job,
  plans: readonly FilePlan[],
  receipt: string,
  moves: readonly FolderMove[],
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

/** Files of copies that are not in these folders any more would be looked for in vain. */
export function without(conversation: Conversation, copies: readonly CopyState[]): Conversation {
  const gone = new Set(copies.map(({ folder }) => folder.path))
  return { ...conversation, folders: conversation.folders.filter(({ path }) => !gone.has(path)) }
}
