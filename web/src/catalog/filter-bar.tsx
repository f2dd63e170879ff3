// The filters of the list (words, agent, health, time) and its order.
import { formatCount, plural } from '../common/format.ts'
import { agents } from '../common/server.ts'
import { useStore } from '../state/store.ts'
import { Choice } from './choice.tsx'
import { counts } from './figures.ts'
import { changeFilters, filters } from './filters.ts'
import { list } from './list.ts'
import { lastDays, PERIODS } from './periods.ts'
import type { Filters } from './query.ts'
import { ARRANGE_WORDS, HEALTH_WORDS, isFiltered, NO_FILTERS } from './query.ts'
import { TextFilter } from './text-filter.tsx'

export function FilterBar({ onLeave }: { onLeave: (isChosen: boolean) => void }) {
  const now = useStore(filters)
  return (
    <search aria-label="Filter conversations" className="flex flex-col gap-1.5 border-line border-b p-2">
      <TextFilter onLeave={onLeave} />
      <div className="grid grid-cols-3 gap-1.5">
        <AgentChoice now={now} />
        <Choice
          label="Health"
          value={now.health ?? ''}
          options={[['', 'Health'], ...Object.entries(HEALTH_WORDS)]}
          onChange={value => changeFilters({ health: isHealth(value) ? value : null })}
        />
        <PeriodChoice now={now} />
        <LabelChoice now={now} />
      </div>
      <Summary now={now} />
    </search>
  )
}

function AgentChoice({ now }: { now: Filters }) {
  const known = useStore(agents).filter(agent => agent.found)
  return (
    <Choice
      label="Agent"
      value={now.agent ?? ''}
      options={[['', 'Agent'], ...known.map(({ id, title }) => [id, title] as const)]}
      onChange={value => changeFilters({ agent: value === '' ? null : value })}
    />
  )
}

/** Only where there is something to choose. */
function LabelChoice({ now }: { now: Filters }) {
  const { pinned = 0, hidden = 0, byTag = {} } = useStore(counts) ?? {}
  const options: [string, string][] = [
    ...(pinned > 0 || now.label === 'pinned' ? [['pinned', 'Pinned'] as [string, string]] : []),
    ...Object.keys(byTag)
      .sort()
      .map((tag): [string, string] => [`#${tag}`, `#${tag}`]),
    ...(hidden > 0 || now.label === 'hidden'
      ? [['hidden', `Hidden (${formatCount(hidden)})`] as [string, string]]
      : []),
  ]
  if (now.label?.startsWith('#') === true && !options.some(([value]) => value === now.label))
    options.push([now.label, now.label])
  if (options.length === 0) return null
  return (
    <Choice
      label="Pins and tags"
      value={now.label ?? ''}
      options={[['', 'Tags'], ...options]}
      onChange={value => changeFilters({ label: value === '' ? null : value })}
    />
  )
}

function PeriodChoice({ now }: { now: Filters }) {
  const isOwn = now.period !== null && !PERIODS.some(({ label }) => label === now.period?.label)
  const own = isOwn && now.period !== null ? [[now.period.label, now.period.label] as const] : []
  return (
    <Choice
      label="Time"
      value={now.period?.label ?? ''}
      options={[['', 'Time'], ...PERIODS.map(({ label }) => [label, label] as const), ...own]}
      onChange={value => {
        const days = PERIODS.find(({ label }) => label === value)?.days
        changeFilters({ period: days === undefined ? null : lastDays(days, value) })
      }}
    />
  )
}

function Summary({ now }: { now: Filters }) {
  const { total, state, rows } = useStore(list)
  const isKnown = state === 'ready' || rows.length > 0
  const words = isFiltered(now) ? `${formatCount(total)} found` : plural(total, 'conversation')
  return (
    <div className="flex h-6 items-center gap-2 text-quiet text-xs">
      <span role="status" className="min-w-0 truncate pl-1">
        {isKnown ? words : ''}
      </span>
      {isFiltered(now) && (
        <button
          type="button"
          onClick={() => filters.set({ ...NO_FILTERS, arrange: now.arrange, hasSubagents: now.hasSubagents })}
          className="shrink-0 text-accent hover:underline"
        >
          Clear
        </button>
      )}
      <label className="ml-auto flex shrink-0 cursor-pointer items-center gap-1">
        <input
          type="checkbox"
          checked={now.hasSubagents}
          onChange={event => changeFilters({ hasSubagents: event.target.checked })}
          className="size-3 accent-(--accent)"
        />
        Subagents
      </label>
      <Choice
        label="Arrange"
        value={now.arrange}
        options={Object.entries(ARRANGE_WORDS)}
        onChange={value => changeFilters({ arrange: isArrange(value) ? value : 'day' })}
        isQuiet
      />
    </div>
  )
}

function isHealth(value: string): value is NonNullable<Filters['health']> {
  return value in HEALTH_WORDS
}

function isArrange(value: string): value is Filters['arrange'] {
  return value in ARRANGE_WORDS
}
