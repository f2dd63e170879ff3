// The lines of "Missing from its agent": a conversation with its
// reason, a folder that moved, and what was done.
import type { ReactNode } from 'react'
import type { MissingSession, MovedFolder } from '../../../src/server/protocol.ts'
import { titleOf } from '../catalog/session-row.tsx'
import { AgentMark } from '../common/agent-mark.tsx'
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { plural } from '../common/format.ts'
import { IconCheck, IconFolder } from '../common/icons.tsx'
import { useAgentTitles, useShortPath, useShortText } from '../common/server.ts'
import { useStore } from '../state/store.ts'
import { enterSession } from '../state/view.ts'
import { type FixDone, moveAsked, relink, undoFix, working } from './report.ts'

interface LineProps {
  mark: ReactNode
  title: ReactNode
  children: ReactNode
  action?: ReactNode
}

function Line({ mark, title, children, action }: LineProps) {
  return (
    <li className="flex items-start gap-2 py-2">
      <span className="flex h-5 items-center">{mark}</span>
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-3 gap-y-1.5">
        <div className="min-w-40 flex-1">
          <div className="break-words text-base text-strong">{title}</div>
          <div className="break-words text-normal text-sm">{children}</div>
        </div>
        {action}
      </div>
    </li>
  )
}

export function MissingLine({ session }: { session: MissingSession }) {
  const agentTitle = useAgentTitles()
  const { key, agent, text, isFixable } = session
  const shortText = useShortText()
  const isWorking = useStore(working).has(key ?? '')
  const title = titleOf(session)
  const name = agentTitle(agent)
  const run = () => void relink([session], `${name} lists “${title}” again.`)
  return (
    <Line
      mark={<AgentMark agent={agent} title={name} size={16} />}
      title={
        key === undefined ? (
          title
        ) : (
          <button type="button" onClick={() => enterSession(key)} className="rounded text-left hover:underline">
            {title}
          </button>
        )
      }
      action={
        isFixable && (
          <Button size="sm" disabled={isWorking || key === undefined} onClick={run} aria-label={`Relink ${title}`}>
            {isWorking ? 'Relinking…' : 'Relink'}
          </Button>
        )
      }
    >
      {shortText(text)}
    </Line>
  )
}

export function MovedLine({ folder }: { folder: MovedFolder }) {
  const shortPath = useShortPath()
  const isWorking = useStore(working).has(folder.id)
  const { from, to, counts } = folder
  return (
    <Line
      mark={<IconFolder size={16} className="text-quiet" />}
      title={
        <>
          {shortPath(from)} <span className="text-quiet">is now</span> {shortPath(to)}
        </>
      }
      action={
        <Button
          size="sm"
          disabled={isWorking}
          onClick={() => moveAsked.set(folder)}
          aria-label={`Move the conversations of ${shortPath(from)}`}
        >
          {isWorking ? 'Moving…' : 'Move…'}
        </Button>
      }
    >
      <CountsByAgent counts={counts} />
    </Line>
  )
}

/** "12 conversations: 8 of one agent, 4 of another", "6 conversations of one agent". */
export function CountsByAgent({ counts }: Pick<MovedFolder, 'counts'>) {
  const agentTitle = useAgentTitles()
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1])
  const total = entries.reduce((sum, [, count]) => sum + count, 0)
  const [only, ...others] = entries
  if (only !== undefined && others.length === 0) return `${plural(total, 'conversation')} of ${agentTitle(only[0])}`
  const parts = entries.map(([agent, count]) => `${count} of ${agentTitle(agent)}`)
  return `${plural(total, 'conversation')}: ${parts.join(', ')}`
}

export function DoneLine({ fix }: { fix: FixDone }) {
  const shortText = useShortText()
  const isWorking = useStore(working).has(fix.id)
  return (
    <Line
      mark={<IconCheck size={14} className="text-healthy" />}
      title={cleanLine(fix.text)}
      action={
        <Button size="sm" variant="quiet" disabled={isWorking} onClick={() => void undoFix(fix)}>
          {isWorking ? 'Undoing…' : 'Undo'}
        </Button>
      }
    >
      {fix.notes.map(note => (
        <p key={note}>{shortText(note)}</p>
      ))}
    </Line>
  )
}
