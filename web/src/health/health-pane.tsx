// The health of the open conversation: the verdict in one sentence, the findings, what a repair would do, and
// earlier repairs.
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import type { SessionDetail, SessionHealth } from '../../../src/server/protocol.ts'
import { ArchivedNote } from '../archive/archive-banner.tsx'
import { Timeline } from '../archive/timeline.tsx'
import { progress } from '../catalog/figures.ts'
import { cleanText } from '../common/clean.ts'
import { CopyCommand } from '../common/copy-command.tsx'
import { formatBytes, plural } from '../common/format.ts'
import { IconButton } from '../common/icon-button.tsx'
import { IconRefresh } from '../common/icons.tsx'
import type { Failure } from '../common/states.tsx'
import { ErrorState, Hint, Skeleton } from '../common/states.tsx'
import { StatusMark } from '../common/status-mark.tsx'
import { api } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { unlisted } from '../state/unlisted.ts'
import { useRequest } from '../state/use-request.ts'
import { view } from '../state/view.ts'
import { FindingsList, Refusals } from './findings-list.tsx'
import { HealthActions, OutcomeLine } from './health-actions.tsx'
import { History } from './history.tsx'
import { LoadsBar } from './loads-bar.tsx'
import { SanitizeSection } from './sanitize-section.tsx'
import type { HealthState } from './use-health.ts'
import { useHealth } from './use-health.ts'
import { shownHealth } from './work.ts'

const WORDS_DELAY_MS = 150
const GONE = 'session-not-found'

/** `aside` is shown at the end of the heading. */
export function HealthPane({ aside }: { aside?: ReactNode }) {
  const { session } = useStore(view)
  const isUnlisted = useStore(unlisted).has(session ?? '')
  if (session === null) return null
  return isUnlisted ? <NothingYet aside={aside} /> : <OpenHealth key={session} sessionKey={session} aside={aside} />
}

function Heading({ children }: { children: ReactNode }) {
  return (
    <div className="flex items-center gap-1 pr-2 pl-4 pt-3">
      <h2 className="flex-1 font-semibold text-base text-strong">Health</h2>
      {children}
    </div>
  )
}

function NothingYet({ aside }: { aside: ReactNode }) {
  return (
    <section aria-label="Health" className="h-full min-w-0 bg-page">
      <Heading>{aside}</Heading>
      <p className="px-4 pt-2 text-normal text-sm">There are no messages yet, so there is nothing to check.</p>
    </section>
  )
}

function OpenHealth({ sessionKey, aside }: { sessionKey: string; aside: ReactNode }) {
  const { answer: detail, again: renew } = useRequest(`session ${sessionKey}`, signal =>
    api.session(sessionKey, signal),
  )
  const { request, work } = useHealth(sessionKey)
  const { answer, again } = request
  // After a restore or a deletion, other things can be done with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer is the reason
  useEffect(renew, [answer, renew])
  // A server that has just started may not have found the session yet.
  const isFinding = useStore(progress)?.phase === 'finding'
  const isGone = request.state === 'failed' && request.failure.code === GONE
  const isChecking = (answer === undefined && request.state === 'loading') || (isGone && isFinding)
  useEffect(() => {
    shownHealth.set(sessionKey)
    return () => shownHealth.set(null)
  }, [sessionKey])
  return (
    <section
      aria-label="Health"
      aria-busy={request.state === 'loading'}
      className="h-full min-w-0 overflow-y-auto bg-page"
    >
      <div className="mx-auto flex max-w-2xl flex-col">
        <Heading>
          <IconButton size="sm" label="Check again" onClick={again}>
            <IconRefresh size={14} />
          </IconButton>
          {aside}
        </Heading>
        {isChecking && <Checking detail={detail} />}
        {request.state === 'failed' && !isChecking && <Failed {...{ sessionKey, again }} failure={request.failure} />}
        {answer !== undefined && !isGone && <Known {...{ sessionKey, detail, work }} health={answer} />}
      </div>
    </section>
  )
}

