// What a verdict means for a resume: whether the agent gets the session, and what the user reads.
import type { SessionRow } from '../protocol.ts'
import type { Ready } from './attempt.ts'
import type { ResumeNotice } from './texts.ts'
import { NOT_WAITED_FOR, notRepaired, notResumed, repaired, withoutRepair } from './texts.ts'

export interface ResumeOutcome {
  /** False if the agent would fail with the session or find nothing. It starts without the session then. */
  isResumed: boolean
  notice: ResumeNotice | null
}

export function outcomeOf({ verdict, report }: Ready, row: SessionRow, agent: string): ResumeOutcome {
  // The session was not checked, and the agent will write to it from now on.
  if (verdict === undefined) return resumed(withoutRepair(row.status ?? 'busy', NOT_WAITED_FOR))
  switch (verdict.status) {
    case 'missing':
    case 'unreadable':
      return again(notResumed(verdict.status, agent, verdict.reason?.text))
    case 'busy':
      return resumed(withoutRepair('busy', notRepaired(verdict.reason?.text)))
    case 'healthy':
      return resumed(report?.status === 'repaired' ? repaired(verdict) : null)
    case 'corrupted': {
      const { now, afterRepair } = verdict.loads
      if (now === 0 && afterRepair === 0) return again(notResumed('unrecoverable', agent, verdict.refusals[0]?.text))
      if (report?.status === 'repaired') return resumed(repaired(verdict))
      // Damage that cannot be repaired does not prevent a resume of what is left.
      return resumed(withoutRepair('corrupted', notRepaired(report?.error?.text ?? verdict.refusals[0]?.text)))
    }
  }
}

function resumed(notice: ResumeNotice | null): ResumeOutcome {
  return { isResumed: true, notice }
}

function again(notice: ResumeNotice): ResumeOutcome {
  return { isResumed: false, notice }
}
