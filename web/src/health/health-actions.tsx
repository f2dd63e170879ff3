// Repair, plan and undo, and the outcome of the last action.
import type { SessionHealth } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { formatMoment, plural } from '../common/format.ts'
import { IconCheck, IconUndo, IconWarning, IconWrench } from '../common/icons.tsx'
import { Hint } from '../common/states.tsx'
import { useStore } from '../state/store.ts'
import { ReportLines } from './report-lines.tsx'
import type { HealthState } from './use-health.ts'
import type { Outcome } from './work.ts'
import { forgetOutcome, outcomes, repairAsked, runUndo } from './work.ts'

/** Phones have no keyboard. */
const KEY_HIDDEN = 'max-sm:[&>span[aria-hidden]]:hidden'

interface Props {
  sessionKey: string
  /** A separate section asks for the decisions. */
  isSanitized: boolean
  health: SessionHealth
  work: HealthState['work']
}

export function HealthActions({ sessionKey, isSanitized, health, work }: Props) {
  const canRepair = health.verdict.isRepairable && !isSanitized
  const canUndo = health.undo !== null
  const isWorking = work !== undefined
  return (
    <>
      {(canRepair || canUndo) && (
        <div className="flex flex-wrap gap-2">
          {canRepair && (
            <>
              <Button
                variant="primary"
                icon={<IconWrench size={14} />}
                shortcut="x"
                className={KEY_HIDDEN}
                disabled={isWorking}
                onClick={() => repairAsked.set({ key: sessionKey, hasBytes: false })}
              >
                Repair
              </Button>
              <Button disabled={isWorking} onClick={() => repairAsked.set({ key: sessionKey, hasBytes: true })}>
                Plan
              </Button>
            </>
          )}
          {canUndo && (
            <Button
              icon={<IconUndo size={14} />}
              shortcut="u"
              className={KEY_HIDDEN}
              disabled={isWorking}
              onClick={() => void runUndo(sessionKey)}
            >
              Undo
            </Button>
          )}
        </div>
      )}
      <OutcomeLine sessionKey={sessionKey} work={work} />
    </>
  )
}

export function OutcomeLine({ sessionKey, work }: Pick<Props, 'sessionKey' | 'work'>) {
  const outcome = useStore(outcomes).get(sessionKey)
  return (
    <div role="status" className="text-sm empty:hidden">
      {work === 'repairing' && <p className="text-live">Repairing: a copy is kept, then the bytes are written…</p>}
      {work === 'restoring' && <p className="text-live">Restoring from the archive…</p>}
      {work === 'undoing' && <p className="text-live">Putting the bytes back as they were…</p>}
      {work === undefined && outcome !== undefined && <Words {...{ outcome, sessionKey }} />}
    </div>
  )
}

function Words({ outcome, sessionKey }: { outcome: Outcome; sessionKey: string }) {
  switch (outcome.type) {
    case 'repaired':
      return <Quiet>Repaired with {plural(outcome.edits, 'change')}. A copy is kept.</Quiet>
    case 'nothing-to-do':
      return <Quiet>Nothing needed repair.</Quiet>
    case 'decided':
      return <ReportLines lines={outcome.lines} />
    case 'restored':
      return (
        <Quiet>
          {outcome.hasReceipt
            ? `Restored as of ${formatMoment(outcome.time)}. It can be undone.`
            : `Everything is as it was at ${formatMoment(outcome.time)}; nothing was changed.`}
          {outcome.isIncomplete && ' A part of it was damaged in the archive and is missing.'}
        </Quiet>
      )
    case 'undone':
      return <Quiet>Undone. {outcome.notes.map(cleanText).join(' ')}</Quiet>
    case 'failed':
      return (
        <div role="alert" className="flex flex-col items-start gap-2 rounded-md bg-lost-soft px-3 py-2 text-strong">
          <p className="flex items-start gap-2">
            <IconWarning size={14} className="mt-[3px] text-lost" />
            <span className="min-w-0 [overflow-wrap:anywhere]">{cleanText(outcome.failure.message)}</span>
          </p>
          <Hint text={cleanText(outcome.failure.hint)} />
          <Button size="sm" variant="quiet" onClick={() => forgetOutcome(sessionKey)}>
            Dismiss
          </Button>
        </div>
      )
  }
}

function Quiet({ children }: { children: React.ReactNode }) {
  return (
    <p className="flex items-start gap-1.5 text-quiet">
      <IconCheck size={14} className="mt-[3px] text-healthy" />
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </p>
  )
}
