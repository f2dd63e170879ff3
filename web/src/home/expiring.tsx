// Conversations that an agent will delete within a week, and the setting that keeps them.
import { useState } from 'react'
import type { ApiAgent, Overview } from '../../../src/server/protocol.ts'
import { CopyCommand } from '../common/copy-command.tsx'
import { formatCount, plural } from '../common/format.ts'
import { IconArchive } from '../common/icons.tsx'
import { agents, useAgentTitles, useShortPath } from '../common/server.ts'
import { useStore } from '../state/store.ts'
import { HomeSection, Nothing } from './section.tsx'
import { SessionLine } from './session-line.tsx'

const SHOWN = 6
const DAY_MS = 86_400_000

type Expiring = Pick<Overview, 'expiring' | 'moreExpiring'>

export function Expiring({ expiring, moreExpiring }: Expiring) {
  const deleting = useStore(agents).filter(agent => agent.found && agent.retention !== null)
  const concerned = deleting.filter(({ id }) => expiring.some(({ session }) => session.agent === id))
  return (
    <HomeSection title="Deleted by their agent within 7 days">
      {expiring.length === 0 ? (
        <Nothing>
          {deleting.length === 0
            ? 'No agent on this machine deletes conversations automatically.'
            : 'None within the next 7 days.'}
        </Nothing>
      ) : (
        <Soonest expiring={expiring} moreExpiring={moreExpiring} />
      )}
      {concerned.map(agent => (
        <KeepSetting
          key={agent.id}
          agent={agent}
          isArchived={expiring.every(({ session, isArchived }) => session.agent !== agent.id || isArchived)}
        />
      ))}
    </HomeSection>
  )
}

/** The first few. A click shows the others. */
function Soonest({ expiring, moreExpiring }: Expiring) {
  const agentTitle = useAgentTitles()
  const [isAll, setIsAll] = useState(false)
  const shown = isAll ? expiring : expiring.slice(0, SHOWN)
  const folded = expiring.length - shown.length
  return (
    <>
      <ul className="-mx-2">
        {shown.map(({ session, deletedAt, isArchived }) => (
          <li key={session.key}>
            {isArchived ? (
              <SessionLine
                session={session}
                aside={<IconArchive size={16} className="text-healthy" />}
                below={`kept in the archive, will leave ${agentTitle(session.agent)} ${inDays(deletedAt)}`}
              />
            ) : (
              <SessionLine session={session} aside={<span className="text-damaged">{inDays(deletedAt)}</span>} />
            )}
          </li>
        ))}
      </ul>
      {folded > 0 && (
        <button type="button" onClick={() => setIsAll(true)} className="rounded text-accent text-sm hover:underline">
          Show {formatCount(folded + moreExpiring)} more
        </button>
      )}
      {folded === 0 && moreExpiring > 0 && (
        <p className="text-quiet text-sm">and {formatCount(moreExpiring)} more, at the end of the list by day</p>
      )}
    </>
  )
}

function KeepSetting({ agent: { title, retention }, isArchived }: { agent: ApiAgent; isArchived: boolean }) {
  const shortPath = useShortPath()
  if (retention === null) return null
  return (
    <div className="mt-2 flex flex-col items-start gap-1.5 text-normal text-sm">
      <p>
        {title} deletes conversations after {plural(retention.days, 'day')}
        {retention.isDefault ? ', its default' : ''}. To keep them{isArchived ? ' there too' : ''}, write this into{' '}
        <code className="break-all font-mono text-strong text-xs">{shortPath(retention.file)}</code>:
      </p>
      <CopyCommand command={retention.setting} label="Copy setting" />
    </div>
  )
}

export function inDays(iso: string, now = Date.now()): string {
  const days = Math.floor((Date.parse(iso) - now) / DAY_MS)
  if (Number.isNaN(days)) return 'soon'
  if (days < 0) return 'any time now'
  return days === 0 ? 'within a day' : `in ${plural(days, 'day')}`
}
