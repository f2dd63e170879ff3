// One run over a workspace: examines all conversations, asks whether so
// many may be trashed, then repairs one by one.
import { quote } from '../../../disk/files/system-errors.ts'
import { recoverInterrupted } from '../../../disk/vault/recover.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { SanitizeContext, SanitizeOptions, SanitizeReport } from '../../sanitizer.ts'
import type { CopyState } from '../classify/index.ts'
import { classifyConversation, damagedFiles, isIntact } from '../classify/index.ts'
import type { JpConversation } from '../conversations.ts'
import { heldText } from '../lock.ts'
import { AGENT } from '../names.ts'
import { folderOfReceipt, hold } from '../receipts.ts'
import type { Workspace } from '../roots.ts'
import { findWorkspace } from '../roots.ts'
import { conditionText, diagnose } from './diagnosis.ts'
import type { Damaged, Examined } from './examine.ts'
import { examineAll } from './examine.ts'
import { openHealthyCache } from './healthy-cache.ts'
import type { SanitizeJob } from './job.ts'
import { emptyReport, entryFor, makeSanitizeJob } from './job.ts'
import { repairConversation } from './repair-conversation.ts'
import { withRestoredId } from './restore-workspace-id.ts'

/**
 * Trashing more than this at once needs a confirmation, because a partly mounted disk looks the same. One
 * conversation never does.
 */
const MAX_TRASHED = 5
const MAX_TRASHED_SHARE = 0.1

export async function sanitize(options: SanitizeOptions): Promise<SanitizeReport> {
  const found = workspaceAt(options)
  const report = emptyReport()
  options.onBegin?.(report)
  if (options.mode === 'repair') await finishInterruptedRepairs(options, report)
  const workspace = await withRestoredId(found, options, report)
  // A check writes nothing, and examines everything.
  const isCached = options.mode === 'repair' && options.only === undefined
  const known = isCached ? openHealthyCache(options.state, workspace) : undefined
  const examined = await examineAll(workspace, { ...options, ...(known === undefined ? {} : { known }) })
  report.conversations = examined.total
  report.noticed = examined.noticed
  report.isInterrupted = examined.isInterrupted
  if (examined.isInterrupted) return report
  known?.save()
  reportFailures(examined, report)
  if (options.mode === 'check') {
    for (const { conversation } of examined.damaged) reportDamage(workspace, conversation, report)
    return report
  }
  const why = await reasonToStop(options, examined)
  if (why !== undefined) {
    leaveAll(workspace, examined.damaged, report, why)
    return report
  }
  const job = makeSanitizeJob({ workspace, options, donors: examined.donors, report })
  await repairAll(job, examined.damaged, options.onProgress)
  return report
}

export function reportFailures({ failures }: Examined, report: SanitizeReport): void {
  for (const { path, text, code } of failures)
    report.blocked.push({ conversation: '', root: path, line: `Blocked: ${text}`, error: code })
}

export function workspaceAt({ folder, environment }: SanitizeContext): Workspace {
  const workspace = findWorkspace(folder, environment)
  if (workspace !== undefined) return workspace
  throw new RethreadError({
    code: 'not-found',
    text: `Neither ${folder} nor any folder above it is a workspace of JP: there is no .jp in it.`,
    hint: `Specify a workspace: rethread sanitize DIR. List the conversations: rethread list --agent ${AGENT}`,
    path: folder,
  })
}

/** Finishes or rolls back repairs that a crash interrupted, so that they are not reported as damage. */
export async function finishInterruptedRepairs(
  { state, environment, force }: SanitizeContext & Pick<SanitizeOptions, 'force'>,
  report: SanitizeReport,
): Promise<void> {
  const recovered = await recoverInterrupted(state, {
    agent: AGENT,
    hold: session => hold(environment, session, { force: force === true }),
  })
  for (const { outcome, text, filePath, code } of recovered) {
    // The entry has no receipt: only the next run can settle it, so there is nothing to undo yet.
    const { name, root } = folderOfReceipt({ filePath })
    const entry = { conversation: name, root: root.path }
    if (outcome === 'skipped' && code === 'locked')
      report.skipped.push({ ...entry, line: `Skipped: ${text}`, error: code })
    else if (outcome === 'failed' || outcome === 'skipped')
      report.blocked.push({ ...entry, line: `Blocked: ${text}`, error: code ?? text })
  }
}

