// A verdict for the page, with one sentence that says what it means for the person.
import { describeLoading } from '../model/load-words.ts'
import { paste } from '../model/paste.ts'
import type { Verdict } from '../model/verdict.ts'
import type { ApiVerdict } from './api.ts'
import { isUnrecoverable, statusOf } from './checks/status.ts'
import { explain } from './explain.ts'
import type { Services } from './services.ts'

/** More would only be scrolled past; the command line has all. */
const MAX_FINDINGS_TOLD = 200

export function apiVerdict(services: Pick<Services, 'context'>, verdict: Verdict): ApiVerdict {
  const { agent, sessionId, filePath: _path, findings, moreFindings, ...rest } = verdict
  const title = services.context.agents.find(({ id }) => id === agent)?.title ?? agent
  return {
    ...rest,
    status: statusOf(verdict),
    findings: findings.slice(0, MAX_FINDINGS_TOLD).map(explain),
    moreFindings: moreFindings + Math.max(0, findings.length - MAX_FINDINGS_TOLD),
    sentence: sentenceOf(verdict, title),
    checkCommand: paste('rethread check', sessionId),
  }
}

export function sentenceOf(verdict: Verdict, title: string): string {
  const { status, loads, reason } = verdict
  switch (status) {
    case 'healthy':
      return loads.now === 0
        ? `${title} holds no message here.`
        : `${title} ${describeLoading(verdict)}. Nothing is wrong.`
    case 'corrupted':
      if (isUnrecoverable(verdict)) return `${title} would load nothing, and no repair can bring anything back.`
      if (loads.now >= loads.afterRepair)
        return `${title} ${describeLoading(verdict)}, but something is wrong with the file.`
      return `${title} ${describeLoading(verdict)}. After repair: ${loads.afterRepair.toLocaleString('en')}.`
    case 'busy':
      return reason?.text ?? `${title} may still be writing.`
    case 'missing':
      return 'The conversation is not there any more.'
    case 'unreadable':
      return reason?.text ?? 'The conversation cannot be read.'
  }
}
