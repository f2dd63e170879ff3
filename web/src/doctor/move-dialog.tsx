// Asks before the conversations of a folder follow it: for each agent, how many, and which files change.
import type { MovedFolder, PlannedMove } from '../../../src/server/protocol.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { Button } from '../common/button.tsx'
import { Dialog } from '../common/dialog.tsx'
import { plural } from '../common/format.ts'
import { useAgentTitles, useShortPath, useShortText } from '../common/server.ts'
import { ErrorState, Skeleton } from '../common/states.tsx'
import { doctorApi } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { moveAsked, moveFolder } from './report.ts'

const close = () => moveAsked.set(null)

export function MoveDialog() {
  const folder = useStore(moveAsked)
  return folder === null ? null : <Asked key={folder.id} folder={folder} />
}

function Asked({ folder }: { folder: MovedFolder }) {
  const shortPath = useShortPath()
  const request = useRequest(`move ${folder.id}`, signal => doctorApi.planMove(folder.id, signal))
  const plan = request.answer
  const total = plan?.agents.reduce((sum, { sessions }) => sum + sessions, 0) ?? 0
  const begin = () => {
    close()
    void moveFolder(
      folder,
      `${plural(total, 'conversation')} of ${shortPath(folder.from)} moved to ${shortPath(folder.to)}.`,
    )
  }
  const actions = (
    <>
      <Button onClick={close}>Cancel</Button>
      <Button variant="primary" disabled={total === 0} onClick={begin}>
        {total === 0 ? 'Move' : `Move ${plural(total, 'conversation')}`}
      </Button>
    </>
  )
  return (
    <Dialog title="Move the conversations of this folder?" onClose={close} actions={actions} width="max-w-lg">
      {request.state === 'failed' && <ErrorState failure={request.failure} again={request.again} />}
      {request.state === 'loading' && plan === undefined && (
        <Skeleton lines={5} label="Working out what would change" />
      )}
      {plan !== undefined && <Plan plan={plan} evidence={folder.evidence} />}
    </Dialog>
  )
}

function Plan({ plan, evidence }: { plan: PlannedMove; evidence: readonly string[] }) {
  const shortPath = useShortPath()
  const shortText = useShortText()
  return (
    <div className="flex flex-col gap-4">
      <p className="break-words text-base">
        <code className="font-mono text-sm text-strong">{shortPath(plan.from)}</code> is now{' '}
        <code className="font-mono text-sm text-strong">{shortPath(plan.to)}</code>.
      </p>
      {evidence.length > 0 && (
        <section className="flex flex-col gap-1 text-sm">
          <h3 className="font-medium text-quiet">How it was found</h3>
          {evidence.map(line => (
            <p key={line} className="break-words">
              {shortText(line)}
            </p>
          ))}
        </section>
      )}
      <section className="flex flex-col gap-2">
        <h3 className="font-medium text-quiet text-sm">What changes</h3>
        {plan.agents.map(each => (
          <AgentPlan key={each.agent} plan={each} />
        ))}
      </section>
      <ul className="flex list-disc flex-col gap-1 pl-4 text-sm">
        <li>A copy of every changed file is kept first, and the move can be undone.</li>
        <li>The folder itself stays where it is. What was said in the conversations is not changed.</li>
      </ul>
    </div>
  )
}

function AgentPlan({ plan }: { plan: PlannedMove['agents'][number] }) {
  const agentTitle = useAgentTitles()
  const shortPath = useShortPath()
  const shortText = useShortText()
  const { agent, sessions, files, moreFiles, needsClosed, notes } = plan
  return (
    <div className="flex gap-2">
      <AgentMark agent={agent} size={16} />
      <div className="min-w-0 flex-1">
        <p className="text-base text-strong">
          {agentTitle(agent)}: {plural(sessions, 'conversation')}
        </p>
        <details className="text-sm">
          <summary className="text-accent">
            {plural(files.length + moreFiles, 'file or folder', 'files and folders')}
          </summary>
          <ul className="mt-1 flex flex-col gap-0.5">
            {files.map(file => (
              <li key={file} className="break-all font-mono text-xs">
                {shortPath(file)}
              </li>
            ))}
            {moreFiles > 0 && <li className="text-quiet text-xs">and {moreFiles} more</li>}
          </ul>
        </details>
        {needsClosed && (
          <p className="text-normal text-sm">Its settings are changed only while {agentTitle(agent)} is not running.</p>
        )}
        {notes.map(note => (
          <p key={note} className="break-words text-normal text-sm">
            {shortText(note)}
          </p>
        ))}
      </div>
    </div>
  )
}
