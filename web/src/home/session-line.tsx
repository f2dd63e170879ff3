// A conversation as one line of the home view. A click opens it.
import type { ReactNode } from 'react'
import type { SessionRow } from '../../../src/server/protocol.ts'
import { titleOf } from '../catalog/session-row.tsx'
import { AgentMark } from '../common/agent-mark.tsx'
import { cleanLine } from '../common/clean.ts'
import { projectName } from '../common/format.ts'
import { useAgentTitles } from '../common/server.ts'
import { enterSession } from '../state/view.ts'

interface Props {
  session: Pick<SessionRow, 'agent' | 'title' | 'sessionId'> & { key?: string | undefined; project?: string | null }
  aside: ReactNode
  /** A second line. */
  below?: ReactNode
}

export function SessionLine({ session, aside, below }: Props) {
  const agentTitle = useAgentTitles()
  const { key, project } = session
  const height = below === undefined ? 'h-9' : 'min-h-12 py-1'
  const look = `flex ${height} w-full min-w-0 items-center gap-2 rounded-md px-2 text-left text-base`
  const words = (
    <>
      <AgentMark agent={session.agent} title={agentTitle(session.agent)} size={16} />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate text-strong">{titleOf(session)}</span>
        {below !== undefined && <span className="text-quiet text-sm">{below}</span>}
      </span>
      {project != null && (
        <span className="max-w-28 shrink-0 truncate text-quiet text-sm" title={cleanLine(project)}>
          {cleanLine(projectName(project))}
        </span>
      )}
      <span className="shrink-0 text-quiet text-sm tabular-nums">{aside}</span>
    </>
  )
  if (key === undefined) return <div className={look}>{words}</div>
  return (
    <button type="button" onClick={() => enterSession(key)} className={`${look} hover:bg-hover`}>
      {words}
    </button>
  )
}
