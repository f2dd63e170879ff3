// A button with only an icon. Its label is its accessible name and its tooltip.
import type { ReactNode } from 'react'

interface Props {
  label: string
  onClick: () => void
  /** `sm` is for the heads of panes. */
  size?: 'sm' | 'md'
  children: ReactNode
}

export function IconButton({ label, onClick, size = 'md', children }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className={`flex shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-strong ${size === 'sm' ? 'size-7' : 'size-8'}`}
    >
      {children}
    </button>
  )
}
