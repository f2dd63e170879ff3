// Below the messages of a live conversation: status lines, questions, and the message box.
import type { TalkState } from '../../../src/server/protocol.ts'
import { cleanLine } from '../common/clean.ts'
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
    </>
  )
}
