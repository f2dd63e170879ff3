// One run over a workspace: examine all, ask whether that much may be trashed, then repair conversation by conversation.
import { quote } from '../../../disk/files/system-errors.ts'
import { recoverInterrupted } from '../../../disk/vault/recover.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { SanitizeContext, SanitizeOptions, SanitizeReport } from '../../sanitizer.ts'
import { hold } from '../hold.ts'
import { AGENT } from '../names.ts'
import { folderNamed } from '../receipt-place.ts'
import { openWorkspace, type Workspace, workspaceOfUserLocal } from '../roots.ts'
import { reportDamage } from './check.ts'
import { type Damaged, type Examined, examine } from './examine.ts'
import { type Job, makeJob } from './job.ts'
import { repairConversation } from './repair-conversation.ts'
import { emptyReport } from './report.ts'

/** More at once than this looks like a disk that is only half there. One alone is never held up. */
const MAX_TRASHED = 5
const MAX_TRASHED_SHARE = 0.1

export async function sanitize(options: SanitizeOptions): Promise<SanitizeReport> {
  const workspace = workspaceAt(options)
  const report = emptyReport()
  options.onBegin?.(report)
  if (options.mode === 'repair') await finishInterrupted(options, report)
  const examined = await examine(workspace, options)
  report.conversations = examined.total
  report.noticed = examined.noticed
  report.isInterrupted = examined.isInterrupted
  if (examined.isInterrupted) return report
  reportFailures(examined, report)
  if (options.mode === 'check') {
    for (const { conversation } of examined.damaged) reportDamage(workspace, conversation, report)
    return report
  }
  const why = await whyNotToGoOn(options, examined)
  if (why !== undefined) {
    leaveAll(workspace, examined.damaged, report, why)
    return report
  }
  const job = makeJob({ workspace, options, donors: examined.donors, report })
  await repairAll(job, examined.damaged, options.onProgress)
  return report
}

export function reportFailures({ failures }: Examined, report: SanitizeReport): void {
  for (const { path, text, code } of failures)
    report.blocked.push({ conversation: '', root: path, line: `Blocked: ${text}`, error: code })
}

export function workspaceAt({ folder, environment }: SanitizeContext): Workspace {
  // First: somebody's home may be a workspace, too, and is above it.
  const workspace = workspaceOfUserLocal(folder, environment) ?? openWorkspace(folder, environment)
  if (workspace !== undefined) return workspace
  throw new RethreadError({
    code: 'not-found',
    text: `Neither ${folder} nor any folder above it is a workspace of JP: there is no .jp in it.`,
    hint: `Name one: rethread sanitize DIR. See where there are conversations: rethread list --agent ${AGENT}`,
    path: folder,
  })
}

/** What a crash left half done is settled first, so that it is not taken for damage. */
export async function finishInterrupted(
  { state, environment, force }: SanitizeContext & Pick<SanitizeOptions, 'force'>,
  report: SanitizeReport,
): Promise<void> {
  const recovered = await recoverInterrupted(state, {
    agent: AGENT,
    hold: session => hold(environment, session, { force: force === true }),
  })
  for (const { outcome, text, filePath, code } of recovered) {
    // Without its receipt, which only the next run can settle: nothing of it is there to be taken back.
    const { name, root } = folderNamed({ filePath })
    const entry = { conversation: name, root: root.path }
    if (outcome === 'skipped' && code === 'locked')
      report.skipped.push({ ...entry, line: `Skipped: ${text}`, error: code })
    else if (outcome === 'failed' || outcome === 'skipped')
      report.blocked.push({ ...entry, line: `Blocked: ${text}`, error: code ?? text })
  }
}

/** Undefined where nothing speaks against it. */
async function whyNotToGoOn(
  options: SanitizeOptions,
  { failures, damaged, total }: Examined,
): Promise<string | undefined> {
  // Where a storage cannot be listed, a copy in it may be the good one.
  if (failures.length > 0) return 'Nothing is repaired while a part of the storage cannot be examined.'
  const count = damaged.filter(({ isTrashed }) => isTrashed).length
  if (!isMuch(count, total) || options.force) return undefined
  if (await options.decide.mayTrashMany(count, total)) return undefined
  return `Nothing was changed: ${count} of ${total} conversations would have been trashed at once, and a disk that is only partly mounted looks the same. If all of your files are there: rethread sanitize --force ${options.salvage ? '--salvage ' : ''}${quote(options.folder)}`
}

export function isMuch(count: number, total: number): boolean {
  return count > MAX_TRASHED || (count > 1 && count > total * MAX_TRASHED_SHARE)
}

/** Each with its own damage, and once why nothing was done about any of them. */
function leaveAll(workspace: Workspace, damaged: readonly Damaged[], report: SanitizeReport, why: string): void {
  for (const { conversation } of damaged) reportDamage(workspace, conversation, report)
  for (const entry of [...report.left, ...report.lockedOut]) entry.remark = why
}

async function repairAll(
  job: Job,
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
    // Whoever asks gives up when the person does.
    if (!signal?.aborted) throw error
  }
  job.report.isInterrupted = signal?.aborted === true
}
