// Stores that could not be read, above the list, each with a hint.
import type { SessionsPage } from '../../../src/server/protocol.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { cleanLine } from '../common/clean.ts'
import { plural } from '../common/format.ts'
import { IconChevronRight, IconWarning } from '../common/icons.tsx'
import { useAgentTitles, useShortPath } from '../common/server.ts'
import { Hint } from '../common/states.tsx'
import { useStore } from '../state/store.ts'
import { list } from './list.ts'

type Failure = SessionsPage['failures'][number]

export function StoreFailures() {
  const { failures } = useStore(list)
  if (failures.length === 0) return null
  return (
    <details className="group shrink-0 border-line border-b bg-damaged-soft text-sm">
      <summary className="flex list-none items-center gap-2 px-3.5 py-2 text-strong">
        <IconWarning size={14} className="text-damaged" />
        {plural(failures.length, 'file or database', 'files or databases')} could not be read
        <IconChevronRight size={12} className="ml-auto text-quiet transition-transform group-open:rotate-90" />
      </summary>
      <ul className="max-h-60 overflow-y-auto">
        {failures.map(failure => (
          <FailureRow key={`${failure.code} ${failure.path}`} failure={failure} />
        ))}
      </ul>
    </details>
  )
}

function FailureRow({ failure }: { failure: Failure }) {
  const agentTitle = useAgentTitles()
  const shortPath = useShortPath()
  return (
    <li className="flex gap-2 border-line border-t px-3.5 py-2">
      <AgentMark agent={failure.agent} size={16} />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="break-words text-strong">
          {agentTitle(failure.agent)}: {cleanLine(failure.text)}
        </p>
        <p className="break-all font-mono text-quiet text-xs">{shortPath(failure.path)}</p>
        <Hint text={cleanLine(failure.hint)} />
      </div>
    </li>
  )
}
