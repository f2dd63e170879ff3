// Actions on panes: resume, open, split, restart, close.
import { layoutNow } from '../common/use-layout.ts'
import { api } from '../state/api.ts'
import { send } from '../state/socket.ts'
import { makeStore } from '../state/store.ts'
import { showPane, view } from '../state/view.ts'
import type { Wanted } from './dock.ts'
import { addPane, allPanes, changePane, dock, focusPane, removeFromDock, terminals } from './dock.ts'
import { takesFocus } from './follow-server.ts'
import { advance, choose, pauseRequests, setAttached } from './requests.ts'
import type { Direction } from './split-tree.ts'
import { dropView, viewOf } from './views.ts'

/** The pane in the close dialog. */
export const closing = makeStore<string | null>(null)

/** Uses the terminal of the session if it is already open. */
export async function resumeHere(key: string): Promise<void> {
  const open = allPanes().find(pane => pane.wanted.session === key && !hasEnded(pane.id))
  if (open !== undefined) return goTo(open.id)
  const pane = addPane({ title: 'Conversation', wanted: { session: key } })
  const release = pauseRequests(pane)
  goTo(pane)
  // The agent and folder, in case the session is gone later.
  const detail = await api.session(key).catch(() => undefined)
  if (detail !== undefined) {
    const { agent, sessionId, project, title } = detail
    const wanted: Wanted = { session: key, sessionId, agent, ...(project === null ? {} : { cwd: project }) }
    changePane(pane, { wanted, title: title ?? sessionId })
  }
  release()
}

/** Opens a shell, by default in the folder of the open conversation. */
export async function openShell(folder?: string): Promise<void> {
  const pane = addPane({ title: 'Terminal', wanted: folder === undefined ? {} : { cwd: folder } })
  const release = pauseRequests(pane)
  goTo(pane)
  const { session } = view.get()
  if (folder === undefined && session !== null) {
    const project = (await api.session(session).catch(() => undefined))?.project
    if (project != null) changePane(pane, { wanted: { cwd: project } })
  }
  release()
}

/** Opens a shell in the same folder. */
export function splitHere(pane: string, direction: Direction): void {
  const { terminalId, wanted } = dock.get().panes[pane] ?? {}
  const folder = terminals.get().find(terminal => terminal.terminalId === terminalId)?.folder ?? wanted?.cwd
  goTo(addPane({ title: 'Terminal', wanted: folder === undefined ? {} : { cwd: folder } }, { pane, direction }))
}

/** Opens a terminal of the server that has no pane in this page. */
export function showTerminal(terminalId: string): void {
  const terminal = terminals.get().find(one => one.terminalId === terminalId)
  if (terminal === undefined) return
  const { title, sessionKey, sessionId, agent, folder } = terminal
  const wanted: Wanted = {
    cwd: folder,
    ...(agent === null ? {} : { agent }),
    ...(sessionKey === null ? {} : { session: sessionKey }),
    ...(sessionId === null ? {} : { sessionId }),
  }
  goTo(addPane({ title, wanted, terminalId }))
}

/** Resumes the session or restarts the program in the same pane. */
export function startAgain(pane: string, changes: Partial<Wanted> = {}): void {
  const { terminalId, wanted } = dock.get().panes[pane] ?? {}
  if (terminalId != null) endTerminal(terminalId)
  setAttached(pane, false)
  viewOf(pane)?.terminal.reset()
  changePane(pane, { terminalId: null, phase: { type: 'asking' }, notice: null, wanted: { ...wanted, ...changes } })
  takesFocus.add(pane)
  advance(pane)
}

/** Asks first if a program is running. */
export function closePane(pane: string): void {
  const { phase } = dock.get().panes[pane] ?? {}
  if (phase?.type === 'open' && !hasEnded(pane)) closing.set(pane)
  else removePane(pane, true)
}

export function removePane(pane: string, isEnded: boolean): void {
  const { terminalId, phase } = dock.get().panes[pane] ?? {}
  if (phase?.type === 'waiting' || phase?.type === 'asking') choose(pane, 'cancel')
  if (terminalId != null && isEnded) endTerminal(terminalId)
  else if (terminalId != null) send({ type: 'terminal.detach', terminalId })
  setAttached(pane, false)
  removeFromDock(pane)
  dropView(pane)
  const { focused } = dock.get()
  if (focused !== null) viewOf(focused)?.terminal.focus()
  else if (layoutNow() === 'narrow') showPane(view.get().session === null ? 'list' : 'conversation')
}

export function hasEnded(pane: string): boolean {
  const { terminalId, phase } = dock.get().panes[pane] ?? {}
  if (phase?.type === 'gone' || phase?.type === 'failed') return true
  const known = terminals.get().find(terminal => terminal.terminalId === terminalId)
  return known !== undefined && known.exit !== null
}

function endTerminal(terminalId: string): void {
  if (terminals.get().some(terminal => terminal.terminalId === terminalId)) send({ type: 'terminal.close', terminalId })
}

/** Shows the pane, and focuses it as soon as a program runs in it. */
function goTo(pane: string): void {
  takesFocus.add(pane)
  focusPane(pane)
  const layout = layoutNow()
  if (layout === 'narrow') showPane('terminal')
  else if (layout === 'middle' && view.get().pane === 'health') showPane('conversation')
  const shown = viewOf(pane)
  if (shown !== undefined && !hasEnded(pane)) shown.terminal.focus()
}
