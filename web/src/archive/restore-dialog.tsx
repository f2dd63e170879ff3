// Asks before a restore: which state, where it is put, and that it can be undone. A refusal is shown here,
// with the offer of a new id where that helps.
import { useState } from 'react'
import type { ApiVersion, SessionDetail } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { formatMoment } from '../common/format.ts'
import { IconArchive, IconWarning } from '../common/icons.tsx'
import { useShortPath } from '../common/server.ts'
import { ErrorState, Hint, Skeleton } from '../common/states.tsx'
import { runRestore } from '../health/work.ts'
import { type ApiFailure, api, archiveApi } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { restoreAsked } from './archive-state.ts'
import { sizeWords } from './version-words.ts'

/** Another session has its place, or the agent writes: a copy with a new id does not conflict. */
const OCCUPIED = new Set(['busy', 'locked'])

export function RestoreDialog() {
  const asked = useStore(restoreAsked)
  return asked === null ? null : <Asked key={asked.key} sessionKey={asked.key} version={asked.version} />
}

const close = () => restoreAsked.set(null)

function Asked({ sessionKey, version }: { sessionKey: string; version: number | undefined }) {
  const request = useRequest(`restore ${sessionKey}`, async signal => {
    const detail = await api.session(sessionKey, signal)
    return { detail, ...(await archiveApi.allVersions(sessionKey, signal)) }
  })
  const [isAsNew, setIsAsNew] = useState(false)
  const [isRunning, setIsRunning] = useState(false)
  const [refusal, setRefusal] = useState<ApiFailure>()
  const { answer } = request
  const isExisting = ({ number, exists }: ApiVersion) => exists && (version === undefined || number === version)
  const wanted = answer?.versions.find(isExisting)
  const run = async (asNew: boolean) => {
    setIsRunning(true)
    setRefusal(undefined)
    const failure = await runRestore(sessionKey, { ...(version === undefined ? {} : { version }), asNew })
    setIsRunning(false)
    if (failure === undefined) close()
    else setRefusal(failure)
  }
  const offersNew = refusal !== undefined && answer?.canBeNew === true && OCCUPIED.has(refusal.code)
  return (
    <Dialog
      title="Restore this conversation?"
      onClose={close}
      width="max-w-lg"
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            icon={<IconArchive size={14} />}
            disabled={wanted === undefined || isRunning}
            onClick={() => void run(isAsNew || offersNew)}
          >
            {isRunning ? 'Restoring…' : isAsNew || offersNew ? 'Restore as new' : 'Restore'}
          </Button>
        </>
      }
    >
      {request.state === 'failed' && <ErrorState failure={request.failure} again={request.again} />}
      {request.state === 'loading' && answer === undefined && <Skeleton lines={4} label="Loading the restore points" />}
      {answer !== undefined && wanted !== undefined && (
        <div className="flex flex-col gap-3">
          <Facts detail={answer.detail} version={wanted} isAsNew={isAsNew || offersNew} />
          {answer.canBeNew && !offersNew && (
            <label className="flex cursor-pointer items-start gap-2 text-sm">
              <input
                type="checkbox"
                checked={isAsNew}
                onChange={event => setIsAsNew(event.target.checked)}
                className="mt-[3px] accent-(--accent)"
              />
              With a new id, beside what is there now
            </label>
          )}
          {refusal !== undefined && <Refusal refusal={refusal} offersNew={offersNew} />}
        </div>
      )}
    </Dialog>
  )
}

function Facts({ detail, version, isAsNew }: { detail: SessionDetail; version: ApiVersion; isAsNew: boolean }) {
  const shortPath = useShortPath()
  const isThere = detail.archived === undefined
  return (
    <>
      <p className="text-base text-strong">
        As of {formatMoment(version.time)}: {sizeWords(version)}.
      </p>
      <ul className="flex list-disc flex-col gap-1 pl-4 text-sm">
        <li className="[overflow-wrap:anywhere]">
          {isAsNew ? (
            `It gets a new id, and is put where ${detail.agentTitle} finds it.`
          ) : (
            <>
              It is put back where {detail.agentTitle} finds it:{' '}
              <code className="font-mono text-strong text-xs">{shortPath(detail.filePath)}</code>
            </>
          )}
        </li>
        {isThere && !isAsNew && <li>What is there now is archived before it is replaced.</li>}
        <li>It gets the current time, so that {detail.agentTitle} does not delete it for its age.</li>
        <li>The restore can be undone at any time.</li>
      </ul>
    </>
  )
}

function Refusal({ refusal, offersNew }: { refusal: ApiFailure; offersNew: boolean }) {
  return (
    <div role="alert" className="flex flex-col items-start gap-2 rounded-md bg-lost-soft px-3 py-2 text-sm text-strong">
      <p className="flex items-start gap-2">
        <IconWarning size={14} className="mt-[3px] text-lost" />
        <span className="min-w-0 [overflow-wrap:anywhere]">{cleanText(refusal.message)}</span>
      </p>
      {offersNew ? (
        <p>Nothing was changed. It can be restored beside that one, with a new id.</p>
      ) : (
        <Hint text={cleanText(refusal.hint)} />
      )}
    </div>
  )
}
