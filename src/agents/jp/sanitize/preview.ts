// What a run would tell of one conversation and ask about it: everything is planned as if for a run, and nothing is carried out.
import type { Decider, Preview, PreviewOptions, Question } from '../../sanitizer.ts'
import { classifyConversation } from '../classify/index.ts'
import { tellDamage } from './check.ts'
import { courseOf } from './course.ts'
import { examine } from './examine.ts'
import { makeJob } from './job.ts'
import { planConversation } from './plan-conversation.ts'
import { emptyReport } from './report.ts'
import { tellFailures, workspaceAt } from './run.ts'

export async function preview(options: PreviewOptions): Promise<Preview> {
  const workspace = workspaceAt(options)
  const questions: Question[] = []
  const decide = makeListener(questions)
  const examined = await examine(workspace, { decide, only: [options.path] })
  const report = { ...emptyReport(), conversations: examined.total }
  tellFailures(examined, report)
  const { environment, state } = options
  const job = makeJob({
    workspace,
    options: { environment, state, decide },
    donors: examined.donors,
    report: emptyReport(),
  })
  for (const { conversation } of examined.damaged) {
    tellDamage(workspace, conversation, report)
    const course = courseOf(classifyConversation(conversation))
    if (course.type === 'repair') await planConversation(job, course)
  }
  return { report, questions, isTrashed: examined.damaged.some(({ course }) => course === 'trash') }
}

/** Hears what is asked, and decides nothing. */
function makeListener(questions: Question[]): Decider {
  return {
    isInteractive: true,
    async announce() {},
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
