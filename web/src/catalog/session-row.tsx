// One conversation in the list.
import type { ReactNode } from 'react'
import type { SessionRow } from '../../../src/server/protocol.ts'
import { ArchivedMark } from '../archive/archived-mark.tsx'
import { archivedWords } from '../archive/version-words.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { cleanLine } from '../common/clean.ts'
import { formatAge, formatBytes, formatCount, formatMoment, plural, projectName } from '../common/format.ts'
import { IconPin, IconSubagent, IconTerminal, IconWarning } from '../common/icons.tsx'
import { StatusMark } from '../common/status-mark.tsx'

interface Props {
  id: string
  row: SessionRow
  agentTitle: string
  isOpen: boolean
  isActive: boolean
  /** Shows the size, if the list is sorted by it. */
  hasSize: boolean
  onOpen: () => void
}

export function SessionOption({ id, row, agentTitle, isOpen, isActive, hasSize, onOpen }: Props) {
  const ground = isOpen ? 'bg-accent-soft' : isActive ? 'bg-hover' : 'hover:bg-sunken'
  const ring = isActive ? 'group-focus-visible:outline-2' : ''
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox has the focus and the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the listbox names the active one
    <div
      role="option"
      id={id}
      aria-selected={isOpen}
      onClick={onOpen}
      className={`mx-1.5 flex gap-2 rounded-md px-2 py-1.5 -outline-offset-2 outline-accent ${ground} ${ring}`}
    >
      <span className="mt-0.5">
        {row.archived === undefined ? <StatusMark status={row.status ?? 'unchecked'} /> : <ArchivedMark />}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-start gap-2">
          <span className="line-clamp-2 min-w-0 flex-1 text-sm text-strong leading-[18px] [overflow-wrap:anywhere]">
            {titleOf(row)}
          </span>
          <Marks row={row} />
        </span>
        <span className="mt-0.5 flex h-[18px] items-center gap-1 text-quiet text-xs">
          <AgentMark agent={row.agent} size={14} />
          {row.project !== null && <Project path={row.project} />}
          <span className="min-w-4 shrink-[9] truncate">{agentTitle}</span>
          <Facts row={row} hasSize={hasSize} />
        </span>
        {row.archived !== undefined && (
          <span className="block text-quiet text-xs leading-[18px]">{archivedWords(row.archived, agentTitle)}</span>
        )}
        {row.tags !== undefined && <Tags tags={row.tags} />}
      </span>
    </div>
  )
}

export function titleOf({ title, sessionId }: Pick<SessionRow, 'title' | 'sessionId'>): string {
  const clean = title === null ? '' : cleanLine(title)
  return clean === '' ? `Untitled ${cleanLine(sessionId).slice(0, 8)}` : clean
}

/** The project distinguishes similar titles: shown first and cut last. */
function Project({ path }: { path: string }) {
  return (
    <>
      <span className="min-w-4 max-w-[60%] shrink truncate text-normal" title={cleanLine(path)}>
        {cleanLine(projectName(path))}
      </span>
      <span aria-hidden="true">·</span>
    </>
  )
}

function Facts({ row, hasSize }: { row: SessionRow; hasSize: boolean }) {
  return (
    <>
      <span className="shrink-0 whitespace-nowrap" title={formatMoment(row.updatedAt)}>
        · {formatAge(row.updatedAt)}
      </span>
      {hasSize && <span className="shrink-0 whitespace-nowrap">· {formatBytes(row.fileSize)}</span>}
      {row.messageCount !== null && (
        <span className="shrink-0 whitespace-nowrap" title={plural(row.messageCount, 'message')}>
          · {formatCount(row.messageCount)}
          <span className="sr-only"> messages</span>
        </span>
      )}
    </>
  )
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="mt-0.5 flex flex-wrap gap-1 text-xs">
      {tags.map(tag => (
        <span key={tag} className="max-w-full truncate rounded bg-sunken px-1 text-normal">
          #{cleanLine(tag)}
        </span>
      ))}
    </span>
  )
}

/** With these statuses a session is incomplete for another reason than being written. */
const IS_WRONG = new Set<SessionRow['status']>(['corrupted', 'unreadable', 'missing', 'unrecoverable'])

/** Small marks in the corner for special sessions. */
function Marks({ row }: { row: SessionRow }) {
  const { findings = 0 } = row
  return (
    <span className="flex h-[18px] shrink-0 items-center gap-1.5 text-quiet text-xs">
      {row.pinned === true && <Quiet words="Pinned" icon={<IconPin size={13} />} />}
      {row.hidden === true && <span>hidden</span>}
      {row.subagentOf !== undefined && <Quiet words="Subagent" icon={<IconSubagent size={14} />} />}
      {row.partial && !IS_WRONG.has(row.status) && <Word words="updating" />}
      {row.status === 'busy' && <Word words="busy" />}
      {row.terminalId !== undefined && (
        <Quiet words="Runs in a terminal here" icon={<IconTerminal size={14} className="text-live" />} />
      )}
      {row.status === 'corrupted' && findings > 0 && (
        <span className="flex items-center gap-0.5 text-damaged" title={plural(findings, 'finding')}>
          <IconWarning size={13} />
          {formatCount(findings)}
          <span className="sr-only">{findings === 1 ? ' finding' : ' findings'}</span>
        </span>
      )}
    </span>
  )
}

function Quiet({ words, icon }: { words: string; icon: ReactNode }) {
  return (
    <span title={words}>
      {icon}
      <span className="sr-only">{words}</span>
    </span>
  )
}

function Word({ words }: { words: string }) {
  return <span className="text-live">{words}</span>
}
