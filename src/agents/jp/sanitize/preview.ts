// Previews a run on one conversation: plans everything, collects the questions and applies nothing.
import type { Decider, Preview, PreviewOptions, Question } from '../../sanitizer.ts'
import { classifyConversation } from '../classify/index.ts'
import { parseFolderName } from '../ids.ts'
import { type Diagnosis, diagnose, diagnoseRepair, type RepairDiagnosis } from './diagnosis.ts'
import { examineAll } from './examine.ts'
import type { SanitizeJob } from './job.ts'
import { emptyReport, makeSanitizeJob } from './job.ts'
import { planConversation } from './plan-conversation.ts'
import { decideName } from './rename-folder.ts'
import { reportDamage, reportFailures, workspaceAt } from './run.ts'

export async function preview(options: PreviewOptions): Promise<Preview> {
  const workspace = workspaceAt(options)
  const questions: Question[] = []
  const decide = makeListener(questions)
  const examined = await examineAll(workspace, { decide, only: [options.path] })
  const report = { ...emptyReport(), conversations: examined.total }
  reportFailures(examined, report)
  const { environment, state } = options
  const job = makeSanitizeJob({
    workspace,
    options: { environment, state, decide },
    donors: examined.donors,
    report: emptyReport(),
  })
  for (const { conversation } of examined.damaged) {
    reportDamage(workspace, conversation, report)
    // A run skips a conversation that JP is using, so nothing is asked about it.
    if (report.skipped.length > 0) continue
    const diagnosis = diagnose(classifyConversation(conversation))
    const repair = diagnosis.type === 'name' ? await askName(job, diagnosis, questions) : diagnosis
    if (repair.type === 'repair') await planConversation(job, repair, { asksAll: true })
  }
  return { report, questions, isTrashed: examined.damaged.some(({ diagnosis }) => diagnosis === 'trash') }
}

/** The diagnosis that applies once the folder has the proposed name. The files are read where they are. */
async function askName(
  job: SanitizeJob,
  diagnosis: Extract<Diagnosis, { type: 'name' }>,
  questions: readonly Question[],
): Promise<RepairDiagnosis> {
  await decideName(job, diagnosis)
  const asked = questions.find(question => question.type === 'name')
  const parsed = parseFolderName(asked?.problem.proposal.name ?? '')
  return diagnoseRepair(diagnosis.copies.map(copy => ({ ...copy, folder: { ...copy.folder, parsed } })))
}

/** Records the questions and decides nothing. */
function makeListener(questions: Question[]): Decider {
  return {
    isInteractive: true,
    async announce() {},
    async name(problem) {
      questions.push({ type: 'name', problem })
      return { type: 'leave' }
    },
    async events(problem) {
      questions.push({ type: 'events', problem })
      return { type: 'leave' }
    },
    async flags(problem) {
      questions.push({ type: 'flags', problem })
      return { type: 'skip' }
    },
    mayTrashMany: async () => false,
  }
}
