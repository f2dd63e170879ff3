// The button of the page. With a shortcut, its key is shown beside the label.
import type { ComponentProps, ReactNode } from 'react'

interface Props extends ComponentProps<'button'> {
  variant?: 'primary' | 'plain' | 'quiet'
  size?: 'sm' | 'md'
  icon?: ReactNode
  shortcut?: string | undefined
}

const VARIANTS = {
  primary: 'bg-accent text-on-accent border-transparent hover:opacity-90',
  plain: 'bg-page text-strong border-line-strong hover:bg-hover',
  quiet: 'bg-transparent text-normal border-transparent hover:bg-hover hover:text-strong',
} as const

const SIZES = {
  sm: 'h-7 px-2 text-sm gap-1.5',
  md: 'h-8 px-3 text-base gap-2',
} as const

export function Button({ variant = 'plain', size = 'md', icon, shortcut, className = '', children, ...button }: Props) {
  const look = `${VARIANTS[variant]} ${SIZES[size]}`
  return (
    <button
      type="button"
      {...button}
      className={`inline-flex shrink-0 items-center justify-center whitespace-nowrap rounded-md border font-medium transition-colors duration-100 disabled:cursor-not-allowed disabled:opacity-50 ${look} ${className}`}
    >
      {icon}
      {children}
      {shortcut !== undefined && <Key of={shortcut} isOnAccent={variant === 'primary'} />}
    </button>
  )
}

/** A key of the keyboard. Hidden from screen readers; the help overlay lists the keys. */
export function Key({ of, isOnAccent = false }: { of: string; isOnAccent?: boolean }) {
  const look = isOnAccent ? 'border-current' : 'border-line-strong text-quiet'
  return (
    <span
      aria-hidden="true"
      className={`inline-flex h-[18px] min-w-[18px] items-center justify-center rounded border px-1 font-sans text-xs ${look}`}
    >
      {of}
    </span>
  )
}
