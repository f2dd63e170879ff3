// A question of the agent: a permission with its choices, or a form. Answered by keyboard or mouse, and
// guarded against accidental keys.
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { TalkAnswer, TalkQuestion } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import { IconCheck, IconClose, IconHelp, IconLock } from '../common/icons.tsx'
import { useShortcut } from '../keyboard.ts'
import { talkApi } from '../state/api.ts'
import { QuestionForm } from './question-form.tsx'
import { orToast } from './talk-actions.ts'

/** Keys within this time are ignored: they were pressed before the user could read the question. */
const UNREAD_MS = 500

interface Props {
  sessionKey: string
  question: TalkQuestion
  agentTitle: string
}

export function QuestionCard({ sessionKey, question, agentTitle }: Props) {
  const [isSending, setIsSending] = useState(false)
  // The card is shown until the server removes the question. A second key in that time must not answer again.
  const isAnswered = useRef(false)
  const answer = async (given: TalkAnswer) => {
    if (isAnswered.current) return
    isAnswered.current = true
    setIsSending(true)
    isAnswered.current = await orToast(async () => await talkApi.answer(sessionKey, question.key, given))
    setIsSending(isAnswered.current)
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
        <Options
          options={question.options}
          isSending={isSending}
          agentTitle={agentTitle}
          choose={optionId => void answer({ type: 'selected', optionId })}
        />
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

type Option = Extract<TalkQuestion, { type: 'permission' }>['options'][number]

interface OptionsProps {
  options: readonly Option[]
  isSending: boolean
  agentTitle: string
  choose: (optionId: string) => void
}

/** Once before always, and allow before reject; otherwise in the agent's order. */
function rank(options: readonly Option[]): Option[] {
  const weigh = ({ isAllowing, isLasting }: Option) => (isLasting ? 2 : 0) + (isAllowing ? 0 : 1)
  return options.toSorted((a, b) => weigh(a) - weigh(b))
}

function Options({ options, isSending, agentTitle, choose }: OptionsProps) {
  const ranked = rank(options)
  const lasting = ranked.find(({ isAllowing, isLasting }) => isAllowing && isLasting)
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {ranked.map((option, index) => (
          <OptionButton
            key={option.id}
            {...{ option, isSending }}
            shortcut={index < 9 ? String(index + 1) : undefined}
            isFirst={index === 0 && option.isAllowing}
            choose={() => choose(option.id)}
          />
        ))}
      </div>
      {lasting !== undefined && (
        <p className="text-quiet text-xs [overflow-wrap:anywhere]">
          “{cleanLine(lasting.name)}” covers later requests of this kind too: {agentTitle} remembers it and stops
          asking.
        </p>
      )}
    </>
  )
}

interface OptionButtonProps {
  option: Option
  isSending: boolean
  isFirst: boolean
  shortcut: string | undefined
  choose: () => void
}

function OptionButton({ option, isSending, isFirst, shortcut, choose }: OptionButtonProps) {
  const { name, isAllowing, isLasting } = option
  const [shownAt] = useState(() => performance.now())
  const press = () => {
    if (performance.now() - shownAt < UNREAD_MS) return
    choose()
  }
  useShortcut(shortcut ?? '', cleanLine(name), press, shortcut !== undefined && !isSending)
  return (
    <Button
      size="sm"
      variant={isFirst ? 'primary' : isLasting ? 'quiet' : 'plain'}
      disabled={isSending}
      icon={isAllowing ? <IconCheck size={14} /> : <IconClose size={14} />}
      onClick={choose}
      className="max-w-full"
      {...(shortcut === undefined ? {} : { shortcut })}
    >
      <span className="min-w-0 truncate">{cleanLine(name)}</span>
    </Button>
  )
}

/** The card takes the focus, not its buttons, so that an Enter meant for a message answers nothing. */
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

/** Does not take the focus from an element in use. */
function isFree(focused: Element | null): boolean {
  if (focused instanceof HTMLTextAreaElement) return focused.value === ''
  return focused === null || focused === document.body
}
