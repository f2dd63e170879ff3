// What a pane shows instead of its content: an error with a hint, an empty state, or grey lines while it
// loads.
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { cleanText } from './clean.ts'
import { CopyCommand } from './copy-command.tsx'
import { commandIn, pageHint } from './hints.ts'
import { IconRefresh, IconWarning } from './icons.tsx'

/** A shorter delay would flicker with a fast answer. */
const SKELETON_DELAY_MS = 150
const WIDTHS = ['w-3/4', 'w-full', 'w-5/6', 'w-2/3', 'w-11/12']
export interface Failure {
  message: string
  code: string
  hint: string
}

export function ErrorState({ failure, again }: { failure: Failure; again?: (() => void) | undefined }) {
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-start gap-3 p-6">
      <p className="flex items-start gap-2 font-medium text-base text-strong">
        <IconWarning className="mt-0.5 text-lost" />
        <span className="min-w-0 break-words">{cleanText(failure.message)}</span>
      </p>
      <Hint text={cleanText(failure.hint)} />
      <div className="flex items-center gap-3">
        {again !== undefined && (
          <Button size="sm" icon={<IconRefresh size={14} />} onClick={again}>
            Try again
          </Button>
        )}
        <span className="font-mono text-quiet text-xs">{cleanText(failure.code)}</span>
      </div>
    </div>
  )
}

/** The hint of an error. A command at its end can be copied. Commands that a button replaces are left out. */
export function Hint({ text }: { text: string }) {
  const shown = pageHint(text)
  if (shown === '') return null
  const found = commandIn(shown)
  if (found === undefined) return <p className="text-normal text-sm">{shown}</p>
  return (
    <div className="flex max-w-full flex-col items-start gap-1.5 text-normal text-sm">
      <p>{found.words}</p>
      <CopyCommand command={found.command} />
    </div>
  )
}

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-12 text-center">
      <p className="font-medium text-base text-strong">{title}</p>
      {children !== undefined && <div className="flex flex-col items-center gap-3 text-quiet text-sm">{children}</div>}
    </div>
  )
}

/** Takes its room at once and becomes visible after 150 ms, so that nothing jumps or flickers. */
export function Skeleton({ lines, label = 'Loading' }: { lines: number; label?: string }) {
  const isSeen = useDelay(SKELETON_DELAY_MS)
  return (
    <div role="status" className={`flex flex-col gap-3 p-4 ${isSeen ? '' : 'invisible'}`}>
      <span className="sr-only">{isSeen ? label : ''}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grey lines have no other name
        <span key={line} className={`h-3 rounded bg-hover ${WIDTHS[line % WIDTHS.length]}`} />
      ))}
    </div>
  )
}

function useDelay(ms: number): boolean {
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsOver(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isOver
}
