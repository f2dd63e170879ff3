// One line of the palette: a conversation or an action.
import { ArchivedMark } from '../archive/archived-mark.tsx'
import { AgentMark } from '../common/agent-mark.tsx'
import { Key } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { formatAge, projectName } from '../common/format.ts'
import { StatusMark } from '../common/status-mark.tsx'
import { keyName } from '../keyboard.ts'
import { titleOf } from '../library/session-row.tsx'
import type { ActionEntry, Entry, SessionEntry } from './palette-entries.ts'

interface Props {
  id: string
  entry: Entry
  heading: Entry['kind'] | undefined
  isActive: boolean
  onPoint: () => void
  onRun: () => void
}

const HEADINGS: Record<Entry['kind'], string> = { action: 'Actions', session: 'Conversations' }

export function PaletteEntry({ id, entry, heading, isActive, onPoint, onRun }: Props) {
  return (
    <>
      {heading !== undefined && (
        <div role="presentation" className="px-2.5 pt-2 pb-1 font-semibold text-quiet text-xs">
          {HEADINGS[heading]}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the input names the active one */}
      <div
        role="option"
        id={id}
        aria-selected={isActive}
        onPointerMove={isActive ? undefined : onPoint}
        onClick={onRun}
        className={`flex h-9 items-center gap-2.5 rounded-md px-2.5 text-base text-strong ${isActive ? 'bg-hover' : ''}`}
      >
        {entry.kind === 'action' ? <Action entry={entry} /> : <Session entry={entry} />}
      </div>
    </>
  )
}

function Action({ entry }: { entry: ActionEntry }) {
  return (
    <>
      <span className="min-w-0 flex-1 truncate">{entry.label}</span>
      {entry.keys !== undefined && (
        <span className="flex gap-0.5">
          {entry.keys.split(' ').map(key => (
            <Key key={key} of={keyName(key)} />
          ))}
        </span>
      )}
    </>
  )
}

function Session({ entry: { row } }: { entry: SessionEntry }) {
  return (
    <>
      {row.archived === undefined ? <StatusMark status={row.status ?? 'unchecked'} /> : <ArchivedMark />}
      <span className="min-w-0 flex-1 truncate">{titleOf(row)}</span>
      {row.project !== null && (
        <span className="max-w-32 shrink-0 truncate text-quiet text-xs">{cleanLine(projectName(row.project))}</span>
      )}
      <AgentMark agent={row.agent} size={16} />
      <span className="w-14 shrink-0 text-right text-quiet text-xs">{formatAge(row.updatedAt)}</span>
    </>
  )
}
