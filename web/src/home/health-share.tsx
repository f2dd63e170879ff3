// The health of all conversations as one bar, with words.
import type { Counts } from '../../../src/server/protocol.ts'
import { showFiltered } from '../catalog/filters.ts'
import type { HealthFilter } from '../catalog/query.ts'
import { formatCount, plural } from '../common/format.ts'
import { StatusMark, type StatusName } from '../common/status-mark.tsx'
import { HomeSection } from './section.tsx'

interface Share {
  health: HealthFilter
  words: string
  mark: StatusName
  colour: string
  count: number
}

export function HealthShare({ counts }: { counts: Counts }) {
  const shares = sharesOf(counts).filter(({ count }) => count > 0)
  const show = (health: HealthFilter) => showFiltered({ health })
  return (
    <HomeSection title="Health">
      <div aria-hidden="true" className="flex h-3 gap-0.5 overflow-hidden rounded-full">
        {shares.map(({ health, colour, count }) => (
          // A small share must stay visible.
          <div key={health} className={colour} style={{ flexGrow: count, flexBasis: 6 }} />
        ))}
      </div>
      <ul className="-mx-1.5 mt-1.5 flex flex-wrap gap-x-2 gap-y-0.5">
        {shares.map(({ health, words, mark, count }) => (
          <li key={health}>
            <button
              type="button"
              title={`Show ${plural(count, 'conversation')}`}
              onClick={() => show(health)}
              className="flex h-7 items-center gap-1.5 rounded-md px-1.5 text-normal text-sm hover:bg-hover"
            >
              <span aria-hidden="true" className="flex">
                <StatusMark status={mark} />
              </span>
              <span className="font-medium text-strong tabular-nums">{formatCount(count)}</span> {words}
            </button>
          </li>
        ))}
      </ul>
    </HomeSection>
  )
}

export function sharesOf({ byStatus }: Counts): Share[] {
  const sum = (...names: (keyof Counts['byStatus'])[]) => names.reduce((all, name) => all + (byStatus[name] ?? 0), 0)
  return [
    { health: 'healthy', words: 'healthy', mark: 'healthy', colour: 'bg-healthy', count: sum('healthy', 'repaired') },
    { health: 'damaged', words: 'damaged', mark: 'corrupted', colour: 'bg-damaged', count: sum('corrupted') },
    { health: 'busy', words: 'busy now', mark: 'busy', colour: 'bg-live', count: sum('busy', 'repairing') },
    {
      health: 'lost',
      words: 'lost or unreadable',
      mark: 'unrecoverable',
      colour: 'bg-lost',
      count: sum('missing', 'unreadable', 'unrecoverable'),
    },
    {
      health: 'unchecked',
      words: 'not checked yet',
      mark: 'unchecked',
      colour: 'bg-line-strong',
      count: sum('unchecked'),
    },
  ]
}
