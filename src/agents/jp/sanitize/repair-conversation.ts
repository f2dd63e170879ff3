// Repairs one conversation under JP's own lock: classifies it again, asks, plans, and applies. A failure
// leaves the conversation unchanged.

import { statIfThere } from '../../../disk/files/handles.ts'
import type { HeldFlock } from '../../../disk/processes/flock.ts'
import { hasErrorCode, RethreadError } from '../../../model/errors.ts'
import type { NameDecision } from '../../sanitizer.ts'
import { type CopyState, classifyConversation } from '../classify/index.ts'
import { isHealthy } from '../classify/state.ts'
import type { JpConversation } from '../conversations.ts'
import { heldText, holdLock, testLock } from '../lock.ts'
import { ACTIVE, EVENTS } from '../names.ts'
import { applyFiles, withoutCopies } from './apply-files.ts'
import { type Diagnosis, diagnose, type RepairDiagnosis } from './diagnosis.ts'
import { eventsErrorText } from './events-problem.ts'
import type { SanitizeJob } from './job.ts'
import { entryFor } from './job.ts'
import { moveToTrash } from './move-to-trash.ts'
import { planConversation } from './plan-conversation.ts'
import { decideName, type Renames, renamesOf, withName } from './rename-folder.ts'

/**
 * Another program can write during the repair. After this many attempts the conversation is reported as
 * blocked.
 */
const MAX_ROUNDS = 3
const OUTDATED = ['plan-outdated', 'busy'] as const

export async function repairConversation(job: SanitizeJob, conversation: JpConversation): Promise<void> {
  await underLock(job, conversation, () => repairLocked(job, conversation))
}

/**
 * Runs `work` under the lock. A failure goes into the report. If another program wrote meanwhile, `work` runs
 * again.
 */
export async function underLock(
  job: SanitizeJob,
  conversation: JpConversation,
  work: () => Promise<void>,
): Promise<void> {
  const [folder] = conversation.folders
  if (folder === undefined) return
  for (let round = 1; ; round++) {
    const held = lock(job, conversation)
    if (held === 'not-held') return
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RethreadError) || hasErrorCode(error, 'unsupported')) throw error
      if (OUTDATED.some(code => hasErrorCode(error, code)) && round < MAX_ROUNDS) continue
      const bucket = hasErrorCode(error, 'locked') ? 'skipped' : 'blocked'
      job.report[bucket].push(entryFor(bucket, folder, error.message, { error: error.code }))
      return
    } finally {
      held?.release()
    }
  }
}

/** Returns undefined if there is nothing to lock, because the folder has no id. */
function lock(job: SanitizeJob, { folders }: JpConversation): HeldFlock | 'not-held' | undefined {
  const [folder] = folders
  const id = folders.map(({ parsed }) => parsed).find(parsed => parsed.type !== 'unparseable')?.id
  if (folder === undefined || id === undefined) return undefined
  try {
    return holdLock(job.workspace, id)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    const state = testLock(job.workspace, id)
    // Locks are not available here. With --force the user confirms that no JP is running.
    if (hasErrorCode(error, 'unsupported') && job.options.force && state.type !== 'held') return undefined
    const isHeld = hasErrorCode(error, 'locked') || state.type === 'held'
    if (isHeld) job.report.skipped.push(entryFor('skipped', folder, heldText(state), { error: 'locked' }))
    else job.report.blocked.push(entryFor('blocked', folder, error.message, { error: error.code }))
    return 'not-held'
  }
}

async function repairLocked(job: SanitizeJob, conversation: JpConversation): Promise<void> {
  const there = withExisting(conversation)
  const diagnosis = diagnose(classifyConversation(there))
  switch (diagnosis.type) {
    case 'nothing':
      return
    case 'blocked':
      throwIfGone(there)
      job.report.blocked.push(
        entryFor('blocked', diagnosis.copy.folder, diagnosis.text, {
          file: diagnosis.state.file,
          error: diagnosis.text,
        }),
      )
      return
    case 'trash':
      if (!(await trashOrLeave(job, there, diagnosis.copies, () => diagnosis.error))) return
      return await repairLocked(job, withoutCopies(there, diagnosis.copies))
    case 'name':
      return await nameAndRepair(job, there, diagnosis)
    case 'repair':
      return await repairFiles(job, there, diagnosis, renamesOf(there, diagnosis.copies))
  }
}

/** Repairs the files and the folder names of one conversation with one receipt. */
async function repairFiles(
  job: SanitizeJob,
  conversation: JpConversation,
  diagnosis: RepairDiagnosis,
  { known, moves, lockedOut }: Renames,
): Promise<void> {
  const plan = await planConversation(job, diagnosis)
  if (job.options.signal?.aborted) return
  switch (plan.type) {
    case 'trash':
      return void (await trashOrLeave(job, conversation, plan.copies, copy => ownError(copy) ?? plan.error))
    case 'blocked':
      return void job.report.blocked.push(
        ...diagnosis.copies.map(({ folder }) => entryFor('blocked', folder, plan.text, { error: plan.text })),
      )
    case 'files':
      await applyFiles(job, known, plan.plans, moves)
      job.report.lockedOut.push(...plan.lockedOut, ...lockedOut)
      job.report.left.push(...plan.left)
  }
}

/** Each copy can be damaged in a different way. */
function ownError({ files }: CopyState): string | undefined {
  return isHealthy(files[EVENTS]) ? undefined : eventsErrorText(files[EVENTS].condition)
}

/**
 * Takes the lock of the new id before the rename, so that JP skips the conversation until its files are
 * repaired.
 */
async function nameAndRepair(
  job: SanitizeJob,
  conversation: JpConversation,
  diagnosis: Extract<Diagnosis, { type: 'name' }>,
): Promise<void> {
  const decision: NameDecision = job.options.decide.isInteractive ? await decideName(job, diagnosis) : { type: 'trash' }
  if (decision.type === 'leave') return
  if (decision.type === 'trash')
    return void (await trashOrLeave(job, conversation, diagnosis.copies, () => diagnosis.error))
  const named = withName(conversation, decision.name)
  await underLock(job, named.known, async () => {
    const next = diagnose(classifyConversation(named.known))
    if (next.type === 'repair') await repairFiles(job, named.known, next, named)
    else if (next.type === 'nothing') await applyFiles(job, named.known, [], named.moves)
    else throwIfGone({ ...conversation, folders: [] })
  })
}

function withExisting(conversation: JpConversation): JpConversation {
  return { ...conversation, folders: conversation.folders.filter(({ path }) => statIfThere(path) !== undefined) }
}

function throwIfGone({ folders }: JpConversation): void {
  if (folders.length > 0) return
  throw new RethreadError({
    code: 'plan-outdated',
    text: 'This conversation no longer exists.',
    hint: 'See what is there: rethread list',
  })
}

/** Without a user, an archived conversation is only reported: JP never validates its archive. */
async function trashOrLeave(
  job: SanitizeJob,
  conversation: JpConversation,
  copies: readonly CopyState[],
  errorOf: (copy: CopyState) => string,
): Promise<boolean> {
  if (!job.options.decide.isInteractive && conversation.place !== ACTIVE) {
    for (const copy of copies) {
      const error = errorOf(copy)
      job.report.lockedOut.push(entryFor('lockedOut', copy.folder, error, { error }))
    }
    return false
  }
  await moveToTrash(job, conversation, copies, errorOf)
  return true
}
