// The panes in their places: three columns, two, or one at a time. The list stays alive while it is not seen, so that its place is kept.
import { lazy, Suspense } from 'react'
import { Skeleton } from '../common/states.tsx'
import type { Layout } from '../common/use-layout.ts'
import { ConversationPane } from '../conversation/conversation-pane.tsx'
import { HealthPane } from '../health/health-pane.tsx'
import { LibraryPane } from '../library/library-pane.tsx'
import { useStore } from '../state/store.ts'
import { view } from '../state/view.ts'
import { dock } from '../terminal/dock.ts'
import { TerminalPanes } from '../terminal/terminal-panes.tsx'
import { healthShown } from './health-shown.ts'
import { PaneTabs } from './pane-tabs.tsx'

// The charts are most of the page's weight, and a conversation needs none.
const HomeView = lazy(async () => ({ default: (await import('../home/home-view.tsx')).HomeView }))

const COLUMNS: Record<Layout, string> = {
  wide: 'grid-cols-[320px_minmax(0,1fr)]',
  middle: 'grid-cols-[304px_minmax(0,1fr)]',
  narrow: 'grid-cols-[minmax(0,1fr)]',
}

export function Panes({ layout }: { layout: Layout }) {
  const { session, pane } = useStore(view)
  const isNarrow = layout === 'narrow'
  const isListSeen = !isNarrow || pane === 'list'
  const isMainSeen = !isNarrow || pane !== 'list'
  return (
    <div className={`grid min-h-0 flex-1 ${COLUMNS[layout]}`}>
      {/* Alone on a phone it is the main part; another element would begin the list anew. */}
      <div
        role={isNarrow && isListSeen ? 'main' : undefined}
        className={`min-h-0 min-w-0 border-line ${isNarrow ? '' : 'border-r'} ${isListSeen ? '' : 'hidden'}`}
      >
        <LibraryPane />
      </div>
      <div className={`flex min-h-0 min-w-0 flex-col ${isMainSeen ? '' : 'hidden'}`}>
        {layout !== 'wide' && session !== null && <PaneTabs layout={layout} />}
        <Main layout={layout} isSeen={isMainSeen} />
      </div>
    </div>
  )
}

function Main({ layout, isSeen }: { layout: Layout; isSeen: boolean }) {
  const { session, pane } = useStore(view)
  const isHealthWanted = useStore(healthShown)
  const isWide = layout === 'wide'
  const isHealthSeen = session !== null && (isWide ? isHealthWanted : pane === 'health')
  const isTerminalAlone = layout === 'narrow' && pane === 'terminal'
  const isMiddleSeen = isSeen && (isWide || !isHealthSeen) && !isTerminalAlone
  const hasTerminals = layout === 'narrow' ? isTerminalAlone : isWide || !isHealthSeen
  // Behind a terminal that has all the room nothing can be reached.
  const isCovered = useStore(dock).isMaximised && layout !== 'narrow'
  return (
    <main className="flex min-h-0 min-w-0 flex-1">
      <div className={`flex min-h-0 min-w-0 flex-1 flex-col ${isMiddleSeen || hasTerminals ? '' : 'hidden'}`}>
        {isMiddleSeen && (
          <div className={`relative min-h-0 flex-1 ${isCovered ? 'invisible' : ''}`}>
            {session === null ? <Home /> : <ConversationPane />}
          </div>
        )}
        <div className={hasTerminals ? (isTerminalAlone ? 'min-h-0 flex-1' : 'contents') : 'hidden'}>
          <TerminalPanes />
        </div>
      </div>
      {isHealthSeen && (
        <div className={`min-h-0 ${isWide ? 'w-80 shrink-0 border-line border-l' : 'min-w-0 flex-1'}`}>
          <HealthPane />
        </div>
      )}
    </main>
  )
}

function Home() {
  return (
    <Suspense fallback={<Skeleton lines={8} />}>
      <HomeView />
    </Suspense>
  )
}
