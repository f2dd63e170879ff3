// The commands of the agent that match the typed text, above the message box. The box keeps the focus.
import { useEffect } from 'react'
import { cleanLine } from '../common/clean.ts'
import type { Command } from './fitting-commands.ts'
import type { CommandChoice } from './use-command-choice.ts'

export function CommandList({ choice, agentTitle }: { choice: CommandChoice; agentTitle: string }) {
  const { id, fitting, active, point, take } = choice
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has its first one in view
  useEffect(() => {
    document.getElementById(`${id}${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, active, fitting.length])
  return (
    <div
      id={id}
      role="listbox"
      aria-label={`Commands of ${cleanLine(agentTitle)}`}
      // A mouse press must not take the focus from the box.
      onMouseDown={event => event.preventDefault()}
      className="absolute -inset-x-px bottom-full z-20 mb-1 max-h-[min(40vh,300px)] scroll-py-1 overflow-y-auto overscroll-contain rounded-md border border-line-strong bg-page p-1 shadow-lg"
    >
      {fitting.map((command, at) => (
        <Entry
          key={command.name}
          id={`${id}${at}`}
          command={command}
          isActive={at === active}
          onPoint={() => point(at)}
          onTake={() => take(command)}
        />
      ))}
    </div>
  )
}

interface EntryProps {
  id: string
  command: Command
  isActive: boolean
  onPoint: () => void
  onTake: () => void
}

function Entry({ id, command: { name, description }, isActive, onPoint, onTake }: EntryProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the message box has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the message box names the active one
    <div
      role="option"
      id={id}
      aria-selected={isActive}
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onTake}
      className={`flex cursor-pointer items-baseline gap-x-3 rounded px-2 py-1.5 text-sm max-sm:flex-col max-sm:py-2 ${isActive ? 'bg-accent-soft' : ''}`}
    >
      <span className="min-w-44 max-w-[50%] shrink-0 truncate font-mono text-strong max-sm:max-w-full max-sm:whitespace-normal max-sm:[overflow-wrap:anywhere]">
        /{cleanLine(name)}
      </span>{' '}
      <span className="min-w-0 max-w-full truncate text-normal" title={cleanLine(description)}>
        {cleanLine(description)}
      </span>
    </div>
  )
}
