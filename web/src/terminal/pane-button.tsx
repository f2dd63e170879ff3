// A small button of a pane that is only an icon; its label is its name and its tooltip.
import type { ReactNode } from 'react'

interface Props {
  label: string
  onClick: () => void
  children: ReactNode
}

export function PaneButton({ label, onClick, children }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="flex size-7 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-strong"
    >
      {children}
    </button>
  )
}
