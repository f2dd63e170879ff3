// The restore points of a session, newest first: time, messages, size, and what happened then.
import { useEffect, useRef, useState } from 'react'
import type { ApiVersion, SessionHealth } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { formatCount, formatMoment } from '../common/format.ts'
import { useAgentTitle } from '../common/server.ts'
import { ErrorState, Hint } from '../common/states.tsx'
import { HealthSection } from '../health/section.tsx'
import { archiveApi } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { enterSession, openVersion, view } from '../state/view.ts'
import { differenceAsked, restoreAsked, timelineWanted } from './archive-state.ts'
import { isLoss, sizeWords, whyWords } from './version-words.ts'

const SHOWN = 8
/** The most of the server. */
const MOST = 500
const NOT_ARCHIVED = 'session-not-found'

interface Props {
  sessionKey: string
  agent: string
  /** Renewed whenever the session changes. */
  health: SessionHealth
  isWorking: boolean
}

export function Timeline({ sessionKey, agent, health, isWorking }: Props) {
  const [limit, setLimit] = useState(SHOWN)
  const request = useRequest(`versions ${sessionKey} ${limit}`, signal =>
    archiveApi.versions(sessionKey, limit, signal),
  )
  const { again, answer } = request
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new verdict may mean a new restore point
  useEffect(again, [again, health])
  const box = useRef<HTMLDivElement>(null)
  const isWanted = useStore(timelineWanted)
  const isThere = answer !== undefined || request.state === 'failed'
  useEffect(() => {
    if (!isWanted || !isThere) return
    timelineWanted.set(false)
    box.current?.scrollIntoView({ block: 'nearest' })
    const first = box.current?.querySelector<HTMLElement>('button')
    ;(first ?? box.current)?.focus()
  }, [isWanted, isThere])
  return (
    <HealthSection title="Restore points">
      <div ref={box} tabIndex={-1}>
        {request.state === 'failed' && answer === undefined && request.failure.code !== NOT_ARCHIVED && (
          <ErrorState failure={request.failure} again={again} />
        )}
        {request.state === 'failed' && request.failure.code === NOT_ARCHIVED && (
          <div className="flex flex-col gap-2 text-quiet text-sm">
            <p>Not in the archive yet.</p>
            <Hint text={cleanText(request.failure.hint)} />
          </div>
        )}
        {answer !== undefined && <Points {...{ sessionKey, agent, isWorking }} versions={answer.versions} />}
        {answer !== undefined && answer.more > 0 && (
          <button type="button" onClick={() => setLimit(MOST)} className="rounded text-accent text-sm hover:underline">
            Show {formatCount(Math.min(answer.more, MOST - SHOWN))} earlier
          </button>
        )}
      </div>
    </HealthSection>
  )
}

interface PointsProps {
  sessionKey: string
  agent: string
  versions: readonly ApiVersion[]
  isWorking: boolean
}

function Points({ sessionKey, agent, versions, isWorking }: PointsProps) {
  const agentTitle = useAgentTitle(agent)
  const { version } = useStore(view)
  const existing = versions.filter(({ exists }) => exists)
  const newest = existing[0]?.number
  const open = (number: number) => {
    if (number === version) enterSession(sessionKey)
    else openVersion(sessionKey, number)
  }
  return (
    <>
      <ol className="flex flex-col">
        {versions.map(each => (
          <Point
            key={each.number}
            version={each}
            why={whyWords(each, agentTitle)}
            isShown={each.number === version}
            onOpen={() => open(each.number)}
          />
        ))}
      </ol>
      <div className="mt-2 mb-1 flex flex-wrap gap-2">
        {version !== null && (
          <Button size="sm" disabled={isWorking} onClick={() => restoreAsked.set({ key: sessionKey, version })}>
            Restore this state
          </Button>
        )}
        {newest !== undefined && existing.length > 1 && (
          <Button
            size="sm"
            onClick={() =>
              differenceAsked.set({
                key: sessionKey,
                from: version === null || version === newest ? existing[1]?.number : version,
                to: newest,
              })
            }
          >
            Compare
          </Button>
        )}
      </div>
    </>
  )
}

interface PointProps {
  version: ApiVersion
  why: string
  isShown: boolean
  onOpen: () => void
}

/** A dot on a line. A loss has another shape and colour. */
function Point({ version, why, isShown, onOpen }: PointProps) {
  const dot = isLoss(version)
    ? 'rotate-45 border-damaged bg-damaged'
    : isShown
      ? 'rounded-full border-accent bg-accent'
      : 'rounded-full border-line-strong bg-page'
  const words = (
    <>
      <span aria-hidden="true" className="relative flex w-3 shrink-0 justify-center self-stretch">
        <span className="absolute inset-y-0 w-px bg-line" />
        <span className={`relative mt-[7px] size-2 border ${dot}`} />
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex flex-wrap justify-between gap-x-3">
          <time dateTime={version.time} className="text-strong tabular-nums">
            {formatMoment(version.time)}
          </time>
          <span className="text-quiet tabular-nums">{sizeWords(version)}</span>
        </span>
        <span className={isLoss(version) ? 'text-damaged' : 'text-quiet'}>{why}</span>
      </span>
    </>
  )
  const look = 'flex w-full gap-2 rounded-md px-1 py-1 text-left text-sm'
  return (
    <li>
      {version.exists ? (
        <button
          type="button"
          aria-pressed={isShown}
          title={isShown ? 'Back to the present state' : 'Show the conversation as it was then'}
          onClick={onOpen}
          className={`${look} ${isShown ? 'bg-accent-soft' : 'hover:bg-hover'}`}
        >
          {words}
        </button>
      ) : (
        <div className={look}>{words}</div>
      )}
    </li>
  )
}
