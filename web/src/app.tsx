// The page: list, conversation and health side by side, or one at a time on a narrow screen.
import type { CSSProperties } from 'react'
import { useEffect } from 'react'
import { Toaster } from 'sonner'
import { DifferenceDialog } from './archive/difference-dialog.tsx'
import { RestoreDialog } from './archive/restore-dialog.tsx'
import { followFigures } from './catalog/figures.ts'
import { loadServerInfo } from './common/server.ts'
import { useLayout } from './common/use-layout.ts'
import { MoveDialog } from './doctor/move-dialog.tsx'
import { ConnectionBar, DemoBar } from './frame/bars.tsx'
import { GlobalShortcuts } from './frame/global-shortcuts.tsx'
import { Header } from './frame/header.tsx'
import { Help } from './frame/help.tsx'
import { overlay } from './frame/overlay.ts'
import { usePageTitle } from './frame/page-title.ts'
import { Palette } from './frame/palette.tsx'
import { Panes } from './frame/panes.tsx'
import { RepairAllDialog } from './frame/repair-all.tsx'
import { SkipLink } from './frame/skip-link.tsx'
import { RepairDialog } from './health/repair-dialog.tsx'
import { startKeyboard } from './keyboard.ts'
import { listen } from './state/socket.ts'
import { useStore } from './state/store.ts'
import { NewConversation } from './talk/new-conversation.tsx'
import { theme } from './theme.ts'

const TOAST_STYLE: CSSProperties & Record<`--${string}`, string> = {
  '--normal-bg': 'var(--raised)',
  '--normal-text': 'var(--strong)',
  '--normal-border': 'var(--line-strong)',
  '--border-radius': '6px',
  '--width': '296px',
  '--font': 'inherit',
}

export function App() {
  const layout = useLayout()
  const isNarrow = layout === 'narrow'
  usePageTitle(isNarrow)
  useEffect(startKeyboard, [])
  useEffect(followFigures, [])
  useEffect(() => {
    void loadServerInfo()
    return listen('ready', () => void loadServerInfo())
  }, [])
  return (
    <div className="flex h-full min-w-0 flex-col overflow-hidden">
      <SkipLink />
      <GlobalShortcuts />
      <Header layout={layout} />
      <DemoBar layout={layout} />
      <ConnectionBar />
      <Panes layout={layout} />
      <Overlays />
      <RepairDialog />
      <RestoreDialog />
      <DifferenceDialog />
      <MoveDialog />
      {/* Over the list, on a phone at the top: never over the buttons of the open pane. */}
      <Toaster
        theme={useStore(theme)}
        style={TOAST_STYLE}
        position={isNarrow ? 'top-center' : 'bottom-left'}
        offset={12}
        closeButton
      />
    </div>
  )
}

function Overlays() {
  const open = useStore(overlay)
  switch (open) {
    case 'palette':
      return <Palette />
    case 'help':
      return <Help />
    case 'repair-all':
      return <RepairAllDialog />
    case 'new-conversation':
      return <NewConversation />
    case null:
      return null
  }
}
