// Carries out a plan: under a lock, with copies and a receipt on disk before the first change, and all
// changes or none.

import { dirname } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { Change } from '../../model/plan.ts'
import { statIfThere } from '../files/handles.ts'
import { withLock } from '../processes/session-lock.ts'
import { fileMetadataOf } from './backup.ts'
import type { CopiedAhead } from './copy-ahead.ts'
import { type DatabaseWriters, sqliteWriters } from './database-writer.ts'
import { planOutdated } from './errors.ts'
import { assertSpace } from './free-space.ts'
import { assertFits, type Fit, groupChanges, type PlannedFile } from './plan-fit.ts'
import type { Receipt, StoredChange } from './receipt.ts'
import { pathIn, pathOf, preparedOf, revertChanges, stepContext } from './roll-back.ts'
import { type Prepared, prepareChange } from './steps/index.ts'
import { afterMoves } from './steps/relocate.ts'
import type { CopyIn, Move, StepContext, StepInput, StreamIn } from './steps/step.ts'
import { hasUnfinished } from './unfinished.ts'
import { closeVault, openVault, saveReceipt, tryToDiscard, type Vault } from './vault.ts'

export interface ApplyRequest {
  /** The state folder. */
  state: string
  agent: string
  sessionId: string
  filePath: string
  changes: readonly (Change | CopyIn | StreamIn | Move)[]
  /** The files as they were when the plan was made. */
  planned: readonly PlannedFile[]
  /** A copy of the session's file that was made meanwhile. It is used up, or discarded. */
  ahead?: CopiedAhead | undefined
  /** Called where a file was edited in place and has all its bytes, while the disk stores them. Must not fail. */
  whileSyncing?(): Promise<void>
  /** Replaced by tests. */
  databases?: DatabaseWriters
}

/**
 * Throws `locked`, `plan-outdated`, `busy`, `no-space` before anything was changed. After any other failure
 * everything is as it was, or the error says what is where.
 */
export async function applyChanges(request: ApplyRequest): Promise<Receipt> {
  const { state, agent, sessionId, filePath, ahead } = request
  const inputs = groupChanges(request.changes)
  const databases = inputs.filter(usesDatabase).map(input => input.file)
  if (ahead !== undefined && databases.length === 0 && isPatchOf(filePath, inputs[0]))
    return await applyAhead(request, inputs, ahead)
  await ahead?.discard()
  return await withLock(state, { agent, sessionId, databases }, async () => {
    await assertNothingUnfinished(state, agent, sessionId, filePath)
    const tasks = await fitAll(request, inputs)
    assertSpace(tasks.flatMap(task => needsOf(state, task)))
    const vault = openVault(state, { agent, sessionId, filePath, databases })
    return await carryOut(vault, tasks, request)
  })
}

/** In the vault that is open and locked already. */
async function applyAhead(request: ApplyRequest, inputs: readonly StepInput[], ahead: CopiedAhead): Promise<Receipt> {
  const { state } = request
  let tasks: Task[]
  try {
    tasks = await fitAll(request, inputs)
    // The space that the copy takes is not free any more.
    assertSpace([...tasks.flatMap(task => needsOf(state, task)), { folder: state, bytes: -ahead.bytes }])
  } catch (error) {
    await ahead.discard()
    throw error
  }
  await ahead.settle()
  try {
    return await carryOut(ahead.vault, tasks, request)
  } finally {
    ahead.release()
  }
}

function isPatchOf(filePath: string, input: StepInput | undefined): boolean {
  return input?.type === 'patch' && input.file === filePath
}

async function fitAll({ planned }: ApplyRequest, inputs: readonly StepInput[]): Promise<Task[]> {
  const tasks: Task[] = []
  for (const input of inputs) tasks.push({ input, fit: await assertFits(input, plannedFor(input, planned)) })
  return tasks
}

async function carryOut(
  vault: Vault,
  tasks: readonly Task[],
  { ahead, whileSyncing, databases = sqliteWriters }: ApplyRequest,
): Promise<Receipt> {
  const touched = new Set<number>()
  const contextOf = (index: number): StepContext => ({
    ...stepContext(vault, index, databases, touched),
    ...(ahead === undefined ? {} : { ahead }),
    ...(whileSyncing === undefined ? {} : { whileSyncing }),
  })
  const prepared = await prepareAll(vault, tasks, contextOf)
  return await applyPrepared(vault, prepared, touched, databases)
}

interface Task {
  input: StepInput
  fit: Fit
}

function usesDatabase(input: StepInput): boolean {
  return (
    input.type === 'rows' || input.type === 'rebuild-database' || (input.type === 'remove' && input.isDatabase === true)
  )
}

