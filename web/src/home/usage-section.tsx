// Tokens and cost by agent and month, as far as the agents record them.
import type { ReactNode } from 'react'
import type { ApiUsage, Overview } from '../../../src/server/protocol.ts'
import { showFiltered } from '../catalog/filters.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { useAgentTitles } from '../common/server.ts'
import { formatCosts, formatTokens, sentTokens, usageDetails } from '../common/usage-words.ts'
import { HomeSection } from './section.tsx'
import type { UsageRow } from './usage-data.ts'
import { makeUsageTable, monthWords, periodOf } from './usage-data.ts'

const CELL = 'py-1 pl-4 text-right align-top whitespace-nowrap'

export function UsageSection({ usage }: { usage: Overview['usage'] }) {
  const { months, rows } = makeUsageTable(usage)
  if (rows.length === 0) return null
  return (
    <HomeSection title="Tokens and cost">
      <figure
        aria-label="Tokens and cost by agent and month"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto"
      >
        <table className="w-full border-collapse text-left text-sm tabular-nums">
          <caption className="sr-only">Tokens sent and written, by agent and month</caption>
          <thead className="text-quiet text-xs">
            <tr className="border-line border-b">
              <th scope="col" className="py-1 font-medium">
                Agent
              </th>
              {months.map(month => (
                <th key={month} scope="col" className={`${CELL} font-medium`}>
                  {monthWords(month, 'short')}
                </th>
              ))}
              <th scope="col" className={`${CELL} font-medium`}>
                All
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <Row key={row.agent} row={row} months={months} />
            ))}
          </tbody>
        </table>
      </figure>
      <p className="mt-1.5 text-quiet text-xs">
        Tokens sent and written; tokens read from a cache are listed when you point at a figure. Costs are those that
        the agents recorded.
      </p>
    </HomeSection>
  )
}

function Row({ row: { agent, all, byMonth }, months }: { row: UsageRow; months: readonly string[] }) {
  const agentTitle = useAgentTitles()
  return (
    <tr className="border-line border-b">
      <th scope="row" className="max-w-40 py-1 font-normal">
        <span className="flex items-center gap-2 text-strong">
          <AgentMark agent={agent} size={16} />
          <span className="min-w-0 truncate">{agentTitle(agent)}</span>
        </span>
      </th>
      {months.map(month => (
        <Cell key={month} usage={byMonth.get(month)} show={() => showFiltered({ agent, period: periodOf(month) })} />
      ))}
      <Cell usage={all} show={() => showFiltered({ agent })} />
    </tr>
  )
}

function Cell({ usage, show }: { usage: ApiUsage | undefined; show: () => void }): ReactNode {
  if (usage === undefined) return <td className={`${CELL} text-quiet`}>–</td>
  const costs = formatCosts(usage.costs)
  return (
    <td className={CELL}>
      <button type="button" title={usageDetails(usage)} onClick={show} className="rounded text-right hover:underline">
        <span className="block text-strong">{formatTokens(sentTokens(usage) + usage.output)}</span>
        {costs !== '' && <span className="block text-quiet text-xs">{costs}</span>}
      </button>
    </td>
  )
}
