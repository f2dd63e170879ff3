// A conversation that is a folder of files: what is wrong with it, and the choices of the person, each carried out at once.
import { useEffect, useRef, useState } from 'react'
import type { ApiVerdict, SanitizeDecisions, SanitizeQuestions } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { IconWrench } from '../common/icons.tsx'
import { ErrorState, Skeleton } from '../common/states.tsx'
import { sanitizeApi } from '../state/api.ts'
import { useRequest } from '../state/use-request.ts'
import { EventsCard } from './events-card.tsx'
import { FlagsCard } from './flags-card.tsx'
import { ReportLines } from './report-lines.tsx'
import { Section } from './section.tsx'
import { TrashDialog } from './trash-dialog.tsx'
import { useFlags } from './use-flags.ts'
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
  // Whatever changes the conversation leads to another verdict. What is shown stays meanwhile, with what is being typed.
  useEffect(() => {
    if (judged.current === verdict) return
    judged.current = verdict
    again()
  }, [verdict, again])
  if (isGone) return null
  return (
    <Section title="What is to be done">
      {request.state === 'failed' && <ErrorState failure={request.failure} again={request.again} />}
      {answer === undefined && request.state === 'loading' && <Skeleton lines={4} label="Looking what can be done" />}
      {answer !== undefined && <Asked {...{ sessionKey, isWorking }} asked={answer} />}
    </Section>
  )
}

function Asked({ sessionKey, isWorking, asked }: Props & { asked: SanitizeQuestions }) {
  const { events, flags, lines } = asked
  const typed = useFlags(sessionKey, flags)
  const decide = (about: SanitizeDecisions['events']) => {
    const flagged = about?.type === 'trash' ? null : typed.decision
    const decisions = { ...(about === undefined ? {} : { events: about }), flags: flagged }
    void runSanitize(sessionKey, decisions)
  }
  if (lines.length === 0) return <p className="text-normal text-sm">Nothing of it needs to be decided.</p>
  return (
    <div className="flex flex-col gap-3 pt-1">
      <ReportLines lines={lines} />
      {flags !== null && (
        <FlagsCard
          question={flags}
          typed={typed}
          {...{ isWorking }}
          isAlone={events === null}
          decide={() => decide(undefined)}
        />
      )}
      {events !== null && (
        <EventsCard
          question={events}
          {...{ sessionKey, isWorking, decide }}
          isHeldUp={typed.answer?.type === 'wrong'}
        />
      )}
      {events === null && flags === null && (
        <Plain {...{ isWorking }} isTrashed={asked.isTrashed} decide={() => decide(undefined)} />
      )}
    </div>
  )
}

interface PlainProps {
  isWorking: boolean
  isTrashed: boolean
  decide: () => void
}

/** Nothing has to be decided but whether. */
function Plain({ isWorking, isTrashed, decide }: PlainProps) {
  const [isAsking, setIsAsking] = useState(false)
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
