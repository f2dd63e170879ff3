// Output of a tool as a terminal would show it, folded to its first lines.
import { memo, useMemo } from 'react'
import type { Hue, Style, StyledRun } from './ansi.ts'
import { renderAnsi } from './ansi.ts'
import { foldLines } from './fold-lines.ts'
import { FoldedBox } from './folded-box.tsx'

const INK: Record<Hue, string> = {
  red: 'text-lost',
  green: 'text-healthy',
  yellow: 'text-damaged',
  blue: 'text-live',
  magenta: 'text-accent',
  cyan: 'text-live',
  grey: 'text-quiet',
}
const GROUND: Record<Hue, string> = {
  red: 'bg-lost-soft',
  green: 'bg-healthy-soft',
  yellow: 'bg-damaged-soft',
  blue: 'bg-live-soft',
  magenta: 'bg-accent-soft',
  cyan: 'bg-live-soft',
  grey: 'bg-hover',
}

interface Props {
  output: string
  name: string
  isError: boolean
}

export function TerminalText({ output, name, isError }: Props) {
  const folded = useMemo(() => foldLines(output), [output])
  return (
    <FoldedBox name={name} label="Output" more={folded.more} tone={isError ? 'lost' : 'plain'}>
      {isOpen => <Runs output={isOpen ? output : folded.text} />}
    </FoldedBox>
  )
}

const Runs = memo(function Runs({ output }: { output: string }) {
  const runs = useMemo(() => renderAnsi(output), [output])
  // biome-ignore lint/suspicious/noArrayIndexKey: runs of one text have no other name
  return runs.map((run, at) => <RunText key={at} run={run} />)
})

function RunText({ run: { text, style } }: { run: StyledRun }) {
  const look = lookOf(style)
  return look === '' ? text : <span className={look}>{text}</span>
}

function lookOf(style: Style): string {
  const { hue, ground, inverse } = style
  return [
    inverse ? 'bg-hover text-strong' : '',
    hue === undefined ? '' : INK[hue],
    ground === undefined || inverse ? '' : GROUND[ground],
    style.bold ? 'font-semibold' : '',
    style.dim && hue === undefined ? 'text-quiet' : '',
    style.italic ? 'italic' : '',
    style.underline ? 'underline' : '',
    style.struck ? 'line-through' : '',
  ]
    .filter(word => word !== '')
    .join(' ')
}
