// One part of a message, by its type.
import type { ReactNode } from 'react'
import type { ApiPart } from '../../../../src/server/protocol.ts'
import { cleanLine } from '../../common/clean.ts'
import { IconChevronDown, IconChevronRight, IconFile, IconImage } from '../../common/icons.tsx'
import { addresses } from '../../state/api.ts'
import { useConversation, useFold } from '../conversation-context.ts'
import { ImagePart } from './image-part.tsx'
import type { FoundResult } from './pairing.ts'
import { TextPart } from './text-part.tsx'
import { LoneResult, ToolCard } from './tool-card.tsx'
import { FoldedText } from './tool-input-view.tsx'

interface Props {
  part: ApiPart
  index: number
  number: number
  time: string | null
  result: FoundResult | undefined
  isPlaced: boolean
}

export function MessagePart({ part, index, number, time, result, isPlaced }: Props) {
  switch (part.type) {
    case 'text':
      return <TextPart part={part} index={index} number={number} />
    case 'thinking':
      return <Thinking part={part} index={index} number={number} />
    case 'tool-call':
      return <ToolCard call={part} result={result} index={index} number={number} time={time} />
    case 'tool-result':
      return isPlaced ? null : <LoneResult part={part} message={index} number={number} />
    case 'file':
      if (part.imageBytes === undefined) return <FilePart part={part} />
      return <ImagePart part={part} bytes={part.imageBytes} index={index} number={number} />
    case 'notice':
      return (
        <div className="border-line border-l-2 pl-3 text-sm opacity-90 [&_.md]:text-quiet">
          <TextPart part={part} index={index} number={number} />
        </div>
      )
    case 'unknown':
      return <UnknownPart part={part} index={index} number={number} />
  }
}

function Thinking({
  part,
  index,
  number,
}: {
  part: Extract<ApiPart, { type: 'thinking' }>
  index: number
  number: number
}) {
  if (part.text.trim() === '')
    return <p className="text-quiet text-sm italic">Thinking, stored in a form that only the agent can read</p>
  return (
    <Fold name={`thinking ${index} ${number}`} title="Thinking">
      <div className="border-line border-l-2 pl-3 [&_.md]:text-quiet">
        <TextPart part={part} index={index} number={number} />
      </div>
    </Fold>
  )
}

function UnknownPart({
  part,
  index,
  number,
}: {
  part: Extract<ApiPart, { type: 'unknown' }>
  index: number
  number: number
}) {
  const { sessionKey, branch, version } = useConversation()
  return (
    <Fold
      name={`unknown ${index} ${number}`}
      title={
        <>
          Unknown record type: <span className="font-mono text-xs">{cleanLine(part.recordType)}</span>
        </>
      }
    >
      <FoldedText text={prettyOf(part.value)} name={`unknown ${index} ${number}`} label="Record" />
      <a
        href={addresses.record(sessionKey, index, { branch, version })}
        target="_blank"
        rel="noreferrer noopener"
        className="mt-1 inline-block text-accent text-xs underline underline-offset-2"
      >
        Open the stored record
      </a>
    </Fold>
  )
}

function prettyOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? String(value))
}

function Fold({ name, title, children }: { name: string; title: ReactNode; children: ReactNode }) {
  const [isOpen, setIsOpen] = useFold(name)
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="-ml-1 flex max-w-full items-center gap-1 rounded px-1 py-0.5 text-left text-quiet text-sm hover:bg-hover hover:text-normal"
      >
        <Chevron size={14} />
        <span className="min-w-0 truncate">{title}</span>
      </button>
      {isOpen && <div className="mt-1">{children}</div>}
    </div>
  )
}

function FilePart({ part }: { part: Extract<ApiPart, { type: 'file' }> }) {
  const isImage = part.mime?.startsWith('image/') === true
  const name = part.name ?? (part.source === 'inline' ? undefined : part.reference) ?? undefined
  return (
    <p className="inline-flex max-w-full items-center gap-2 self-start rounded-md border border-line border-dashed px-2.5 py-1.5 text-quiet text-sm">
      {isImage ? <IconImage size={16} /> : <IconFile size={16} />}
      <span className="min-w-0 truncate">
        {isImage ? 'image, not loaded' : 'file'}
        {name !== undefined && <span className="text-normal">: {cleanLine(name)}</span>}
      </span>
      {part.mime !== null && <span className="shrink-0 font-mono text-xs">{cleanLine(part.mime)}</span>}
    </p>
  )
}
