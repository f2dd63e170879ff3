// The xterms of the panes. Their code is loaded with the first one: most who read a conversation open no terminal.
import type { TerminalView } from './terminal-view.ts'
import type { ViewEvents } from './view-events.ts'

const views = new Map<string, TerminalView>()
const dropped = new Set<string>()

export function viewOf(pane: string): TerminalView | undefined {
  return views.get(pane)
}

/** Puts the pane's xterm into its room; makes it where there is none. Returns whether it is there. */
export async function mountView(pane: string, room: HTMLElement, events: ViewEvents): Promise<boolean> {
  const { TerminalView } = await import('./terminal-view.ts')
  if (dropped.has(pane) || !room.isConnected) return false
  const view = views.get(pane) ?? new TerminalView(events)
  views.set(pane, view)
  view.mount(room)
  return true
}

export function dropView(pane: string): void {
  dropped.add(pane)
  views.get(pane)?.dispose()
  views.delete(pane)
}