/** Returns the reason not to repair anything; undefined to continue. */
async function reasonToStop(
  options: SanitizeOptions,
  { failures, damaged, total }: Examined,
): Promise<string | undefined> {
  // A storage that cannot be listed may hold the healthy copy.
  if (failures.length > 0) return 'Nothing is repaired while a part of the storage cannot be examined.'
  const count = damaged.filter(({ isTrashed }) => isTrashed).length
  if (!isTooMany(count, total) || options.force) return undefined
  if (await options.decide.mayTrashMany(count, total)) return undefined
  return `Nothing was changed: ${count} of ${total} conversations would have been trashed at once, and a disk that is only partly mounted looks the same. If all of your files are there: rethread sanitize --force ${options.salvage ? '--salvage ' : ''}${quote(options.folder)}`
}

function isTooMany(count: number, total: number): boolean {
  return count > MAX_TRASHED || (count > 1 && count > total * MAX_TRASHED_SHARE)
}

/** Reports the damage of each conversation, with the reason why nothing was repaired. */
function leaveAll(workspace: Workspace, damaged: readonly Damaged[], report: SanitizeReport, why: string): void {
  for (const { conversation } of damaged) reportDamage(workspace, conversation, report)
  for (const entry of [...report.left, ...report.lockedOut]) entry.remark = why
}

async function repairAll(
  job: SanitizeJob,
  damaged: readonly Damaged[],
  onProgress: SanitizeOptions['onProgress'],
): Promise<void> {
  const { decide, signal } = job.options
  const problems = damaged.flatMap(one => one.problems)
  try {
    if (decide.isInteractive && problems.length > 0) await decide.announce(problems)
    for (const [index, { conversation }] of damaged.entries()) {
      if (signal?.aborted) break
      await repairConversation(job, conversation)
      onProgress?.(index + 1, damaged.length, 'repairing')
    }
  } catch (error) {
    // An aborted question rejects. Any other error is rethrown.
    if (!signal?.aborted) throw error
  }
  job.report.isInterrupted = signal?.aborted === true
}

export function reportDamage(workspace: Workspace, conversation: JpConversation, report: SanitizeReport): void {
  const { copies, lock, isHealthy } = classifyConversation(conversation, { workspace })
  const diagnosis = diagnose({ copies, isHealthy })
  for (const copy of copies) {
    if (isIntact(copy)) continue
    const { folder } = copy
    if (lock.type === 'held') {
      report.skipped.push(entryFor('skipped', folder, heldText(lock), { error: 'locked' }))
    } else if (diagnosis.type !== 'blocked') reportCopy(copy, report)
    else if (diagnosis.copy === copy) {
      // JP may treat this as damage. rethread does not change a blocked conversation.
      const { text: error, state } = diagnosis
      report.blocked.push(entryFor('blocked', folder, error, { file: state.file, error }))
    }
  }
}

function reportCopy(copy: CopyState, report: SanitizeReport): void {
  const { judgement, folder } = copy
  const damaged = damagedFiles(copy)
  const all = damaged.map(conditionText).join('; ')
  const file = damaged[0]?.file === undefined ? {} : { file: damaged[0].file }
  switch (judgement.type) {
    case 'locked-out':
      report.lockedOut.push(
        entryFor('lockedOut', folder, all === '' ? judgement.reason : all, { ...file, error: judgement.reason }),
      )
      break
    case 'trashed': {
      // A folder without an id can also hold damaged files.
      const texts = judgement.file === undefined ? [judgement.error, all] : [all]
      const text = texts.filter(part => part !== '').join('; ')
      const line = `${text}. The next command of JP moves it to its trash`
      report.left.push(entryFor('left', folder, line, { ...file, error: judgement.error }))
      break
    }
    // A link out of the storage is not followed, but it can be quarantined.
    case 'blocked':
    case 'loads':
      report.left.push(entryFor('left', folder, all, { ...file, error: all }))
      break
  }
}
