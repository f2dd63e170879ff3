// The xterms of the panes. The code is loaded with the first one, because most pages open no terminal.
import type { TerminalView } from './terminal-view.ts'
import type { ViewEvents } from './view-events.ts'

const views = new Map<string, TerminalView>()
const dropped = new Set<string>()

export function viewOf(pane: string): TerminalView | undefined {
  return views.get(pane)
}

/** Mounts the xterm of the pane, and creates it if needed. Returns whether it exists. */
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
