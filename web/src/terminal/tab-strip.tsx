// One tab for each group of panes; on a phone one for each pane.
import type { KeyboardEvent } from 'react'
import { useEffect, useRef } from 'react'
import { AgentMark } from '../common/agent-mark.tsx'
import { cleanLine } from '../common/clean.ts'
import { IconButton } from '../common/icon-button.tsx'
import { IconPlus, IconTerminal } from '../common/icons.tsx'
import { openTerminal } from '../state/actions.ts'
import { useStore } from '../state/store.ts'
import { dock, focusPane } from './dock.ts'
import { hasEnded } from './pane-actions.ts'
import { viewOf } from './views.ts'

export function TabStrip({ groups, at }: { groups: readonly (readonly string[])[]; at: number }) {
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = groups[(at + by + groups.length) % groups.length]?.[0]
    if (by === 0 || next === undefined) return
    event.preventDefault()
    focusPane(next)
    requestAnimationFrame(() => document.getElementById(`terminal-tab-${next}`)?.focus())
  }
  return (
    <div className="flex h-9 shrink-0 items-center gap-1 border-line border-b bg-page px-1">
      <div
        role="tablist"
        aria-label="Terminals"
        onKeyDown={step}
        className="flex min-w-0 items-center overflow-x-auto [scrollbar-width:none]"
      >
        {groups.map((group, index) => (
          <Tab key={group[0]} group={group} isShown={index === at} />
        ))}
      </div>
      <IconButton size="sm" label="New terminal in a tab" onClick={() => openTerminal()}>
        <IconPlus size={14} />
      </IconButton>
    </div>
  )
}

function Tab({ group, isShown }: { group: readonly string[]; isShown: boolean }) {
  const { panes } = useStore(dock)
  const [first = ''] = group
  const tab = useRef<HTMLButtonElement>(null)
  const title = panes[first]?.title
  // Scrolls the shown tab fully into view. Its title may arrive later and make it wider.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the title makes it as wide as it is
  useEffect(() => {
    if (isShown) tab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isShown, title])
  const pane = panes[first]
  if (pane === undefined) return null
  const { agent } = pane.wanted
  const show = () => {
    focusPane(first)
    viewOf(first)?.terminal.focus()
  }
  return (
    <button
      ref={tab}
      type="button"
      role="tab"
      id={`terminal-tab-${first}`}
      aria-selected={isShown}
      tabIndex={isShown ? 0 : -1}
      onClick={show}
      className={`flex h-7 max-w-48 shrink-0 items-center gap-1.5 rounded-md px-2 text-sm -outline-offset-2 ${
        isShown ? 'bg-hover font-medium text-strong' : 'text-quiet hover:text-strong'
      } ${hasEnded(first) ? 'italic' : ''}`}
    >
      {agent === undefined ? <IconTerminal size={14} /> : <AgentMark agent={agent} size={14} />}
      <span className="min-w-0 truncate">{cleanLine(pane.title)}</span>
      {group.length > 1 && <span className="text-quiet text-xs">+{group.length - 1}</span>}
    </button>
  )
}
