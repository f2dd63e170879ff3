// Below the messages of a live conversation: what must be known, what is asked, and where one writes.
import type { TalkState } from '../../../src/server/protocol.ts'
import { cleanLine } from '../common/clean.ts'
import { useLayout } from '../common/use-layout.ts'
import { Composer } from './composer.tsx'
import { FailureLine, HeldLine, RestoredLine } from './lines.tsx'
import { PlanLine } from './plan-line.tsx'
import { QuestionCard } from './question-card.tsx'
import type { LiveTalk } from './use-live-talk.ts'

export function TalkFoot({ sessionKey, live }: { sessionKey: string; live: LiveTalk }) {
  const { state, failure } = live
  return (
    <div className="shrink-0 border-line border-t bg-page px-4 pt-2 pb-1">
      <div className="mx-auto flex min-h-[68px] max-w-[896px] flex-col justify-end gap-2">
        {failure !== null && <HeldLine sessionKey={sessionKey} error={failure} />}
        {state !== null && failure === null && <Known sessionKey={sessionKey} talk={state} />}
      </div>
    </div>
  )
}

function Known({ sessionKey, talk }: { sessionKey: string; talk: TalkState }) {
  const { plan, restored, failure, heldElsewhere, questions, agentTitle } = talk
  const isPlanOpen = plan.some(({ status }) => status !== 'completed')
  return (
    <>
      <div className="-mx-1 flex max-h-[45vh] flex-col gap-2 overflow-y-auto px-1 empty:hidden">
        {restored !== null && <RestoredLine restored={restored} />}
        {heldElsewhere !== null && <HeldLine sessionKey={sessionKey} error={heldElsewhere} />}
        {failure !== null && heldElsewhere === null && <FailureLine sessionKey={sessionKey} failure={failure} />}
        {isPlanOpen && <PlanLine plan={plan} />}
        {questions.map(question => (
          <QuestionCard key={question.key} {...{ sessionKey, question }} agentTitle={cleanLine(agentTitle)} />
        ))}
      </div>
      <Composer sessionKey={sessionKey} talk={talk} />
      <StateLine talk={talk} />
    </>
  )
}

/** Always there, so that nothing moves when it has something to say. */
function StateLine({ talk }: { talk: TalkState }) {
  const isPhone = useLayout() === 'narrow'
  const hint = isPhone ? '' : 'Enter sends, Shift+Enter begins a new line'
  return (
    <p className="flex h-5 items-center gap-2 text-quiet text-xs">
      <span id="composer-state" role="status" aria-live="polite" className="min-w-0 flex-1 truncate">
        {wordsOf(talk) || hint}
      </span>
      {talk.mode !== null && <span className="max-w-32 shrink-0 truncate">mode {cleanLine(talk.mode)}</span>}
    </p>
  )
}

function wordsOf({ status, pending, questions, agentTitle, heldElsewhere }: TalkState): string {
  const agent = cleanLine(agentTitle)
  if (questions.length > 0) return `${agent} waits for your answer`
  if (pending !== null) return `Waiting for ${agent}…`
  if (status === 'busy') return `${agent} is answering…`
  return heldElsewhere === null ? '' : 'Nothing can be said here while another rethread has this conversation'
}
