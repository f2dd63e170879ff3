// A box of monospaced text that shows its first lines and, on request, all of them in a scrolling region.
import type { ReactNode } from 'react'
import { useFold } from '../conversation-context.ts'

const TONES = { plain: 'border-line bg-sunken text-normal', lost: 'border-lost/40 bg-lost-soft text-normal' }

interface Props {
  name: string
  label: string
  /** The label of the button that shows the rest; undefined if there is no rest. */
  more: string | undefined
  tone?: keyof typeof TONES
  children: (isOpen: boolean) => ReactNode
}

export function FoldedBox({ name, label, more, tone = 'plain', children }: Props) {
  const [isOpen, setIsOpen] = useFold(`box ${name}`)
  const isWhole = isOpen || more === undefined
  return (
    <div className={`overflow-hidden rounded-md border ${TONES[tone]}`}>
      <figure
        aria-label={label}
        // A scrolling region must be reachable by keyboard.
        tabIndex={isWhole ? 0 : undefined}
        className={`px-3 py-2 font-mono text-xs leading-[18px] ${isWhole ? 'max-h-[480px] overflow-auto' : 'overflow-hidden'}`}
      >
        <pre className="whitespace-pre-wrap font-mono [overflow-wrap:anywhere]">{children(isOpen)}</pre>
      </figure>
      {more !== undefined && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="w-full border-line border-t bg-page/60 px-3 py-1 text-left text-accent text-xs hover:bg-hover"
        >
          {isOpen ? 'Show less' : more}
        </button>
      )}
    </div>
  )
}
