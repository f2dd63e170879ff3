// A verdict for the page, with one sentence that says what it means for the person.
import type { Verdict } from '../model/verdict.ts'
import type { ApiVerdict } from './api.ts'
import { isUnrecoverable, statusOf } from './checks/status.ts'
import type { Services } from './services.ts'

/** More would only be scrolled past; the command line has all. */
const MAX_FINDINGS_TOLD = 200

export function apiVerdict(services: Pick<Services, 'context'>, verdict: Verdict): ApiVerdict {
  const { agent, sessionId: _id, filePath: _path, findings, moreFindings, ...rest } = verdict
  const title = services.context.agents.find(({ id }) => id === agent)?.title ?? agent
  return {
    ...rest,
    status: statusOf(verdict),
    findings: findings.slice(0, MAX_FINDINGS_TOLD),
    moreFindings: moreFindings + Math.max(0, findings.length - MAX_FINDINGS_TOLD),
    sentence: sentenceOf(verdict, title),
  }
}

export function sentenceOf(verdict: Verdict, title: string): string {
  const { status, loads, reason } = verdict
  switch (status) {
    case 'healthy':
      return loads.now === 0
        ? `${title} holds no message here.`
        : `${title} would load all ${messages(loads.now)}. Nothing is wrong.`
    case 'corrupted':
      if (isUnrecoverable(verdict)) return `${title} would load nothing, and no repair can bring anything back.`
      if (loads.now >= loads.afterRepair)
        return `${title} would load ${messages(loads.now)}, but something is wrong with the file.`
      return `${title} would load ${count(loads.now)} of ${messages(loads.afterRepair)}. After repair: ${count(loads.afterRepair)}.`
    case 'busy':
      return reason?.text ?? `${title} may still be writing.`
    case 'missing':
      return 'The conversation is not there any more.'
    case 'unreadable':
      return reason?.text ?? 'The conversation cannot be read.'
  }
}

function messages(number: number): string {
  return `${count(number)} ${number === 1 ? 'message' : 'messages'}`
}

function count(number: number): string {
  return number.toLocaleString('en')
}