/** The last verdict stays below the error, unless the session is gone. */
function Failed({ sessionKey, failure, again }: { sessionKey: string; failure: Failure; again: () => void }) {
  if (failure.code !== GONE) return <ErrorState failure={failure} again={again} />
  return (
    <div className="flex flex-col items-start gap-3 px-4 pt-1 pb-4">
      <StatusMark status="missing" withWord />
      <OutcomeLine sessionKey={sessionKey} work={undefined} />
      <p className="text-base text-strong">This conversation no longer exists.</p>
      <p className="text-normal text-sm">A copy may be among the repairs:</p>
      <CopyCommand command="rethread repairs" />
    </div>
  )
}

/** The text appears together with the grey lines. Most checks finish before that. */
function Checking({ detail }: { detail: SessionDetail | undefined }) {
  const size = detail === undefined ? '' : ` ${formatBytes(detail.fileSize)}`
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSeen(true), WORDS_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={isSeen ? '' : 'invisible'}>
      <p className="px-4 pt-2 text-quiet text-sm">Checking…{size}</p>
      <Skeleton lines={4} label={`Checking${size}`} />
    </div>
  )
}

interface KnownProps {
  sessionKey: string
  detail: SessionDetail | undefined
  health: SessionHealth
  work: HealthState['work']
}

function Known({ sessionKey, detail, health, work }: KnownProps) {
  const { verdict, receipts } = health
  const { status, loads, reason, loss, repair, notes = [] } = verdict
  const outlook = [loss, repair].filter(words => words !== undefined).join(' ')
  const isSanitized = detail?.isSanitized === true
  const isAsked = isSanitized && status !== 'healthy'
  // The folder exists, so the reason says which file is missing.
  const sentence = isAsked && status === 'missing' && reason !== undefined ? reason.text : verdict.sentence
  const hasBar = status === 'corrupted' && loads.now < loads.afterRepair
  return (
    <>
      <div className="flex flex-col gap-3 px-4 pt-1 pb-4">
        {detail?.archived !== undefined && <ArchivedNote {...{ detail, archived: detail.archived, work }} />}
        <p>
          <StatusMark status={work === undefined ? status : 'repairing'} withWord />
        </p>
        <p className="text-base text-strong [overflow-wrap:anywhere]">
          {detail?.archived !== undefined && 'After a restore: '}
          {cleanText(sentence)}
        </p>
        {hasBar && <LoadsBar {...loads} />}
        {outlook !== '' && !isAsked && (
          <p className="text-normal text-sm [overflow-wrap:anywhere]">{cleanText(outlook)}</p>
        )}
        {reason !== undefined && reason.text !== sentence && (
          <p className="text-normal text-sm [overflow-wrap:anywhere]">{cleanText(reason.text)}</p>
        )}
        {reason !== undefined && !isAsked && <Hint text={cleanText(reason.hint)} />}
        {notes.map(({ code, text, offers }) => (
          <p
            key={code}
            role="note"
            className="rounded-md bg-damaged-soft px-3 py-2 text-sm text-strong [overflow-wrap:anywhere]"
          >
            {cleanText(text)}
            {offers.includes('make-folder') && ' Resume offers to create it.'}
          </p>
        ))}
        <HealthActions {...{ sessionKey, isSanitized, health, work }} />
        {verdict.fileSize > 0 && (
          <p className="text-quiet text-xs">
            {plural(verdict.messageCount, 'message')} in {formatBytes(verdict.fileSize)}
          </p>
        )}
      </div>
      {isAsked && <SanitizeSection {...{ sessionKey, verdict }} isWorking={work !== undefined} />}
      <FindingsList {...{ sessionKey, verdict }} filePath={detail?.filePath} />
      {!isAsked && <Refusals verdict={verdict} />}
      {detail?.conversation === undefined && (
        <Timeline {...{ sessionKey, agent: detail?.agent ?? '', health }} isWorking={work !== undefined} />
      )}
      <History {...{ sessionKey, receipts }} isWorking={work !== undefined} />
    </>
  )
}
