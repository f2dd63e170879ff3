// A part of the home view with a heading.
import type { ReactNode } from 'react'
import { useId } from 'react'

interface Props {
  title: string
  /** Shown at the right of the heading. */
  aside?: ReactNode
  children: ReactNode
}

export function HomeSection({ title, aside, children }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="flex h-8 items-center justify-between gap-3 pb-1">
        <h2 id={id} className="font-semibold text-base text-strong">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** The content of an empty section. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="rounded-md border border-line border-dashed px-3 py-3 text-quiet text-sm">{children}</p>
}
