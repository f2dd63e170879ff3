// What the agent asks: a permission with its choices, or a form. Answered by keyboard or mouse; nothing is chosen by accident.
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { TalkAnswer, TalkQuestion } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import { IconCheck, IconClose, IconHelp, IconLock } from '../common/icons.tsx'
import { talkApi } from '../state/api.ts'
import { QuestionForm } from './question-form.tsx'
import { orToast } from './talk-actions.ts'

interface Props {
  sessionKey: string
  question: TalkQuestion
  agentTitle: string
}

export function QuestionCard({ sessionKey, question, agentTitle }: Props) {
  const [isSending, setIsSending] = useState(false)
  const answer = async (given: TalkAnswer) => {
    setIsSending(true)
    await orToast(async () => await talkApi.answer(sessionKey, question.key, given))
    setIsSending(false)
  }
  if (question.type === 'permission')
    return (
      <Card label={`${agentTitle} asks for permission`} icon={<IconLock size={16} />}>
        <p className="font-medium text-base text-strong [overflow-wrap:anywhere]">{cleanLine(question.title)}</p>
        {question.input !== null && (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            className="max-h-40 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-page px-2.5 py-1.5 font-mono text-strong text-xs leading-[18px] [overflow-wrap:anywhere]"
          >
            {cleanText(question.input)}
          </pre>
        )}
        <div className="flex flex-wrap gap-2">
          {question.options.map(({ id, name, isAllowing }) => (
            <Button
              key={id}
              size="sm"
              disabled={isSending}
              icon={isAllowing ? <IconCheck size={14} /> : <IconClose size={14} />}
              onClick={() => void answer({ type: 'selected', optionId: id })}
              className="max-w-full"
            >
              <span className="min-w-0 truncate">{cleanLine(name)}</span>
            </Button>
          ))}
        </div>
      </Card>
    )
  return (
    <Card label={`${agentTitle} asks`} icon={<IconHelp size={16} />}>
      {question.message !== '' && (
        <p className="whitespace-pre-wrap font-medium text-base text-strong [overflow-wrap:anywhere]">
          {cleanText(question.message)}
        </p>
      )}
      <QuestionForm
        fields={question.fields}
        isSending={isSending}
        onAnswer={content => void answer({ type: 'accept', content })}
        onDecline={() => void answer({ type: 'decline' })}
      />
    </Card>
  )
}

/** It takes the focus itself, and none of its buttons does: Enter that was meant for a message answers nothing. */
function Card({ label, icon, children }: { label: string; icon: ReactNode; children: ReactNode }) {
  const card = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    if (isFree(document.activeElement)) card.current?.focus({ preventScroll: true })
    card.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-2 rounded-md border border-live bg-live-soft px-3 pt-2 pb-3 -outline-offset-2"
    >
      <legend className="sr-only">{label}</legend>
      <p aria-hidden="true" className="flex items-center gap-1.5 text-normal text-sm">
        <span className="text-live">{icon}</span>
        {label}
      </p>
      {children}
    </fieldset>
  )
}

/** Nobody is interrupted who is in the middle of something. */
function isFree(focused: Element | null): boolean {
  if (focused instanceof HTMLTextAreaElement) return focused.value === ''
  return focused === null || focused === document.body
}
