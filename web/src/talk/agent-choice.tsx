// Chooses the agent of a new conversation. Agents that are not installed are listed with their install
// command.
import { useEffect, useRef } from 'react'
import type { TalkAgent } from '../../../src/server/protocol.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { cleanLine } from '../common/clean.ts'
import { CopyCommand } from '../common/copy-command.tsx'
import { plural } from '../common/format.ts'

interface Props {
  agents: readonly TalkAgent[]
  value: string
  onChange: (name: string) => void
}

const NOTES: Record<TalkAgent['source'], string> = {
  default: '',
  config: 'from your configuration',
  'built-in': 'for trying things out; needs no model',
}

export function AgentChoice({ agents, value, onChange }: Props) {
  const chosen = useRef<HTMLInputElement>(null)
  // The chosen agent has the focus, so that Enter starts at once.
  useEffect(() => chosen.current?.focus(), [])
  const others = agents.filter(({ isInstalled }) => !isInstalled)
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 font-medium text-sm text-strong">Agent</legend>
      {agents
        .filter(({ isInstalled }) => isInstalled)
        .map(({ name, title, source }) => (
          <label
            key={name}
            className="flex cursor-pointer items-center gap-2.5 rounded-md border border-line px-2.5 py-1.5 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="agent"
              ref={name === value ? chosen : undefined}
              checked={name === value}
              onChange={() => onChange(name)}
              className="size-4 accent-(--accent) focus-visible:outline-none"
            />
            <AgentMark agent={name} size={18} />
            <span className="min-w-16 shrink truncate text-base text-strong">{cleanLine(title)}</span>
            <span className="ml-auto min-w-0 shrink-[99] truncate text-quiet text-xs">{NOTES[source]}</span>
          </label>
        ))}
      {others.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="rounded text-quiet hover:text-strong">
            {plural(others.length, 'agent')} not installed
          </summary>
          <ul className="mt-2 flex flex-col gap-2">
            {others.map(agent => (
              <Missing key={agent.name} agent={agent} />
            ))}
          </ul>
        </details>
      )}
    </fieldset>
  )
}

function Missing({ agent: { name, title, install } }: { agent: TalkAgent }) {
  return (
    <li className="flex min-w-0 flex-col items-start gap-1">
      <span className="flex items-center gap-2 text-normal">
        <AgentMark agent={name} size={16} />
        {cleanLine(title)}
      </span>
      {install === undefined ? (
        <span className="text-quiet text-xs">Its program was not found. Check its path in the configuration file.</span>
      ) : (
        <CopyCommand command={install} label={`Copy the command that installs ${cleanLine(title)}`} />
      )}
    </li>
  )
}
