// One line of the palette: a conversation or an action.
import { ArchivedMark } from '../archive/archived-mark.tsx'
import { titleOf } from '../catalog/session-row.tsx'
import { AgentMark } from '../common/agent-mark.tsx'
import { Key } from '../common/button.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import { formatAge, projectName } from '../common/format.ts'
import { StatusMark } from '../common/status-mark.tsx'
import { keyName } from '../keyboard.ts'
import type { ActionEntry, Entry, PassageEntry, SessionEntry } from './palette-entries.ts'

interface Props {
  id: string
  entry: Entry
  /** The first entry of its group. */
  heading: Entry | undefined
  isActive: boolean
  onPoint: () => void
  onRun: () => void
}

const HEADINGS: Record<Exclude<Entry['kind'], 'passage'>, string> = { action: 'Actions', session: 'Conversations' }

export function PaletteEntry({ id, entry, heading, isActive, onPoint, onRun }: Props) {
  return (
    <>
      {heading !== undefined && (
        <div role="presentation" className="px-2.5 pt-2 pb-1 font-semibold text-quiet text-xs">
          {heading.kind === 'passage' ? <Found entry={heading} /> : HEADINGS[heading.kind]}
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
        className={`flex ${entry.kind === 'passage' ? 'min-h-9 py-1' : 'h-9'} items-center gap-2.5 rounded-md px-2.5 text-base text-strong ${isActive ? 'bg-hover' : ''}`}
      >
        {entry.kind === 'action' && <Action entry={entry} />}
        {entry.kind === 'session' && <Session entry={entry} />}
        {entry.kind === 'passage' && <Passage entry={entry} />}
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

/** The conversation of the passages below: its title, project, agent and age. */
function Found({ entry: { result } }: { entry: PassageEntry }) {
  return (
    <span className="flex items-center gap-2.5">
      <span className="min-w-0 flex-1 truncate font-semibold text-normal text-sm">
        {cleanLine(result.title ?? result.sessionId)}
      </span>
      {result.isArchived && <span className="shrink-0 font-normal">only in the archive</span>}
      {result.project !== null && (
        <span className="max-w-32 shrink-0 truncate font-normal">{cleanLine(projectName(result.project))}</span>
      )}
      <AgentMark agent={result.agent} size={16} />
      <span className="w-14 shrink-0 text-right font-normal">{formatAge(result.updatedAt)}</span>
    </span>
  )
}

const SPEAKERS = { user: 'You', assistant: 'Agent', tool: 'Tool', system: 'Note' } as const

function Passage({ entry: { match } }: { entry: PassageEntry }) {
  return (
    <>
      <span className="w-11 shrink-0 self-start pt-0.5 text-quiet text-xs">{SPEAKERS[match.role]}</span>
      <span className="line-clamp-2 min-w-0 flex-1 text-normal text-sm [overflow-wrap:anywhere]">
        {piecesOf(match).map(({ text, isMark, at }) =>
          isMark ? (
            <mark key={at} className="rounded-sm bg-accent-soft font-semibold text-strong">
              {text}
            </mark>
          ) : (
            <span key={at}>{text}</span>
          ),
        )}
      </span>
    </>
  )
}

function piecesOf({ snippet, marks }: PassageEntry['match']): { text: string; isMark: boolean; at: number }[] {
  const pieces: { text: string; isMark: boolean; at: number }[] = []
  let at = 0
  const put = (end: number, isMark: boolean): void => {
    if (end > at) pieces.push({ text: cleanText(snippet.slice(at, end)).replaceAll('\n', ' '), isMark, at })
    at = end
  }
  for (const [start, end] of marks) {
    put(start, false)
    put(end, true)
  }
  put(snippet.length, false)
  return pieces
}
