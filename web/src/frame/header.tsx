// The header: how many conversations there are, how many need repair, and access to everything else.
import type { ReactNode } from 'react'
import { counts } from '../catalog/figures.ts'
import { showFiltered } from '../catalog/filters.ts'
import { NO_FILTERS } from '../catalog/query.ts'
import { Button } from '../common/button.tsx'
import { formatCount, plural } from '../common/format.ts'
import { IconButton } from '../common/icon-button.tsx'
import { IconChevronLeft, IconHelp, IconPanelRight, IconPlus, IconSearch } from '../common/icons.tsx'
import type { Layout } from '../common/use-layout.ts'
import { keyName } from '../keyboard.ts'
import { useStore } from '../state/store.ts'
import { view } from '../state/view.ts'
import { goBack, leadHome } from './back.ts'
import { healthShown } from './health-shown.ts'
import { NEW_CONVERSATION, overlay } from './overlay.ts'
import { RepairAllState } from './repair-all.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export function Header({ layout }: { layout: Layout }) {
  const { session, pane } = useStore(view)
  const isNarrow = layout === 'narrow'
  // On a phone an open conversation has its own head with a back button.
  if (isNarrow && session !== null && pane === 'conversation') return null
  const hasBack = isNarrow && pane !== 'list'
  return (
    <header className="shrink-0 border-line border-b bg-page">
      <div className="flex h-12 items-center gap-1 px-2">
        {hasBack && <BackButton />}
        <Name />
        {!isNarrow && <Figures />}
        <span className="flex-1" />
        <NewButton isNarrow={isNarrow} />
        <PaletteButton isNarrow={isNarrow} />
        {layout === 'wide' && session !== null && <HealthToggle />}
        <IconButton label="Keyboard and help" onClick={() => overlay.set('help')}>
          <IconHelp size={18} />
        </IconButton>
        <ThemeSwitch />
      </div>
      {isNarrow && pane === 'list' && (
        <div className="flex min-h-10 items-center px-2 pb-2">
          <Figures />
        </div>
      )}
    </header>
  )
}

function Name() {
  return (
    <h1 className="text-base">
      <button
        type="button"
        onClick={leadHome}
        title="Home"
        className="flex h-8 items-center gap-2 rounded-md px-2 font-semibold text-strong hover:bg-hover"
      >
        <img src="/icon.svg" alt="" width="18" height="18" />
        rethread
      </button>
    </h1>
  )
}

function BackButton() {
  return (
    <Button variant="quiet" icon={<IconChevronLeft />} onClick={goBack} className="-ml-1">
      Back
    </Button>
  )
}

function Figures() {
  const now = useStore(counts)
  if (now === null || now.sessions === 0) return null
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-1 px-2 text-quiet text-sm">
      <Figure onClick={() => showFiltered(NO_FILTERS)}>{plural(now.sessions, 'conversation')}</Figure>
      <span aria-hidden="true">·</span>
      {now.needRepair === 0 ? (
        <span>none {now.byStatus.unchecked === undefined ? 'needs' : 'known to need'} repair</span>
      ) : (
        <Figure onClick={() => showFiltered({ health: 'need-repair' })}>
          <span className="font-medium text-damaged">
            {formatCount(now.needRepair)} {now.needRepair === 1 ? 'needs' : 'need'} repair
          </span>
        </Figure>
      )}
      <RepairAllState counts={now} />
    </div>
  )
}

function Figure({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="whitespace-nowrap rounded hover:text-strong hover:underline">
      {children}
    </button>
  )
}

function NewButton({ isNarrow }: { isNarrow: boolean }) {
  const open = () => overlay.set('new-conversation')
  if (isNarrow)
    return (
      <IconButton label={NEW_CONVERSATION} onClick={open}>
        <IconPlus size={18} />
      </IconButton>
    )
  return (
    <Button size="sm" icon={<IconPlus size={14} />} shortcut="c" onClick={open} className="mr-1">
      {NEW_CONVERSATION}
    </Button>
  )
}

function PaletteButton({ isNarrow }: { isNarrow: boolean }) {
  const open = () => overlay.set('palette')
  if (isNarrow)
    return (
      <IconButton label="Search and actions" onClick={open}>
        <IconSearch size={18} />
      </IconButton>
    )
  return (
    <Button size="sm" icon={<IconSearch size={14} />} shortcut={keyName('mod+k')} onClick={open} className="text-quiet">
      Search
    </Button>
  )
}

function HealthToggle() {
  const isShown = useStore(healthShown)
  return (
    <IconButton
      label={isShown ? 'Hide the health panel' : 'Show the health panel'}
      onClick={() => healthShown.set(before => !before)}
    >
      <IconPanelRight size={18} />
    </IconButton>
  )
}