/** A repair that a crash left open would be mixed up with this one. */
async function assertNothingUnfinished(
  state: string,
  agent: string,
  sessionId: string,
  filePath: string,
): Promise<void> {
  if (!hasUnfinished(state)) return
  const { listUnfinished } = await import('./stored-vaults.ts')
  if (listUnfinished(state).some(open => open.agent === agent && open.sessionId === sessionId))
    throw planOutdated(filePath, 'an earlier repair of it was interrupted and is not settled yet')
}

function plannedFor(input: StepInput, planned: readonly PlannedFile[]): PlannedFile | undefined {
  return planned.find(({ file }) => file === input.file)
}

/**
 * One copy of everything in the vault, a second one of what is not changed in place, and one on the other
 * disk of what is moved there.
 */
function needsOf(state: string, { input, fit }: Task): { folder: string; bytes: number }[] {
  const size = fit.identity?.size ?? 0
  const grown = addedBy(input)
  return [
    { folder: state, bytes: size + grown },
    { folder: dirname(fit.path), bytes: input.type === 'remove' || input.type === 'rows' ? 0 : size + grown },
    ...(input.type === 'move' ? [{ folder: dirname(input.to), bytes: fit.treeBytes ?? 0 }] : []),
  ]
}

function addedBy(input: StepInput): number {
  switch (input.type) {
    case 'write':
      return input.bytes.length
    case 'copy-in':
    case 'stream-in':
      return input.size
    case 'move':
      return input.instead?.bytes.length ?? 0
    case 'patch':
      return input.edits.reduce((sum, edit) => sum + edit.bytes.length, 0)
    case 'remove':
    case 'rows':
    case 'rebuild-database':
      return 0
  }
}

async function prepareAll(
  vault: Vault,
  tasks: readonly Task[],
  contextOf: (index: number) => StepContext,
): Promise<Prepared[]> {
  try {
    const prepared: Prepared[] = []
    for (const [index, { input, fit }] of tasks.entries())
      prepared.push(await prepareChange(contextOf(index), input, fit))
    vault.receipt.changes = prepared.map(({ stored }) => stored)
    saveReceipt(vault)
    return prepared
  } catch (error) {
    tryToDiscard(vault)
    throw error
  }
}

async function applyPrepared(
  vault: Vault,
  prepared: readonly Prepared[],
  touched: ReadonlySet<number>,
  databases: DatabaseWriters,
): Promise<Receipt> {
  try {
    for (const { apply } of prepared) await apply()
    for (const [index, now] of afterMoves(vault.receipt.changes).entries()) noteAfter(now, vault.receipt.changes[index])
    return closeVault(vault, { state: 'applied' })
  } catch (error) {
    throw await rollBack(vault, error, touched, databases)
  }
}

/** `now` is the change with the current path of its file. */
function noteAfter(now: StoredChange, stored: StoredChange | undefined): void {
  if (stored?.type !== 'patch' && stored?.type !== 'write') return
  const stats = statIfThere(pathIn(now))
  if (stats === undefined) return
  const { device, inode, size, modifiedNs } = fileMetadataOf(stats)
  stored.after = { device, inode, size, modifiedNs }
}

/** Returns the error to throw: the original one, with what became of the files. */
async function rollBack(
  vault: Vault,
  error: unknown,
  touched: ReadonlySet<number>,
  databases: DatabaseWriters,
): Promise<unknown> {
  const text = error instanceof Error ? error.message : String(error)
  try {
    const conflicts = await revertChanges(preparedOf(vault, databases), index => touched.has(index), 'go-on')
    if (touched.size === 0) {
      // Refused before the first change: a copy for each attempt would only fill the disk.
      tryToDiscard(vault)
      return error
    }
    const note = [`The repair failed and was rolled back: ${text}`, ...conflicts].join(' ')
    closeVault(vault, { state: conflicts.length === 0 ? 'rolled-back' : 'failed', note })
    return conflicts.length === 0 ? error : rollbackFailed(vault, databases, note, error)
  } catch (second) {
    const why = second instanceof Error ? second.message : String(second)
    const note = `The repair failed: ${text} Rolling it back failed too: ${why} The next repair tries again.`
    return rollbackFailed(vault, databases, note, error)
  }
}

function rollbackFailed(vault: Vault, databases: DatabaseWriters, note: string, cause: unknown): RethreadError {
  const copies = preparedOf(vault, databases).flatMap(change =>
    change.filesBefore.map(({ path, backup }) => `${path} as it was: ${vault.folder}/${backup}.`),
  )
  const paths = preparedOf(vault, databases).map(pathOf)
  return new RethreadError({
    code: 'rollback-failed',
    text: [note, ...copies].join(' '),
    hint: `Once the disk works again, run: ${paste('rethread repair', vault.receipt.sessionId)}`,
    path: paths[0] ?? vault.receipt.filePath,
    cause,
  })
}
