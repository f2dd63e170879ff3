// Shown without any conversations: where rethread searched for each agent, and a demo.
import type { ApiAgent } from '../../../src/server/protocol.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { cleanLine } from '../common/clean.ts'
import { CopyCommand } from '../common/copy-command.tsx'
import { IconCheck } from '../common/icons.tsx'
import { agents, useShortPath } from '../common/server.ts'
import { useStore } from '../state/store.ts'
import { HomeSection } from './section.tsx'

export function EmptyMachine() {
  const known = useStore(agents)
  return (
    <div className="mx-auto flex max-w-2xl flex-col gap-6 px-4 py-8 sm:px-6">
      <div className="flex flex-col items-start gap-3">
        <h2 className="font-semibold text-strong text-xl">No conversations on this machine yet</h2>
        <p className="max-w-[60ch] text-base">
          New conversations appear here automatically. To see what rethread does, start a demo with sample
          conversations, healthy and damaged. Your own files are not touched:
        </p>
        <CopyCommand command="rethread demo" />
      </div>
      <HomeSection title="Where rethread searched">
        <ul className="divide-y divide-line rounded-md border border-line">
          {known.map(agent => (
            <AgentPlaces key={agent.id} agent={agent} />
          ))}
        </ul>
      </HomeSection>
    </div>
  )
}

function AgentPlaces({ agent }: { agent: ApiAgent }) {
  const shortPath = useShortPath()
  return (
    <li className="flex gap-3 px-3 py-2.5">
      <AgentMark agent={agent.id} size={20} />
      <div className="min-w-0 flex-1">
        <p className="text-base text-strong">{cleanLine(agent.title)}</p>
        {agent.stores.map(store => (
          <p key={store.path} className="flex gap-2 text-xs leading-5">
            <span className="min-w-0 flex-1 break-all font-mono text-normal">{shortPath(store.path)}</span>
            <span className={`flex shrink-0 items-center gap-1 ${store.found ? 'text-healthy' : 'text-quiet'}`}>
              {store.found && <IconCheck size={12} />}
              {store.found ? 'exists, empty' : 'not found'}
            </span>
          </p>
        ))}
      </div>
    </li>
  )
}
