// The terminals below the conversation: tabs of panes side by side. On a phone one pane fills the screen.
import { useEffect } from 'react'
import { Button } from '../common/button.tsx'
import { Divider } from '../common/divider.tsx'
import { IconTerminal } from '../common/icons.tsx'
import { EmptyState } from '../common/states.tsx'
import { useLayout } from '../common/use-layout.ts'
import { useShortcut } from '../keyboard.ts'
import { openTerminal } from '../state/actions.ts'
import { useStore } from '../state/store.ts'
import { CloseDialog } from './close-dialog.tsx'
import type { Dock } from './dock.ts'
import { dock, FIRST_HEIGHT, LEAST_HEIGHT, MOST_HEIGHT, resizeDock } from './dock.ts'
import { followTerminals } from './follow-server.ts'
import { OtherTerminals } from './other-terminals.tsx'
import { LEAVE_KEY } from './pane-keys.ts'
import type { Tree } from './split-tree.ts'
import { panesOf } from './split-tree.ts'
import { SplitView } from './split-view.tsx'
import { TabStrip } from './tab-strip.tsx'
import { viewOf } from './views.ts'

export function TerminalPanes() {
  const layout = useLayout()
  const now = useStore(dock)
  useEffect(followTerminals, [])
  const hasPanes = now.tabs.length > 0
  useShortcut(LEAVE_KEY, 'Enter or leave the terminal', () => enter(now), hasPanes)
  if (layout === 'narrow')
    return (
      <div data-terminals className="flex h-full min-h-0 flex-col">
        {hasPanes ? <Tabs now={now} isPhone /> : <NoTerminal />}
        <OtherTerminals />
        <CloseDialog />
      </div>
    )
  return (
    <>
      {hasPanes && <Docked now={now} />}
      <OtherTerminals />
      <CloseDialog />
    </>
  )
}

function enter({ focused }: Dock): boolean {
  const shown = viewOf(focused ?? '')
  shown?.terminal.focus()
  return shown !== undefined
}

function Docked({ now }: { now: Dock }) {
  const { height, isMaximised } = now
  return (
    <section
      aria-label="Terminals"
      data-terminals
      className="relative z-10 flex min-h-32 shrink-0 flex-col bg-page"
      style={{ height: isMaximised ? '100%' : `${height * 100}%` }}
    >
      {!isMaximised && (
        <Divider
          label="Height of the terminals"
          orientation="horizontal"
          value={height * 100}
          least={LEAST_HEIGHT * 100}
          most={MOST_HEIGHT * 100}
          step={5}
          isBehind
          // The line divides the column, so its position is measured in the column.
          roomOf={line => line.closest('main')}
          valueAt={(fromStart, room) => 100 - (fromStart / room) * 100}
          onValue={value => resizeDock(value / 100)}
          onReset={() => resizeDock(FIRST_HEIGHT)}
        />
      )}
      <Tabs now={now} isPhone={false} />
    </section>
  )
}

/** All tabs stay mounted; one is visible. */
function Tabs({ now, isPhone }: { now: Dock; isPhone: boolean }) {
  const layout = useLayout()
  const trees: Tree[] = isPhone
    ? now.tabs.flatMap(tab => panesOf(tab).map(pane => ({ type: 'pane' as const, pane })))
    : now.tabs
  const groups = trees.map(panesOf)
  const at = Math.max(
    0,
    groups.findIndex(group => now.focused !== null && group.includes(now.focused)),
  )
  return (
    <>
      {(trees.length > 1 || trees[0]?.type === 'split') && <TabStrip groups={groups} at={at} />}
      {trees.map((tree, index) => (
        <div key={groups[index]?.[0]} className={`min-h-0 flex-1 ${index === at ? 'flex' : 'hidden'}`}>
          <SplitView tree={tree} layout={layout} />
        </div>
      ))}
    </>
  )
}

function NoTerminal() {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <EmptyState title="No terminal is open">
        <p>Resume a conversation to continue it here. It is repaired first if needed.</p>
        <Button icon={<IconTerminal size={14} />} onClick={() => openTerminal()}>
          Open a terminal
        </Button>
      </EmptyState>
    </div>
  )
}
