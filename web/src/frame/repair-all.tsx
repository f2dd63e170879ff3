// "Repair all": asks first, then shows the progress and the outcome.
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import type { Counts } from '../../../src/server/protocol.ts'
import { counts, repairAll, repairText } from '../catalog/figures.ts'
import { Button } from '../common/button.tsx'
import { Dialog } from '../common/dialog.tsx'
import { plural } from '../common/format.ts'
import { IconCheck } from '../common/icons.tsx'
import { ApiFailure, api } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { closeOverlay, overlay } from './overlay.ts'

const OUTCOME_SHOWN_MS = 12_000

/** The sessions that need no decision of the user. */
function repairable({ needRepair, needDecision }: Counts): number {
  return needRepair - needDecision
}

export function RepairAllState({ counts: { needRepair, needDecision } }: { counts: Counts }) {
  const now = useStore(repairAll)
  const isOver = now !== null && now.done >= now.total
  useEffect(() => {
    if (!isOver) return
    const timer = setTimeout(() => repairAll.set(null), OUTCOME_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isOver])
  if (now === null) {
    if (needRepair <= needDecision) return null
    return (
      <Button size="sm" className="ml-1" onClick={() => overlay.set('repair-all')}>
        Repair all
      </Button>
    )
  }
  const share = now.total === 0 ? 1 : now.done / now.total
  return (
    <span role="status" className="ml-1 inline-flex items-center gap-2 whitespace-nowrap text-normal">
      {isOver ? <IconCheck size={14} className="text-healthy" /> : null}
      {repairText(now)}
      {!isOver && (
        <span aria-hidden="true" className="h-1 w-20 overflow-hidden rounded bg-hover">
          <span
            className="block h-full bg-accent transition-[width] duration-150"
            style={{ width: `${share * 100}%` }}
          />
        </span>
      )}
    </span>
  )
}

export function RepairAllDialog() {
  const known = useStore(counts)
  const count = known === null ? 0 : repairable(known)
  const [isAsking, setIsAsking] = useState(false)
  const begin = async () => {
    setIsAsking(true)
    await startRepairAll()
    closeOverlay()
  }
  const actions = (
    <>
      <Button onClick={closeOverlay}>Cancel</Button>
      <Button variant="primary" disabled={isAsking || count === 0} onClick={() => void begin()}>
        Repair {plural(count, 'conversation')}
      </Button>
    </>
  )
  return (
    <Dialog title={`Repair ${plural(count, 'conversation')}?`} onClose={closeOverlay} actions={actions}>
      <ul className="flex list-disc flex-col gap-2 pl-4 text-base">
        <li>Each one is checked, repaired and checked again, one after another.</li>
        <li>A full copy is kept first, and every repair can be undone.</li>
        <li>A conversation that its agent is writing to is not changed.</li>
        {known !== null && known.needDecision > 0 && <Undecided count={known.needDecision} />}
      </ul>
    </Dialog>
  )
}

function Undecided({ count }: { count: number }) {
  return (
    <li>
      {plural(count, 'more needs', 'more need')} you to decide: {count === 1 ? 'its health' : 'the health of each'} says
      how, and <code className="font-mono text-sm">rethread sanitize</code> asks about all of one folder.
    </li>
  )
}

async function startRepairAll(): Promise<void> {
  try {
    const { total } = await api.repairAll()
    if (total === 0) toast('Nothing needs repair.')
    else repairAll.set(before => before ?? { done: 0, total, repaired: 0, refused: 0, failed: 0 })
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    toast.error(error.message, { description: error.hint })
  }
}
