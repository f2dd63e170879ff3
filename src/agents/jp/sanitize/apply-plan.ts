// Carries out what was planned for one conversation: all of it or nothing, with a receipt; then looks whether it came out as planned.
import { applyChanges } from '../../../disk/apply.ts'
import { statIfThere } from '../../../disk/handles.ts'
import type { Planned } from '../../../disk/plan-fit.ts'
import { identityOf } from '../../../disk/read.ts'
import type { Move } from '../../../disk/step.ts'
import { undoReceipt } from '../../../disk/undo.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { Change } from '../../../model/plan.ts'
import { type CopyState, classifyAlone } from '../classify/index.ts'
import { isHealthy } from '../classify/state.ts'
import type { Conversation } from '../conversations.ts'
import { filePathOf } from '../discover.ts'
import { AGENT } from '../names.ts'
import { conditionText } from './course.ts'
import { carryFile, type FilePlan } from './file-plan.ts'
import type { Job } from './job.ts'

export interface Changes {
  changes: (Change | Move)[]
  planned: Planned[]
}

/** The receipt's id. */
export async function apply(job: Job, conversation: Conversation, { changes, planned }: Changes): Promise<string> {
  const receipt = await applyChanges({
    state: job.options.state,
    agent: AGENT,
    sessionId: conversation.sessionId,
    filePath: filePathOf(conversation),
    changes,
    planned,
  })
  return receipt.id
}

/** Throws before anything is told, and with everything as it was, where a new file is not what it should be. */
export async function applyFiles(job: Job, conversation: Conversation, plans: readonly FilePlan[]): Promise<void> {
  if (plans.length === 0) return
  const carried = plans.map(plan => ({ plan, ...carryFile(plan, job.quarantine) }))
  const changes = carried.map(({ change }) => change)
  const receipt = await apply(job, conversation, { changes, planned: carried.flatMap(({ planned }) => planned) })
  await verify(job, plans, receipt)
  for (const { plan, entry } of carried) job.report[plan.bucket].push({ ...entry, receipt })
}

async function verify(job: Job, plans: readonly FilePlan[], receipt: string): Promise<void> {
  for (const { copy, file, bytes } of plans) {
    const { state } = classifyAlone(copy.folder, file)
    if (bytes === undefined ? state.condition.type === 'missing' : isHealthy(state)) continue
    await undoReceipt(job.options.state, receipt)
    throw new RethreadError({
      code: 'repair-failed',
      text: `After the repair ${conditionText(state)}; it was taken back.`,
      hint: 'Nothing was changed. Please report this with what it says: rethread sanitize --check --json',
      path: state.path,
    })
  }
}

export function plannedAt(path: string): Planned[] {
  const stats = statIfThere(path)
  return stats === undefined ? [] : [{ file: path, identity: identityOf(stats) }]
}

/** Files of copies that are not in these folders any more would be looked for in vain. */
export function without(conversation: Conversation, copies: readonly CopyState[]): Conversation {
  const gone = new Set(copies.map(({ folder }) => folder.path))
  return { ...conversation, folders: conversation.folders.filter(({ path }) => !gone.has(path)) }
}
