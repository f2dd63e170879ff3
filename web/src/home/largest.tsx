// The largest conversations, with bars in proportion to their size.
import type { Overview } from '../../../src/server/protocol.ts'
import { showFiltered } from '../catalog/filters.ts'
import { formatBytes } from '../common/format.ts'
import { HomeSection } from './section.tsx'
import { SessionLine } from './session-line.tsx'

const SHOWN = 6

export function Largest({ overview }: { overview: Overview }) {
  const shown = overview.largest.slice(0, SHOWN)
  const most = Math.max(1, ...shown.map(({ fileSize }) => fileSize))
  const all = (
    <button
      type="button"
      onClick={() => showFiltered({ arrange: 'largest' })}
      className="rounded text-accent text-sm hover:underline"
    >
      {formatBytes(overview.bytes)} in all
    </button>
  )
  return (
    <HomeSection title="Largest" aside={all}>
      <ul className="isolate -mx-2">
        {shown.map(session => (
          <li key={session.key} className="relative">
            <span
              aria-hidden="true"
              className="absolute inset-y-0.5 left-0 -z-10 rounded-md bg-sunken"
              style={{ width: `${(100 * session.fileSize) / most}%` }}
            />
            <SessionLine session={session} aside={formatBytes(session.fileSize)} />
          </li>
        ))}
      </ul>
    </HomeSection>
  )
}
