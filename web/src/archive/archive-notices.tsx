// The archive on the home view: what happened to sessions, what is wrong with the archive, and how far it is.
// The same as "rethread archive status".
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { ApiArchiveStatus, ApiNotice } from '../../../src/server/protocol.ts'
import { showFiltered } from '../catalog/filters.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { formatAge, formatBytes, formatCount, plural } from '../common/format.ts'
import { IconWarning } from '../common/icons.tsx'
import { ErrorState, Hint } from '../common/states.tsx'
import { HomeSection } from '../home/section.tsx'
import { archiveApi } from '../state/api.ts'
import { listen } from '../state/socket.ts'
import { useRequest } from '../state/use-request.ts'
import { enterSession } from '../state/view.ts'
import { showTimeline } from './archive-state.ts'

const SHOWN = 4
const RENEW_EVERY_MS = 10_000
/** Each answer costs a scan of all stores: the pause is this many times as long as the last request took. */
const PAUSE_FACTOR = 50

export function ArchiveNotices() {
  const took = useRef(0)
  const request = useRequest('archive', async signal => {
    const before = performance.now()
    const status = await archiveApi.status(signal)
    took.current = performance.now() - before
    return status
  })
  const { answer, again } = request
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const renew = () => {
      timer ??= setTimeout(
        () => {
          timer = undefined
          again()
        },
        Math.max(RENEW_EVERY_MS, took.current * PAUSE_FACTOR),
      )
    }
    const stops = [listen('library.changed', renew), listen('ready', renew)]
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [again])
  if (answer === undefined)
    return request.state === 'failed' ? (
      <HomeSection title="Archive">
        <ErrorState failure={request.failure} again={again} />
      </HomeSection>
    ) : null
  return <Status status={answer} again={again} />
}

function Status({ status, again }: { status: ApiArchiveStatus; again: () => void }) {
  const [isAll, setIsAll] = useState(false)
  const { notices } = status
  const shown = isAll ? notices : notices.slice(0, SHOWN)
  const folded = notices.length - shown.length
  return (
    <HomeSection title="Archive" aside={<Dismiss notices={notices} again={again} />}>
      {shown.length > 0 && (
        <ul className="mb-2 flex flex-col divide-y divide-line rounded-md border border-line">
          {shown.map(notice => (
            <Notice key={`${notice.kind} ${notice.key ?? notice.text}`} notice={notice} />
          ))}
        </ul>
      )}
      {folded > 0 && (
        <p className="mb-2">
          <Link onClick={() => setIsAll(true)}>Show {formatCount(folded)} more</Link>
        </p>
      )}
      <Summary status={status} />
    </HomeSection>
  )
}

function Summary({ status: { totals, lastPass } }: { status: ApiArchiveStatus }) {
  if (lastPass === null && totals.segments === 0) return <p className="text-quiet text-sm">Nothing is archived yet.</p>
  const behind = totals.sessions - totals.current
  const limit = totals.maxBytes === null ? '' : ` of ${formatBytes(totals.maxBytes)}`
  return (
    <p className="text-quiet text-sm">
      {formatCount(totals.current)} of {plural(totals.sessions, 'session')} archived as they are now
      {behind > 0 && `, ${formatCount(behind)} behind`}
      {' · '}
      {totals.deleted > 0 && (
        <>
          <Link onClick={() => showFiltered({ health: 'archived' })}>{formatCount(totals.deleted)} deleted, kept</Link>
          {' · '}
        </>
      )}
      {formatBytes(totals.storedBytes)}
      {limit}
      {lastPass !== null && ` · last pass ${ageWords(lastPass)}`}
    </p>
  )
}

function ageWords(iso: string): string {
  const age = formatAge(iso)
  return /^\d+ (min|h|d)$/.test(age) ? `${age} ago` : age
}

function Notice({ notice }: { notice: ApiNotice }) {
  const { kind, text, hint, key, agent } = notice
  const isFault = kind === 'unreadable' || kind === 'damaged'
  return (
    <li className="flex gap-2.5 px-3 py-2.5 text-sm">
      <IconWarning size={16} className={`mt-0.5 ${isFault ? 'text-lost' : 'text-damaged'}`} />
      <div className="flex min-w-0 flex-1 flex-col items-start gap-1">
        <p className="text-strong [overflow-wrap:anywhere]">{cleanText(text)}</p>
        {kind === 'shortened' && key !== undefined ? (
          <Link
            onClick={() => {
              enterSession(key)
              showTimeline()
            }}
          >
            Show its restore points
          </Link>
        ) : kind === 'purged' ? (
          <Link onClick={() => showFiltered({ health: 'archived', agent: agent ?? null })}>Show them</Link>
        ) : (
          <details className="max-w-full">
            <summary className="cursor-pointer rounded text-accent">What to do</summary>
            <div className="mt-1.5 [overflow-wrap:anywhere]">
              <Hint text={cleanText(hint)} />
            </div>
          </details>
        )}
      </div>
    </li>
  )
}

/** Only for what happened. What still is wrong stays until it is not. */
function Dismiss({ notices, again }: { notices: readonly ApiNotice[]; again: () => void }) {
  const last = notices
    .flatMap(({ time }) => time ?? [])
    .sort()
    .at(-1)
  if (last === undefined) return null
  return (
    <Button
      size="sm"
      variant="quiet"
      title="Do not show what happened until now again"
      onClick={() => void archiveApi.seen(last).then(again)}
    >
      Dismiss
    </Button>
  )
}

function Link({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="rounded text-accent text-sm underline-offset-2 hover:underline">
      {children}
    </button>
  )
}
