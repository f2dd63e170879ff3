// A text area with line numbers and a mark at the invalid line. Lines are not wrapped, so that all have the
// same height.
import type { Ref } from 'react'
import { useImperativeHandle, useMemo, useRef, useState } from 'react'
import { countLines, placeIn } from './text-places.ts'

const LINE_PX = 20
const PAD_PX = 8
/** Lines shown above the target of a jump. */
const LINES_ABOVE = 4

export interface TextEditorHandle {
  goTo(line: number, column: number): void
}

interface Props {
  label: string
  describedBy: string
  text: string
  onText: (text: string) => void
  /** Counted from 1. */
  wrongLine: number | null
  handle: Ref<TextEditorHandle>
}

export function TextEditor({ label, describedBy, text, onText, wrongLine, handle }: Props) {
  const area = useRef<HTMLTextAreaElement>(null)
  const [scrolled, setScrolled] = useState(0)
  const count = useMemo(() => countLines(text), [text])
  const numbers = useMemo(() => Array.from({ length: count }, (_, at) => at + 1).join('\n'), [count])
  useImperativeHandle(handle, () => ({
    goTo(line, column) {
      const shown = area.current
      if (shown === null) return
      const at = placeIn(shown.value, line, column)
      shown.focus()
      shown.setSelectionRange(at, at)
      shown.scrollTop = Math.max(0, line - 1 - LINES_ABOVE) * LINE_PX
      shown.scrollLeft = 0
    },
  }))
  return (
    <div className="relative flex h-[50vh] min-h-48 overflow-hidden rounded-md border border-line-strong bg-page font-mono text-sm leading-5">
      {wrongLine !== null && (
        <div
          aria-hidden="true"
          data-wrong-line={wrongLine}
          className="pointer-events-none absolute inset-x-0 h-5 border-lost border-l-2 bg-lost-soft"
          style={{ top: PAD_PX + (wrongLine - 1) * LINE_PX - scrolled }}
        />
      )}
      <div aria-hidden="true" className="relative shrink-0 select-none overflow-hidden border-line border-r text-right">
        <pre
          className="px-2 text-quiet text-xs leading-5"
          style={{ paddingBlock: PAD_PX, transform: `translateY(${-scrolled}px)` }}
        >
          {numbers}
        </pre>
      </div>
      <textarea
        ref={area}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={wrongLine !== null}
        value={text}
        onChange={event => onText(event.target.value)}
        onScroll={event => setScrolled(event.currentTarget.scrollTop)}
        wrap="off"
        dir="ltr"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        className="relative min-w-0 flex-1 resize-none overflow-auto whitespace-pre bg-transparent px-2 text-strong -outline-offset-2"
        style={{ paddingBlock: PAD_PX }}
      />
    </div>
  )
}
