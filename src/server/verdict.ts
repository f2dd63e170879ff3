// A verdict for the page, with sentences that explain it to the user.
import { folderNotes } from '../catalog/project-folder.ts'
import { paste } from '../model/paste.ts'
import type { Verdict } from '../model/verdict.ts'
import { describeMeaning, describeVerdict, isRepairable } from '../model/verdict-words.ts'
import type { ApiVerdict } from './api.ts'
import { shownStatus } from './checks/status.ts'
import { explain } from './explain.ts'
import type { Services } from './services.ts'
import { keyOfSession } from './sessions/index.ts'

/** The command line shows the others. */
const MAX_FINDINGS_SHOWN = 200

export function apiVerdict(
  { context, sessions }: Pick<Services, 'context' | 'sessions'>,
  verdict: Verdict,
): ApiVerdict {
  const { agent, sessionId, filePath: _path, findings, moreFindings, ...rest } = verdict
  const loader = context.agents.find(({ id }) => id === agent) ?? { title: agent }
  const served = sessions.get(keyOfSession(verdict))
  const notes = served === undefined ? [] : folderNotes(context, served.session, served.row.project ?? undefined)
  const { headline, loss, repair } = describeVerdict(verdict, loader)
  const isFine = verdict.status === 'healthy' && verdict.loads.now > 0 && notes.length === 0
  return {
    ...rest,
    status: shownStatus(verdict),
    findings: findings
      .slice(0, MAX_FINDINGS_SHOWN)
      .map(finding => ({ ...explain(finding), meaning: describeMeaning(verdict, finding) })),
    moreFindings: moreFindings + Math.max(0, findings.length - MAX_FINDINGS_SHOWN),
    sentence: isFine ? `${headline} Nothing is wrong.` : headline,
    ...(loss === undefined ? {} : { loss }),
    ...(repair === undefined ? {} : { repair }),
    // What only the archive has is restored first.
    isRepairable: isRepairable(verdict) && served?.session.archived === undefined,
    ...(notes.length === 0 ? {} : { notes }),
    checkCommand: paste('rethread check', sessionId),
  }
}
