// The layout of the panes: three columns, two, or one at a time. The list stays mounted while it is hidden,
// so that it keeps its position.
import { lazy, Suspense } from 'react'
import { CatalogPane } from '../catalog/catalog-pane.tsx'
import { Divider } from '../common/divider.tsx'
import { Skeleton } from '../common/states.tsx'
import type { Layout } from '../common/use-layout.ts'
import { ConversationPane } from '../conversation/conversation-pane.tsx'
import { HealthPane } from '../health/health-pane.tsx'
import { useStore } from '../state/store.ts'
import { view } from '../state/view.ts'
import { dock } from '../terminal/dock.ts'
import { TerminalPanes } from '../terminal/terminal-panes.tsx'
import type { Column, Fitted } from './columns.ts'
import { FIRST_WIDTHS, setWidth, useColumns } from './columns.ts'
import { HealthDrawer } from './health-drawer.tsx'
import { healthShown } from './health-shown.ts'
import { PaneTabs } from './pane-tabs.tsx'
import { CONTENT_ID } from './skip-link.tsx'

// Loaded on demand: the charts are the largest part of the page, and a conversation needs none.
const HomeView = lazy(async () => ({ default: (await import('../home/home-view.tsx')).HomeView }))

export function Panes({ layout }: { layout: Layout }) {
  const { session, pane } = useStore(view)
  const isHealthWanted = useStore(healthShown)
  const isNarrow = layout === 'narrow'
  const isListSeen = !isNarrow || pane === 'list'
  const isMainSeen = !isNarrow || pane !== 'list'
  const isBeside = layout === 'wide' && session !== null && isHealthWanted
  const { list, health } = useColumns(isBeside)
  return (
    <div className="flex min-h-0 flex-1">
      {/* Alone on a phone it is the main part; another element would draw the list again from the beginning. */}
      <div
        role={isNarrow && isListSeen ? 'main' : undefined}
        id={isNarrow && isListSeen ? CONTENT_ID : undefined}
        tabIndex={-1}
        className={`min-h-0 min-w-0 outline-none ${isNarrow ? 'flex-1' : 'shrink-0'} ${isListSeen ? '' : 'hidden'}`}
        style={isNarrow ? undefined : { width: list.width }}
      >
        <CatalogPane />
      </div>
      {!isNarrow && <ColumnDivider label="Width of the list" column="list" fitted={list} />}
      <div className={`flex min-h-0 min-w-0 flex-1 flex-col ${isMainSeen ? '' : 'hidden'}`}>
        <Main layout={layout} isSeen={isMainSeen} health={isBeside ? health : undefined} />
      </div>
    </div>
  )
}

interface MainProps {
  layout: Layout
  isSeen: boolean
  /** The width of the health pane beside the conversation; undefined if it is not beside it. */
  health: Fitted | undefined
}

function Main({ layout, isSeen, health }: MainProps) {
  const { session, pane } = useStore(view)
  const isNarrow = layout === 'narrow'
  const isHealthAlone = isNarrow && session !== null && pane === 'health'
  const isTerminalAlone = isNarrow && pane === 'terminal'
  const isMiddleSeen = isSeen && !isHealthAlone && !isTerminalAlone
  const hasTerminals = !isNarrow || isTerminalAlone
  // A maximised terminal covers everything, so nothing behind it may take the focus.
  const isCovered = useStore(dock).isMaximised && !isNarrow
  return (
    <main
      id={isSeen ? CONTENT_ID : undefined}
      tabIndex={-1}
      className="relative flex min-h-0 min-w-0 flex-1 outline-none"
    >
      <div
        className={`flex min-h-0 min-w-0 flex-1 flex-col ${isMiddleSeen || hasTerminals || isHealthAlone ? '' : 'hidden'}`}
      >
        {isNarrow && session !== null && !isMiddleSeen && <PaneTabs />}
        {isMiddleSeen && (
          <div className={`relative min-h-0 flex-1 ${isCovered ? 'invisible' : ''}`}>
            {session === null ? <Home /> : <ConversationPane />}
          </div>
        )}
        {isHealthAlone && (
          <div className="min-h-0 min-w-0 flex-1">
            <HealthPane />
          </div>
        )}
        <div className={hasTerminals ? (isTerminalAlone ? 'min-h-0 flex-1' : 'contents') : 'hidden'}>
          <TerminalPanes />
        </div>
      </div>
      {health !== undefined && (
        <>
          <ColumnDivider label="Width of the health panel" column="health" fitted={health} isBehind />
          <div className="min-h-0 shrink-0" style={{ width: health.width }}>
            <HealthPane />
          </div>
        </>
      )}
      {layout === 'middle' && session !== null && pane === 'health' && <HealthDrawer />}
    </main>
  )
}

interface ColumnDividerProps {
  label: string
  column: Column
  fitted: Fitted
  isBehind?: boolean
}

function ColumnDivider({ label, column, fitted, isBehind = false }: ColumnDividerProps) {
  return (
    <Divider
      label={label}
      orientation="vertical"
      value={fitted.width}
      least={fitted.least}
      most={fitted.most}
      step={16}
      isBehind={isBehind}
      valueAt={(fromStart, room) => (isBehind ? room - fromStart : fromStart)}
      onValue={width => setWidth(column, width)}
      onReset={() => setWidth(column, FIRST_WIDTHS[column])}
    />
  )
}

function Home() {
  return (
    <Suspense fallback={<Skeleton lines={8} />}>
      <HomeView />
    </Suspense>
  )
}
