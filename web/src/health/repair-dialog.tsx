// Asks before a repair: what it changes, how much, and that a copy is kept. The bytes before and after can be
// shown.
import { useState } from 'react'
import type { ApiPlan } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { plural } from '../common/format.ts'
import { ErrorState, Skeleton } from '../common/states.tsx'
import { api } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { showPane } from '../state/view.ts'
import { countChanges, Meaning, PlanBytes } from './plan-view.tsx'
import { repairAsked, runRepair } from './work.ts'

export function RepairDialog() {
  const asked = useStore(repairAsked)
  return asked === null ? null : <Asked key={asked.key} sessionKey={asked.key} opensBytes={asked.hasBytes} />
}

const close = () => repairAsked.set(null)
const showHealth = () => {
  close()
  showPane('health')
}

function Asked({ sessionKey, opensBytes }: { sessionKey: string; opensBytes: boolean }) {
  const [hasBytes, setHasBytes] = useState(opensBytes)
  const request = useRequest(`plan ${sessionKey}`, signal => api.plan(sessionKey, signal))
  const plan = request.answer
  const changes = plan === undefined ? 0 : countChanges(plan)
  const begin = () => {
    close()
    void runRepair(sessionKey)
  }
  const isDecidedThere = plan?.verdict.mendedBy !== undefined
  const actions = (
    <>
      <Button onClick={close}>Cancel</Button>
      {isDecidedThere ? (
        <Button variant="primary" onClick={showHealth}>
          Show health
        </Button>
      ) : (
        <Button variant="primary" disabled={changes === 0} onClick={begin}>
          {changes === 0 ? 'Repair' : `Repair with ${plural(changes, 'change')}`}
        </Button>
      )}
    </>
  )
  return (
    <Dialog
      title="Repair this conversation?"
      onClose={close}
      actions={actions}
      width={hasBytes ? 'max-w-3xl' : 'max-w-lg'}
    >
      {request.state === 'failed' && <ErrorState failure={request.failure} again={request.again} />}
      {request.state === 'loading' && plan === undefined && <Loading />}
      {plan !== undefined && changes === 0 && <NothingToDo plan={plan} />}
      {plan !== undefined && changes > 0 && (
        <Planned {...{ plan, changes, hasBytes }} toggle={() => setHasBytes(!hasBytes)} />
      )}
    </Dialog>
  )
}

function Loading() {
  return (
    <>
      <p className="px-4 text-quiet text-sm">Working out what would change. Nothing is written yet.</p>
      <Skeleton lines={5} label="Working out what would change" />
    </>
  )
}

function NothingToDo({ plan }: { plan: ApiPlan }) {
  if (plan.verdict.mendedBy !== undefined) return <DecidedThere plan={plan} />
  return (
    <div className="flex flex-col gap-2 text-base">
      <p className="text-strong">{cleanText(plan.verdict.sentence)}</p>
      <p>Nothing can safely be changed.</p>
      {plan.verdict.refusals.map(({ text }) => (
        <p key={text} className="text-quiet text-sm">
          {cleanText(text)}
        </p>
      ))}
    </div>
  )
}

/** The repair needs decisions, which the health pane asks for. */
function DecidedThere({ plan }: { plan: ApiPlan }) {
  return (
    <div className="flex flex-col items-start gap-3 text-base">
      <p className="text-strong">{cleanText(plan.verdict.sentence)}</p>
      <p>Choose what to do in the health panel.</p>
    </div>
  )
}

interface PlannedProps {
  plan: ApiPlan
  changes: number
  hasBytes: boolean
  toggle: () => void
}

function Planned({ plan, changes, hasBytes, toggle }: PlannedProps) {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-base text-strong">{cleanText(plan.verdict.sentence)}</p>
      <section className="flex flex-col gap-2">
        <h3 className="font-medium text-quiet text-sm">What it means</h3>
        <Meaning plan={plan} />
      </section>
      <ul className="flex list-disc flex-col gap-1 pl-4 text-sm">
        <li>{plural(changes, 'change')}; every other byte stays as it is.</li>
        <li>A full copy is kept first, and the repair can be undone at any time.</li>
        <li>If the conversation changes in the meantime, nothing is written.</li>
      </ul>
      <section className="flex flex-col gap-2">
        <Button size="sm" className="self-start" aria-expanded={hasBytes} onClick={toggle}>
          {hasBytes ? 'Hide bytes' : 'Show bytes before and after'}
        </Button>
        {hasBytes && <PlanBytes plan={plan} />}
      </section>
    </div>
  )
}
