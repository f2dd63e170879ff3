// The open terminal panes and their positions. Stored by the browser tab, so that a reload restores them.
import type { TerminalInfo } from '../../../src/server/protocol.ts'
import { makeStore } from '../state/store.ts'
import type { Dock, Phase, TerminalPane, Wanted } from './dock-schema.ts'
import { dockSchema } from './dock-schema.ts'
import type { Direction } from './split-tree.ts'
import { panesOf, setShare, splitPane, withoutPane } from './split-tree.ts'

export type { Dock, Phase, TerminalPane as Pane, Wanted }

const KEY = 'rethread.terminals'
/** Heights are shares of the column. */
export const FIRST_HEIGHT = 0.45
export const LEAST_HEIGHT = 0.1
export const MOST_HEIGHT = 0.9

const EMPTY: Dock = { panes: {}, tabs: [], focused: null, height: FIRST_HEIGHT, isMaximised: false }

export const dock = makeStore<Dock>(load())
/** All terminals of the server, shown here or not. */
export const terminals = makeStore<readonly TerminalInfo[]>([])

dock.subscribe(() => {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(dock.get()))
  } catch {
    // Without browser storage the panes are lost with the page.
  }
})

/** Panes that were waiting before a reload wait again. */
function load(): Dock {
  try {
    const parsed = dockSchema.safeParse(JSON.parse(sessionStorage.getItem(KEY) ?? 'null'))
    if (!parsed.success) return EMPTY
    const panes = Object.values(parsed.data.panes).map(pane =>
      pane.phase.type === 'waiting' ? { ...pane, phase: { type: 'asking' as const } } : pane,
    )
    return { ...parsed.data, panes: Object.fromEntries(panes.map(pane => [pane.id, pane])) }
  } catch {
    return EMPTY
  }
}

export function allPanes(): TerminalPane[] {
  return Object.values(dock.get().panes)
}

export function changePane(id: string, changes: Partial<TerminalPane>): void {
  dock.set(before => {
    const pane = before.panes[id]
    return pane === undefined ? before : { ...before, panes: { ...before.panes, [id]: { ...pane, ...changes } } }
  })
}

/** Also works without TLS, where the browser offers no UUIDs. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(6))].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Adds the pane in its own tab, or beside another pane. */
export function addPane(
  facts: Pick<TerminalPane, 'title' | 'wanted'> & { terminalId?: string },
  beside?: { pane: string; direction: Direction },
): string {
  const id = newId()
  const { terminalId = null } = facts
  const phase: Phase = terminalId === null ? { type: 'asking' } : { type: 'open' }
  const pane: TerminalPane = { id, title: facts.title, wanted: facts.wanted, terminalId, phase, notice: null }
  dock.set(before => ({
    ...before,
    panes: { ...before.panes, [id]: pane },
    tabs:
      beside === undefined
        ? [...before.tabs, { type: 'pane', pane: id }]
        : before.tabs.map(tab => splitPane(tab, beside.pane, id, beside.direction)),
    focused: id,
  }))
  return id
}

export function removeFromDock(id: string): void {
  dock.set(before => {
    const { [id]: _gone, ...panes } = before.panes
    const at = before.tabs.findIndex(tab => panesOf(tab).includes(id))
    const tabs = before.tabs.flatMap(tab => withoutPane(tab, id) ?? [])
    const next = tabs[Math.min(Math.max(at, 0), tabs.length - 1)]
    const focused = before.focused === id ? (next === undefined ? null : (panesOf(next)[0] ?? null)) : before.focused
    return { ...before, panes, tabs, focused, isMaximised: before.isMaximised && tabs.length > 0 }
  })
}

export function focusPane(id: string): void {
  dock.set(before => (before.focused === id ? before : { ...before, focused: id }))
}

export function resizeSplit(split: string, share: number): void {
  dock.set(before => ({ ...before, tabs: before.tabs.map(tab => setShare(tab, split, share)) }))
}

export function resizeDock(height: number): void {
  dock.set(before => ({ ...before, height: Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, height)) }))
}

export function toggleMaximised(): void {
  dock.set(before => ({ ...before, isMaximised: !before.isMaximised }))
}
