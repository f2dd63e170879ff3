// A part of the health pane with a heading.
import type { ReactNode } from 'react'

export function HealthSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="border-line border-t px-4 py-3">
      <h3 className="mb-1 font-medium text-quiet text-sm">{title}</h3>
      {children}
    </section>
  )
}
