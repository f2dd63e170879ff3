// Repairs one conversation under JP's own lock: looks once more, asks, plans, carries out. Whatever fails leaves it as it was.
import { join } from 'node:path'
import type { HeldFlock } from '../../../disk/flock.ts'
import { statIfThere } from '../../../disk/handles.ts'
import { hasErrorCode, RethreadError } from '../../../model/errors.ts'
import { type CopyState, classifyConversation } from '../classify/index.ts'
import { type Conversation, listPlace, placeFolder } from '../conversations.ts'
import { holdLock, type LockState, testLock } from '../lock.ts'
import { ACTIVE } from '../names.ts'
import { apply, applyFiles, plannedAt, without } from './apply-plan.ts'
import { courseOf } from './course.ts'
import type { Job } from './job.ts'
import { moveToTrash } from './move-to-trash.ts'
import { planConversation } from './plan-conversation.ts'
import { namedOf } from './plan-files.ts'
import { entryFor } from './report.ts'

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

export function heldText(state: LockState): string {
  const who = state.type === 'held' && state.pid !== undefined ? `a running JP (process ${state.pid})` : 'a running JP'
  return `${who} has it locked`
}

async function repairLocked(job: Job, conversation: Conversation): Promise<void> {
  const there = withExisting(conversation)
  const course = courseOf(classifyConversation(there))
  switch (course.type) {
    case 'nothing':
      return
    case 'blocked':
      throwIfGone(there)
      job.report.blocked.push(
        entryFor('blocked', course.copy.folder, course.text, { file: course.state.file, error: course.text }),
      )
      return
    case 'trash':
      if (!(await trashOrLeave(job, there, course.copies, course.error))) return
      return await repairLocked(job, without(there, course.copies))
    case 'repair': {
      const plan = await planConversation(job, course)
      if (job.options.signal?.aborted) return
      if (plan.type === 'trash') return void (await trashOrLeave(job, there, plan.copies, plan.error))
      if (plan.type === 'blocked')
        return void job.report.blocked.push(
          ...course.copies.map(({ folder }) => entryFor('blocked', folder, plan.text, { error: plan.text })),
        )
      await applyFiles(job, there, plan.plans)
      job.report.lockedOut.push(...plan.lockedOut)
      job.report.left.push(...plan.left)
      await renameFolders(job, there, course.copies)
    }
  }
}

function withExisting(conversation: Conversation): Conversation {
  return { ...conversation, folders: conversation.folders.filter(({ path }) => statIfThere(path) !== undefined) }
}

function throwIfGone({ folders }: Conversation): void {
  if (folders.length > 0) return
  throw new RethreadError({
    code: 'plan-outdated',
    text: 'The conversation is not there any more.',
    hint: 'See what is there: rethread list',
  })
}

/** JP does not look into its archive, so nothing there is trashed for it. */
async function trashOrLeave(
  job: Job,
  conversation: Conversation,
  copies: readonly CopyState[],
  error: string,
): Promise<boolean> {
  if (!job.options.decide.isInteractive && conversation.place !== ACTIVE) {
    for (const { folder } of copies) job.report.lockedOut.push(entryFor('lockedOut', folder, error, { error }))
    return false
  }
  await moveToTrash(job, conversation, copies, error)
  return true
}

/** JP lists a folder whose id is written in another way, and never finds it. */
async function renameFolders(job: Job, conversation: Conversation, copies: readonly CopyState[]): Promise<void> {
  for (const copy of copies) {
    const { folder } = copy
    const named = namedOf(copy)
    if (folder.parsed.type !== 'noncanonical' || named === undefined) continue
    const name = named.slug === undefined ? named.id : `${named.id}-${named.slug}`
    const rivals = listPlace(folder.root, folder.place, []).filter(
      ({ parsed, path }) => parsed.type !== 'unparseable' && parsed.id === named.id && path !== folder.path,
    )
    if (rivals.length > 0) {
      const error = `another folder has its id: ${rivals[0]?.name}`
      job.report.lockedOut.push(entryFor('lockedOut', folder, error, { error }))
      continue
    }
    const to = join(placeFolder(folder.root, folder.place), name)
    const why = { damage: 'folder-name', reason: 'JP looks for it under this name' }
    const changes = [{ type: 'move' as const, file: folder.path, to, ...why }]
    const receipt = await apply(job, conversation, { changes, planned: plannedAt(folder.path) })
    job.report.repaired.push(entryFor('repaired', folder, `renamed its folder to ${name}`, { target: to, receipt }))
  }
}
