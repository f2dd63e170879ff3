// A tool call with its input and its result.
import { useMemo } from 'react'
import type { ApiPart } from '../../../../src/server/protocol.ts'
import { cleanLine } from '../../common/clean.ts'
import { IconCheck, IconChevronDown, IconChevronRight, IconClock, IconClose } from '../../common/icons.tsx'
import { useFold } from '../conversation-context.ts'
import { LoadWhole, useWhole } from './load-whole.tsx'
import type { FoundResult } from './pairing.ts'
import { TerminalText } from './terminal-text.tsx'
import { describeInput, titleOfInput } from './tool-input.ts'
import { ToolInputView } from './tool-input-view.tsx'

const MAX_TITLE = 300

interface CallProps {
  call: Extract<ApiPart, { type: 'tool-call' }>
  result: FoundResult | undefined
  index: number
  number: number
  time: string | null
}

export function ToolCard({ call, result, index, number, time }: CallProps) {
  const whole = useWhole(index, number)
  const wholeCall = whole.part?.type === 'tool-call' ? whole.part : call
  const input = useMemo(() => describeInput(wholeCall.input), [wholeCall])
  const isError = result?.part.isError === true
  // Commands, changes and failures are open. Calls that only read something stay folded.
  const [isOpen, setIsOpen] = useFold(`tool ${index} ${number}`, isError || ['command', 'changes'].includes(input.type))
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  const title = cleanLine(titleOfInput(input, isOpen).slice(0, MAX_TITLE))
  return (
    <div className="max-w-[880px] rounded-md border border-line bg-raised">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover"
      >
        <Chevron size={14} className="text-quiet" />
        <span className="shrink-0 font-medium text-strong">{cleanLine(call.name) || 'tool'}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-quiet text-xs">{title}</span>
        <Outcome result={result} time={time} status={call.status} />
      </button>
      {isOpen && (
        <div className="flex flex-col gap-2 px-2 pb-2">
          <ToolInputView input={input} name={`input ${index} ${number}`} />
          <LoadWhole whole={whole} shown={JSON.stringify(call.input)?.length ?? 0} cut={call.cutChars} />
          {result !== undefined && <ToolOutput {...result} />}
        </div>
      )}
    </div>
  )
}

const UNDER_WAY = { pending: 'waiting', running: 'running…' } as const

interface OutcomeProps {
  result: FoundResult | undefined
  time: string | null
  status: CallProps['call']['status']
}

function Outcome({ result, time, status }: OutcomeProps) {
  if (status !== undefined)
    return (
      <span className="flex shrink-0 items-center gap-1 text-live text-xs">
        <IconClock size={14} />
        {UNDER_WAY[status]}
      </span>
    )
  if (result === undefined) return <span className="shrink-0 text-quiet text-xs">no result</span>
  const took = durationOf(time, result.time)
  return (
    <span className={`flex shrink-0 items-center gap-1 text-xs ${result.part.isError ? 'text-lost' : 'text-quiet'}`}>
      {result.part.isError ? <IconClose size={14} /> : <IconCheck size={14} className="text-healthy" />}
      {result.part.isError ? 'failed' : <span className="sr-only">done</span>}
      {took !== undefined && <span>{took}</span>}
    </span>
  )
}

/** A result without a loaded call. */
export function LoneResult({ part, message, number }: Omit<FoundResult, 'time'>) {
  return (
    <div className="max-w-[880px] rounded-md border border-line bg-raised p-2">
      <p className="mb-1.5 flex items-center gap-1.5 text-quiet text-xs">
        {part.isError ? (
          <IconClose size={14} className="text-lost" />
        ) : (
          <IconCheck size={14} className="text-healthy" />
        )}
        {part.isError ? 'Failed' : 'Result'} of a tool call
        <span className="min-w-0 truncate font-mono">{cleanLine(part.id)}</span>
      </p>
      <ToolOutput part={part} message={message} number={number} />
    </div>
  )
}

function ToolOutput({ part, message: index, number }: Omit<FoundResult, 'time'>) {
  const whole = useWhole(index, number)
  const found = whole.part
  const output = found?.type === 'tool-result' ? found.output : part.output
  if (output.trim() === '' && part.cutChars === undefined) return <p className="px-1 text-quiet text-xs">no output</p>
  return (
    <div>
      <TerminalText output={output} name={`output ${index} ${number}`} isError={part.isError} />
      <LoadWhole whole={whole} shown={part.output.length} cut={part.cutChars} />
    </div>
  )
}

function durationOf(from: string | null, to: string | null): string | undefined {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '')
  if (!(ms > 0)) return undefined
  if (ms < 1000) return `${ms} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.round(ms / 60_000)} min`
}
