// Asks for the name of a conversation folder that has no id in its name.
import type { FormEvent } from 'react'
import { useId, useState } from 'react'
import type { NameAnswer, NameQuestion } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import { IconCheck } from '../common/icons.tsx'
import { TrashDialog } from './trash-dialog.tsx'
import type { TypedName } from './use-name.ts'

interface Props {
  question: NameQuestion
  typed: TypedName
  isWorking: boolean
  /** There is no other question, so this card has the button. */
  isAlone: boolean
  decide: (how: 'rename' | 'leave' | 'trash') => void
}

export function NameCard({ question, typed, isWorking, isAlone, decide }: Props) {
  const [isTrashing, setIsTrashing] = useState(false)
  const isReady = typed.answer?.isRight === true
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isAlone && isReady && !isWorking) decide('rename')
  }
  return (
    <form
      aria-label="Name"
      onSubmit={submit}
      className="flex min-w-0 flex-col gap-3 rounded-md border border-line bg-raised p-3"
    >
      <h4 className="font-medium text-sm text-strong [overflow-wrap:anywhere]">
        The folder {cleanLine(question.folder)} has no id in its name
      </h4>
      <NameField {...{ question, typed }} />
      <div className="flex flex-wrap gap-2">
        {isAlone && (
          <Button type="submit" size="sm" variant="primary" disabled={isWorking || !isReady}>
            Rename and repair
          </Button>
        )}
        <Button size="sm" disabled={isWorking} onClick={() => decide('leave')}>
          {isAlone ? 'Keep as is' : 'Keep all as is'}
        </Button>
        <Button size="sm" disabled={isWorking} onClick={() => setIsTrashing(true)}>
          Trash…
        </Button>
      </div>
      {!isAlone && <p className="text-quiet text-xs">The folder is renamed together with your choice below.</p>}
      {isTrashing && <TrashDialog onClose={() => setIsTrashing(false)} confirm={() => decide('trash')} />}
    </form>
  )
}

function NameField({ question, typed }: Pick<Props, 'question' | 'typed'>) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-normal text-sm">
        New name
      </label>
      <input
        id={id}
        value={typed.name}
        onChange={event => typed.setName(event.target.value)}
        aria-describedby={`${id}-means`}
        aria-invalid={typed.answer?.isRight === false}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-page px-2 font-mono text-sm text-strong"
      />
      <div id={`${id}-means`} role="status" className="min-h-5 text-sm">
        {typed.name.trim() === question.proposed ? (
          <p className="text-quiet">Proposed: made of {cleanText(question.source)}.</p>
        ) : (
          <Means of={typed.answer} />
        )}
      </div>
    </div>
  )
}

function Means({ of }: { of: NameAnswer | undefined }) {
  if (of === undefined) return <p className="text-quiet">Checking whether it is free…</p>
  if (!of.isRight) return <p className="text-lost [overflow-wrap:anywhere]">{cleanText(of.text)}</p>
  return (
    <p className="flex items-start gap-1.5 text-quiet">
      <IconCheck size={14} className="mt-[3px] text-healthy" />
      This name is available.
    </p>
  )
}
