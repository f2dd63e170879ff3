// A conversation that is a folder of files: what is wrong, and the user's choices, each applied at once.
import { useEffect, useRef, useState } from 'react'
import type { ApiVerdict, SanitizeDecisions, SanitizeLine, SanitizeQuestions } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { IconRefresh, IconWrench } from '../common/icons.tsx'
import { ErrorState, Skeleton } from '../common/states.tsx'
import { sanitizeApi } from '../state/api.ts'
import { useRequest } from '../state/use-request.ts'
import { EventsCard } from './events-card.tsx'
import { FlagsCard } from './flags-card.tsx'
import { NameCard } from './name-card.tsx'
import { ReportLines } from './report-lines.tsx'
import { HealthSection } from './section.tsx'
import { TrashDialog } from './trash-dialog.tsx'
import { useFlags } from './use-flags.ts'
import { useName } from './use-name.ts'
import { runSanitize } from './work.ts'

interface Props {
  sessionKey: string
  isWorking: boolean
}

export function SanitizeSection({ sessionKey, isWorking, verdict }: Props & { verdict: ApiVerdict }) {
  const request = useRequest(`sanitize ${sessionKey}`, signal => sanitizeApi.questions(sessionKey, signal))
  const { answer, again } = request
  const isGone = request.state === 'failed' && request.failure.code === 'session-not-found'
  const judged = useRef(verdict)
  // Every change of the conversation leads to a new verdict. The shown questions and typed text stay
  // meanwhile.
  useEffect(() => {
    if (judged.current === verdict) return
    judged.current = verdict
    again()
  }, [verdict, again])
  if (isGone) return null
  return (
    <HealthSection title="Decisions">
      {request.state === 'failed' && <ErrorState failure={request.failure} again={request.again} />}
      {answer === undefined && request.state === 'loading' && <Skeleton lines={4} label="Checking what can be done" />}
      {answer !== undefined && <Asked {...{ sessionKey, isWorking, again }} asked={answer} />}
    </HealthSection>
  )
}

function Asked({ sessionKey, isWorking, asked, again }: Props & { asked: SanitizeQuestions; again: () => void }) {
  const { name, events, flags, lines } = asked
  const typed = useFlags(sessionKey, flags)
  const named = useName(sessionKey, name)
  const send = (decisions: SanitizeDecisions) => void runSanitize(sessionKey, decisions)
  const decide = (about: SanitizeDecisions['events']) => {
    // A conversation that goes to the trash needs neither flags nor a name.
    if (about?.type === 'trash') return send(name === null ? { events: about } : { name: { type: 'trash' } })
    send({ ...present({ name: named.decision, events: about }), flags: typed.decision })
  }
  const decideName = (how: 'rename' | 'leave' | 'trash') =>
    how === 'rename' ? decide(undefined) : send({ name: { type: how } })
  const isMisnamed = name !== null && named.answer?.isRight !== true
  if (lines.length === 0) return <p className="text-normal text-sm">There is nothing to decide.</p>
  return (
    <div className="flex flex-col gap-3 pt-1">
      <ReportLines lines={lines} />
      {name !== null && (
        <NameCard
          question={name}
          typed={named}
          {...{ isWorking }}
          isAlone={events === null && flags === null}
          decide={decideName}
        />
      )}
      {flags !== null && (
        <FlagsCard
          question={flags}
          typed={typed}
          {...{ isWorking }}
          isAlone={events === null}
          isHeldUp={isMisnamed}
          decide={() => decide(undefined)}
        />
      )}
      {events !== null && (
        <EventsCard
          question={events}
          {...{ sessionKey, isWorking, decide }}
          isHeldUp={isMisnamed || typed.answer?.type === 'wrong'}
        />
      )}
      {name === null && events === null && flags === null && (
        <Plain
          {...{ isWorking, again }}
          isTrashed={asked.isTrashed}
          isRepairable={lines.some(isRepairable)}
          decide={() => decide(undefined)}
        />
      )}
    </div>
  )
}

/** A conversation that is in use or not readable cannot be repaired here. Its line says why. */
function isRepairable({ part }: SanitizeLine): boolean {
  return part !== 'skipped' && part !== 'blocked'
}

function present(parts: Pick<SanitizeDecisions, 'name' | 'events'>): SanitizeDecisions {
  return {
    ...(parts.name === undefined ? {} : { name: parts.name }),
    ...(parts.events === undefined ? {} : { events: parts.events }),
  }
}

interface PlainProps {
  isWorking: boolean
  isTrashed: boolean
  isRepairable: boolean
  decide: () => void
  again: () => void
}

/** No question is open: only the button to repair. */
function Plain({ isWorking, isTrashed, isRepairable: canRepair, decide, again }: PlainProps) {
  const [isAsking, setIsAsking] = useState(false)
  if (!canRepair)
    return (
      <Button size="sm" className="self-start" icon={<IconRefresh size={14} />} onClick={again}>
        Try again
      </Button>
    )
  return (
    <>
      <Button
        variant="primary"
        className="self-start"
        icon={<IconWrench size={14} />}
        disabled={isWorking}
        onClick={() => (isTrashed ? setIsAsking(true) : decide())}
      >
        {isTrashed ? 'Move to the trash…' : 'Repair'}
      </Button>
      {!isTrashed && (
        <p className="text-quiet text-xs">Damaged files are kept beside the new ones, and the repair can be undone.</p>
      )}
      {isAsking && <TrashDialog onClose={() => setIsAsking(false)} confirm={decide} />}
    </>
  )
}
