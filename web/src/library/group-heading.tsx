// The heading of a day, a project or an agent in the list.
import { formatCount } from '../common/format.ts'
import type { Heading } from './items.ts'

export function GroupHeading({ heading }: { heading: Heading }) {
  return (
    <div className="flex h-7 items-end gap-2 px-3.5 pb-1 text-xs">
      <span className="min-w-0 truncate font-semibold text-normal">{heading.label}</span>
      {heading.count !== undefined && <span className="text-quiet">{formatCount(heading.count)}</span>}
    </div>
  )
}
