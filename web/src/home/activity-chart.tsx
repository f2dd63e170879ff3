// The bars of the activity. The table below contains the same figures.
import { BarChart, Bar as ChartBar, ResponsiveContainer, Tooltip, XAxis } from 'recharts'
import { agentColour } from '../common/agent-colour.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { formatCount, plural } from '../common/format.ts'
import { useAgentTitles } from '../common/server.ts'
import type { Bar, Span } from './activity-data.ts'
import { marksOf } from './activity-data.ts'

const HEIGHT = 176

interface Props {
  bars: Bar[]
  span: Span
  agents: readonly string[]
  onChoose: (bar: Bar) => void
}

export function ActivityChart({ bars, span, agents, onChoose }: Props) {
  const marks = new Map(marksOf(bars, span).map(({ day, label }) => [day, label]))
  const choose = (day: unknown) => {
    const bar = bars.find(other => other.day === day)
    if (bar !== undefined && bar.total > 0) onChoose(bar)
  }
  return (
    <div aria-hidden="true" className="cursor-pointer text-quiet" style={{ height: HEIGHT }}>
      <ResponsiveContainer width="100%" height={HEIGHT} initialDimension={{ width: 640, height: HEIGHT }}>
        <BarChart
          data={bars}
          barCategoryGap="18%"
          margin={{ top: 4, right: 4, bottom: 0, left: 4 }}
          accessibilityLayer={false}
          onClick={({ activeLabel }) => choose(activeLabel)}
        >
          <XAxis
            dataKey="day"
            ticks={[...marks.keys()]}
            tickFormatter={day => marks.get(day) ?? ''}
            tickLine={false}
            axisLine={{ stroke: 'var(--line-strong)' }}
            tick={{ fill: 'var(--quiet)', fontSize: 12 }}
            interval="preserveStart"
            minTickGap={12}
            height={26}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--hover)' }}
            content={({ active, label }) => (active ? <Tip bar={bars.find(({ day }) => day === label)} /> : null)}
          />
          {agents.map(agent => (
            <ChartBar
              key={agent}
              dataKey={(bar: Bar) => bar.byAgent[agent] ?? 0}
              name={agent}
              stackId="all"
              fill={agentColour(agent)}
              stroke="var(--page)"
              strokeWidth={0.5}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

function Tip({ bar }: { bar: Bar | undefined }) {
  const agentTitle = useAgentTitles()
  if (bar === undefined) return null
  const lines = Object.entries(bar.byAgent).sort(([, a], [, b]) => b - a)
  return (
    <div className="rounded-md border border-line-strong bg-page px-3 py-2 text-normal text-xs">
      <p className="font-medium text-strong">{bar.label}</p>
      <p className="pb-1 text-quiet">{bar.total === 0 ? 'No conversations' : plural(bar.total, 'conversation')}</p>
      {lines.map(([agent, number]) => (
        <p key={agent} className="flex items-center gap-1.5 py-0.5">
          <AgentMark agent={agent} size={14} />
          {agentTitle(agent)}
          <span className="ml-auto pl-4 tabular-nums">{formatCount(number)}</span>
        </p>
      ))}
    </div>
  )
}
