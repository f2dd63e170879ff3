// A button that is only an icon; its label is its name and its tooltip.
import type { ReactNode } from 'react'

interface Props {
  label: string
  onClick: () => void
  children: ReactNode
}

export function IconButton({ label, onClick, children }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="flex size-8 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-strong"
    >
      {children}
    </button>
  )
}
