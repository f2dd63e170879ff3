// The figures of the chart as a table, for screen readers and for exact values.
import { formatCount } from '../common/format.ts'
import { useAgentTitles } from '../common/server.ts'
import type { Bar, Span } from './activity-data.ts'

interface Props {
  bars: readonly Bar[]
  agents: readonly string[]
  span: Span
  onChoose: (bar: Bar) => void
}

export function ActivityTable({ bars, agents, span, onChoose }: Props) {
  const agentTitle = useAgentTitles()
  const filled = bars.filter(({ total }) => total > 0).toReversed()
  return (
    <details className="mt-1 text-sm">
      <summary className="w-fit rounded px-0.5 text-quiet text-xs hover:text-strong">Show as a table</summary>
      <div className="mt-2 max-h-72 overflow-auto rounded-md border border-line">
        <table className="w-full border-collapse text-left text-xs tabular-nums">
          <caption className="sr-only">Conversations by {span === 'year' ? 'week' : 'day'} and agent</caption>
          <thead className="sticky top-0 bg-sunken text-normal">
            <tr>
              <th scope="col" className="px-2 py-1.5 font-medium">
                {span === 'year' ? 'Week' : 'Day'}
              </th>
              <th scope="col" className="px-2 py-1.5 text-right font-medium">
                All
              </th>
              {agents.map(agent => (
                <th key={agent} scope="col" className="whitespace-nowrap px-2 py-1.5 text-right font-medium">
                  {agentTitle(agent)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filled.map(bar => (
              <tr key={bar.day} className="border-line border-t">
                <th scope="row" className="whitespace-nowrap px-2 py-1 font-normal">
                  <button type="button" onClick={() => onChoose(bar)} className="rounded text-accent hover:underline">
                    {bar.label}
                  </button>
                </th>
                <td className="px-2 py-1 text-right text-strong">{formatCount(bar.total)}</td>
                {agents.map(agent => (
                  <td key={agent} className="px-2 py-1 text-right text-quiet">
                    {formatCount(bar.byAgent[agent] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
