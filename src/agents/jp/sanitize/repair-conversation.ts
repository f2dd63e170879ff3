// Repairs one conversation under JP's own lock: looks once more, asks, plans, carries out. Whatever fails leaves it as it was.

import { statIfThere } from '../../../disk/files/handles.ts'
import type { HeldFlock } from '../../../disk/processes/flock.ts'
import { hasErrorCode, RethreadError } from '../../../model/errors.ts'
import type { NameDecision } from '../../sanitizer.ts'
import { type CopyState, classifyConversation } from '../classify/index.ts'
import { isHealthy } from '../classify/state.ts'
import type { Conversation } from '../conversations.ts'
import { heldText, holdLock, testLock } from '../lock.ts'
import { ACTIVE, EVENTS } from '../names.ts'
import { applyFiles, withoutCopies } from './apply-plan.ts'
import { type Diagnosis, diagnose, type RepairDiagnosis } from './diagnosis.ts'
import { eventsErrorText } from './events-problem.ts'
import type { Job } from './job.ts'
import { entryFor } from './job.ts'
import { moveToTrash } from './move-to-trash.ts'
import { planConversation } from './plan-conversation.ts'
import { decideName, type Renames, renamesOf, withName } from './rename-folder.ts'

/** Somebody may write to it while we look; after so many rounds they are still at it. */
const MAX_ROUNDS = 3
const OUTDATED = ['plan-outdated', 'busy'] as const

export async function repairConversation(job: Job, conversation: Conversation): Promise<void> {
  await underLock(job, conversation, () => repairLocked(job, conversation))
}

/** What fails goes into the report. Where somebody writes at the same time, everything is looked at and asked once more. */
export async function underLock(job: Job, conversation: Conversation, work: () => Promise<void>): Promise<void> {
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

/** Undefined where there is nothing to lock: a folder without an id. */
function lock(job: Job, { folders }: Conversation): HeldFlock | 'not-held' | undefined {
  const [folder] = folders
  const id = folders.map(({ parsed }) => parsed).find(parsed => parsed.type !== 'unparseable')?.id
  if (folder === undefined || id === undefined) return undefined
  try {
    return holdLock(job.workspace, id)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    const state = testLock(job.workspace, id)
    // Where locks cannot be taken here, a person may have said that no JP is at work.
    if (hasErrorCode(error, 'unsupported') && job.options.force && state.type !== 'held') return undefined
    const isHeld = hasErrorCode(error, 'locked') || state.type === 'held'
    if (isHeld) job.report.skipped.push(entryFor('skipped', folder, heldText(state), { error: 'locked' }))
    else job.report.blocked.push(entryFor('blocked', folder, error.message, { error: error.code }))
    return 'not-held'
  }
}

async function repairLocked(job: Job, conversation: Conversation): Promise<void> {
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

/** Files and names of one conversation are one repair. */
async function repairFiles(
  job: Job,
  conversation: Conversation,
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

/** Its copies can be damaged in different ways. */
function ownError({ files }: CopyState): string | undefined {
  return isHealthy(files[EVENTS]) ? undefined : eventsErrorText(files[EVENTS].condition)
}

/** Under the lock of its new id from before it has it: JP passes it over until its files are right, too. */
async function nameAndRepair(
  job: Job,
  conversation: Conversation,
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

function withExisting(conversation: Conversation): Conversation {
  return { ...conversation, folders: conversation.folders.filter(({ path }) => statIfThere(path) !== undefined) }
}

function throwIfGone({ folders }: Conversation): void {
  if (folders.length > 0) return
  throw new RethreadError({
    code: 'plan-outdated',
    text: 'This conversation no longer exists.',
    hint: 'See what is there: rethread list',
  })
}

/** JP does not look into its archive, so nothing there is trashed for it. */
async function trashOrLeave(
  job: Job,
  conversation: Conversation,
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
