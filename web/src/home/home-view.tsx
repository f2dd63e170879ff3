// The home view, shown while no conversation is open: figures about all sessions.
import { memo, useEffect } from 'react'
import type { Overview } from '../../../src/server/protocol.ts'
import { ArchiveNotices } from '../archive/archive-notices.tsx'
import { counts, progress } from '../catalog/figures.ts'
import { ErrorState, Skeleton } from '../common/states.tsx'
import { MissingSection } from '../doctor/missing.tsx'
import { api } from '../state/api.ts'
import { listen } from '../state/socket.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { Activity } from './activity.tsx'
import { EmptyMachine } from './empty-machine.tsx'
import { Expiring } from './expiring.tsx'
import { HealthShare } from './health-share.tsx'
import { Largest } from './largest.tsx'
import { Repairs } from './repairs.tsx'
import { UsageSection } from './usage-section.tsx'

/** The shortest time between two renewals while sessions are being found. */
const RENEW_EVERY_MS = 2000

export function HomeView() {
  const request = useRequest('overview', signal => api.overview(signal))
  useRenewal(request.again)
  const isFinding = useStore(progress)?.phase === 'finding'
  const { answer } = request
  return (
    <section aria-label="Home" className="absolute inset-0 overflow-y-auto">
      {answer !== undefined ? (
        <Picture overview={answer} isFinding={isFinding} />
      ) : request.state === 'failed' ? (
        <ErrorState failure={request.failure} again={request.again} />
      ) : (
        <div className="mx-auto max-w-5xl">
          <Skeleton lines={12} label="Loading the overview" />
        </div>
      )}
    </section>
  )
}

/** Drawn again with a new overview only: the figures of a running check change many times a second. */
const Picture = memo(function Picture({ overview, isFinding }: { overview: Overview; isFinding: boolean }) {
  if (overview.counts.sessions === 0 && !isFinding) return <EmptyMachine />
  return (
    <div className="mx-auto flex max-w-5xl flex-col gap-6 px-4 py-5 sm:px-6">
      <ArchiveNotices />
      <Activity days={overview.days} />
      <PresentHealth overview={overview} />
      <MissingSection />
      <UsageSection usage={overview.usage} />
      <div className="grid gap-6 xl:grid-cols-2 xl:gap-x-10">
        <Largest overview={overview} />
        <Expiring expiring={overview.expiring} moreExpiring={overview.moreExpiring} />
        <Repairs repairs={overview.repairs} />
      </div>
    </div>
  )
})

function PresentHealth({ overview }: { overview: Overview }) {
  return <HealthShare counts={useStore(counts) ?? overview.counts} />
}

function useRenewal(again: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const renew = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        again()
      }, RENEW_EVERY_MS)
    }
    const stops = [listen('library.changed', renew), listen('ready', renew)]
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [again])
}
