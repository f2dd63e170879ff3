// The first stop of the keyboard: past the header and the list, to what is open.
import type { MouseEvent } from 'react'

export const CONTENT_ID = 'content'

/** The address holds what is open, so that the link moves the focus and leaves the address alone. */
function skip(event: MouseEvent): void {
  event.preventDefault()
  const content = document.getElementById(CONTENT_ID)
  const goal = content?.querySelector<HTMLElement>('[role=feed], [role=listbox]') ?? content
  goal?.focus()
}

export function SkipLink() {
  return (
    <a
      href={`#${CONTENT_ID}`}
      onClick={skip}
      className="sr-only rounded-md border border-line-strong bg-page px-3 py-2 font-medium text-accent text-base focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50"
    >
      Skip to content
    </a>
  )
}
