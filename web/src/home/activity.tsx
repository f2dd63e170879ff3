// A year or sixty days of conversations, coloured by agent, with the same figures as a table.
import { memo, useState } from 'react'
import type { Overview } from '../../../src/server/protocol.ts'
import { showFiltered } from '../catalog/filters.ts'
import { daysFrom } from '../catalog/periods.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { formatCount, plural } from '../common/format.ts'
import { useAgentTitles } from '../common/server.ts'
import { ActivityChart } from './activity-chart.tsx'
import type { Bar, Span } from './activity-data.ts'
import { agentsOf, makeBars } from './activity-data.ts'
import { ActivityTable } from './activity-table.tsx'
import { HomeSection } from './section.tsx'

const SPANS: readonly (readonly [Span, string])[] = [
  ['year', '12 months'],
  ['days', '60 days'],
]

/** A chart is expensive: it is drawn again only where a figure of a day has changed. */
export const Activity = memo(ActivityOfDays, (before, after) => JSON.stringify(before) === JSON.stringify(after))

function ActivityOfDays({ days }: Pick<Overview, 'days'>) {
  const [span, setSpan] = useState<Span>('year')
  const bars = makeBars(days, span)
  const agents = agentsOf(bars)
  const choose = (bar: Bar) => showFiltered({ period: daysFrom(bar.day, bar.days, bar.label) })
  return (
    <HomeSection title="Activity" aside={<SpanSwitch now={span} onChange={setSpan} />}>
      <ActivityChart bars={bars} span={span} agents={agents.map(({ agent }) => agent)} onChoose={choose} />
      <Legend agents={agents} from={bars[0]} />
      <ActivityTable bars={bars} agents={agents.map(({ agent }) => agent)} span={span} onChoose={choose} />
    </HomeSection>
  )
}

function SpanSwitch({ now, onChange }: { now: Span; onChange: (span: Span) => void }) {
  return (
    <fieldset className="flex rounded-md border border-line">
      <legend className="sr-only">Span of the chart</legend>
      {SPANS.map(([span, words]) => (
        <button
          key={span}
          type="button"
          aria-pressed={span === now}
          onClick={() => onChange(span)}
          className={`h-6 px-2 text-xs first:rounded-l-md last:rounded-r-md ${span === now ? 'bg-hover font-medium text-strong' : 'text-quiet hover:text-strong'}`}
        >
          {words}
        </button>
      ))}
    </fieldset>
  )
}

interface LegendProps {
  agents: { agent: string; total: number }[]
  from: Bar | undefined
}

function Legend({ agents, from }: LegendProps) {
  const agentTitle = useAgentTitles()
  const period = from === undefined ? null : { label: `From ${from.label}`, since: daysFrom(from.day, 1, '').since }
  return (
    <ul aria-label="Agents" className="-mx-1.5 mt-1 flex flex-wrap gap-x-1 gap-y-0.5">
      {agents.map(({ agent, total }) => (
        <li key={agent}>
          <button
            type="button"
            title={`Show ${plural(total, 'conversation')}`}
            onClick={() => showFiltered({ agent, period })}
            className="flex h-7 items-center gap-1.5 rounded-md px-1.5 text-normal text-sm hover:bg-hover"
          >
            <AgentMark agent={agent} size={16} />
            {agentTitle(agent)}
            <span className="text-quiet tabular-nums">{formatCount(total)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
