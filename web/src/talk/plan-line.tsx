// The plan of the agent: one line, and all steps on request.
import { useState } from 'react'
import type { TalkState } from '../../../src/server/protocol.ts'
import { cleanLine } from '../common/clean.ts'
import { IconCheck, IconChevronDown, IconChevronRight, IconPlay } from '../common/icons.tsx'

type Step = TalkState['plan'][number]

const WORDS: Record<string, string> = { completed: 'done', in_progress: 'under way', pending: 'to do' }

export function PlanLine({ plan }: { plan: readonly Step[] }) {
  const [isOpen, setIsOpen] = useState(false)
  const done = plan.filter(({ status }) => status === 'completed').length
  const current =
    plan.find(({ status }) => status === 'in_progress') ?? plan.find(({ status }) => status !== 'completed')
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <div className="rounded-md border border-line bg-raised text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover"
      >
        <Chevron size={14} className="text-quiet" />
        <span className="shrink-0 font-medium text-strong">Plan</span>
        <span className="shrink-0 text-quiet">
          {done} of {plan.length} done
        </span>
        <span className="min-w-0 flex-1 truncate text-normal">{cleanLine(current?.content ?? '')}</span>
      </button>
      {isOpen && (
        <ol className="flex max-h-40 flex-col gap-1 overflow-y-auto px-3 pb-2">
          {plan.map((step, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
            <PlanStep key={at} step={step} />
          ))}
        </ol>
      )}
    </div>
  )
}

function PlanStep({ step: { content, status } }: { step: Step }) {
  return (
    <li className="flex items-start gap-2">
      <span className="mt-0.5 flex size-4 items-center justify-center">
        {status === 'completed' && <IconCheck size={14} className="text-healthy" />}
        {status === 'in_progress' && <IconPlay size={12} className="text-live" />}
      </span>
      <span className={`min-w-0 [overflow-wrap:anywhere] ${status === 'completed' ? 'text-quiet' : 'text-normal'}`}>
        {cleanLine(content)}
        <span className="sr-only">, {WORDS[status] ?? status}</span>
      </span>
    </li>
  )
}
