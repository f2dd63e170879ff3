// The left column: filter, list, and the progress of the background check.
import type { RefObject } from 'react'
import { useCallback, useEffect, useRef } from 'react'
import { ErrorState, Skeleton } from '../common/states.tsx'
import { MissingGroup } from '../doctor/missing.tsx'
import { listen } from '../state/socket.ts'
import { useStore } from '../state/store.ts'
import { CheckProgress } from './check-progress.tsx'
import { NoConversations } from './empty-list.tsx'
import { StoreFailures } from './failures.tsx'
import { FilterBar } from './filter-bar.tsx'
import { filters } from './filters.ts'
import { list, renewList, requestList, takeStatus } from './list.ts'
import { toQuery } from './query.ts'
import type { SessionListHandle } from './session-list.tsx'
import { SessionList } from './session-list.tsx'

export function CatalogPane() {
  const handle = useRef<SessionListHandle>(null)
  useLibrary()
  const leaveFilter = useCallback((isChosen: boolean) => handle.current?.enter(isChosen), [])
  return (
    <nav aria-label="Conversations" className="flex h-full min-h-0 flex-col bg-raised">
      <FilterBar onLeave={leaveFilter} />
      <StoreFailures />
      <MissingGroup />
      <div className="relative min-h-0 flex-1">
        <Content handle={handle} />
      </div>
      <CheckProgress />
    </nav>
  )
}

function Content({ handle }: { handle: RefObject<SessionListHandle | null> }) {
  const { rows, state, failure } = useStore(list)
  if (failure !== null && rows.length === 0) {
    return <ErrorState failure={failure} again={() => requestList(toQuery(filters.get()))} />
  }
  if (rows.length > 0) return <SessionList ref={handle} />
  return state === 'loading' ? <Skeleton lines={12} label="Loading conversations" /> : <NoConversations />
}

function useLibrary(): void {
  const now = useStore(filters)
  const query = JSON.stringify(toQuery(now))
  useEffect(() => requestList(JSON.parse(query)), [query])
  useEffect(() => {
    const stops = [
      listen('library.changed', renewList),
      listen('ready', renewList),
      listen('session.status', takeStatus),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
}
