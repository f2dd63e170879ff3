// The text of a message. Long texts are folded; texts that are too long for Markdown are shown as plain text.
import { useContext, useMemo } from 'react'
import type { ApiPart } from '../../../../src/server/protocol.ts'
import { cleanText } from '../../common/clean.ts'
import { formatBytes } from '../../common/format.ts'
import { GrowingContext, useConversation, useFold } from '../conversation-context.ts'
import { cutAtLine, piecesOf } from './fold-lines.ts'
import { LoadWhole, useWhole } from './load-whole.tsx'
import { MarkdownText } from './markdown-text.tsx'

const FOLD_CHARS = 3000
/** Texts slightly above the limit are not folded. */
const SLACK = 1000
/** Pieces let the browser lay out only what is in view. */
const PIECE_CHARS = 10_000
const MAX_MARKDOWN_CHARS = 24_000

interface Props {
  part: Extract<ApiPart, { type: 'text' | 'thinking' | 'notice' }>
  index: number
  number: number
}

export function TextPart({ part, index, number }: Props) {
  const { list } = useConversation()
  const whole = useWhole(index, number)
  const isGrowing = useContext(GrowingContext)
  const [isOpen, setIsOpen] = useFold(`text ${index} ${number}`, isGrowing)
  const { text } = part
  const wholeText = whole.part !== undefined && 'text' in whole.part ? whole.part.text : text
  if (text.trim() === '' && part.cutChars === undefined) return null
  const isLong = text.length > FOLD_CHARS + SLACK
  const shown = isLong && !isOpen ? cutAtLine(text, FOLD_CHARS) : text
  const isAll = isOpen || !isLong
  // The visible start stays as it is. The rest of a huge text follows in its own box.
  const isSmall = wholeText.length <= MAX_MARKDOWN_CHARS
  return (
    <div className="min-w-0">
      <MarkdownText text={isAll && isSmall ? wholeText : shown} isGrowing={isGrowing} />
      {isAll && !isSmall && <RestOfText text={wholeText.slice(text.length)} />}
      {isAll && !isGrowing && <LoadWhole whole={whole} shown={text.length} cut={part.cutChars} />}
      {isLong && !isGrowing && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => {
            setIsOpen(!isOpen)
            if (isOpen) list.current?.keepInView(index)
          }}
          className="mt-1 text-accent text-sm underline underline-offset-2"
        >
          {isOpen ? 'Show less' : `Show more (${formatBytes(text.length - shown.length)})`}
        </button>
      )}
    </div>
  )
}

function RestOfText({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(cleanText(text), PIECE_CHARS), [text])
  return (
    <figure
      aria-label="Rest of the text"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="mt-2 max-h-[60vh] max-w-[72ch] overflow-auto rounded-md border border-line p-3"
    >
      {pieces.map((piece, at) => (
        <pre
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
          key={at}
          className="whitespace-pre-wrap font-sans text-base [contain-intrinsic-size:auto_3000px] [content-visibility:auto] [overflow-wrap:anywhere]"
        >
          {piece}
        </pre>
      ))}
    </figure>
  )
}
