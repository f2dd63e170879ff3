// The first tab stop: skips the header and the list, to the open pane.
import type { MouseEvent } from 'react'

export const CONTENT_ID = 'content'

/** The address names the open session, so the link moves the focus without changing the address. */
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
