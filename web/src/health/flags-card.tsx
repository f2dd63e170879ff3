// The flags that a conversation was started with. The user types them, and the page explains them meanwhile.
import type { FormEvent } from 'react'
import { useId } from 'react'
import type { FlagsAnswer, FlagsQuestion } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { CodeBox } from './code-box.tsx'
import type { TypedFlags } from './use-flags.ts'

interface Props {
  question: FlagsQuestion
  typed: TypedFlags
  isWorking: boolean
  /** There is no other question, so this card has the button. */
  isAlone: boolean
  /** Another field of the form is invalid. */
  isHeldUp: boolean
  decide: () => void
}

export function FlagsCard({ question, typed, isWorking, isAlone, isHeldUp, decide }: Props) {
  const id = useId()
  const isEmpty = typed.decision === null
  const isReady = !isHeldUp && (isEmpty || typed.answer?.type === 'delta')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isAlone && isReady && !isWorking) decide()
  }
  return (
    <form
      aria-label="Flags"
      onSubmit={submit}
      className="flex min-w-0 flex-col gap-3 rounded-md border border-line bg-raised p-3"
    >
      <h4 className="font-medium text-sm text-strong [overflow-wrap:anywhere]">{cleanText(question.text)}</h4>
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="text-normal text-sm">
          The flags it was started with, to rebuild what was lost
        </label>
        <input
          id={id}
          value={typed.line}
          onChange={event => typed.setLine(event.target.value)}
          aria-describedby={`${id}-means`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="--cfg NAME --model MODEL"
          className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-page px-2 font-mono text-sm text-strong placeholder:text-quiet"
        />
        <div id={`${id}-means`} role="status" className="text-sm">
          {isEmpty ? (
            <p className="text-quiet">Leave it empty to repair without flags.</p>
          ) : (
            <Means of={typed.answer} />
          )}
        </div>
      </div>
      {isAlone ? (
        <Button type="submit" variant="primary" className="self-start" disabled={isWorking || !isReady}>
          {isEmpty ? 'Repair without flags' : 'Repair with these flags'}
        </Button>
      ) : (
        <p className="text-quiet text-xs">
          They are written together with the repaired events below. If you keep those as is, you are asked again.
        </p>
      )}
    </form>
  )
}

function Means({ of }: { of: FlagsAnswer | undefined }) {
  if (of === undefined) return <p className="text-quiet">Checking what they mean…</p>
  if (of.type === 'wrong')
    return <p className="text-lost [overflow-wrap:anywhere]">These flags cannot be used: {cleanText(of.text)}</p>
  return (
    <div className="flex flex-col gap-1">
      <p className="text-quiet">This would be written:</p>
      <CodeBox label="What would be written" text={JSON.stringify(of.delta, null, 2)} />
      {of.notes.map(note => (
        <p key={note} className="text-normal [overflow-wrap:anywhere]">
          {cleanText(note)}
        </p>
      ))}
    </div>
  )
}
