// Applies the messages of the server about terminals to the panes.
import type { ServerMessageOf, TerminalInfo } from '../../../src/server/protocol.ts'
import { listen } from '../state/socket.ts'
import { allPanes, changePane, dock, focusPane, removeFromDock, terminals } from './dock.ts'
import { forgetSession, isLost, notifyLost, publishStatus } from './lost-sessions.ts'
import { advance, answered, forgetRequests, setAttached } from './requests.ts'
import { dropView, viewOf } from './views.ts'

/** Panes that the user just opened. They get the focus as soon as a program runs in them. */
export const takesFocus = new Set<string>()
/** Panes whose program has just started and has not been displayed. */
const unseen = new Set<string>()

export function followTerminals(): () => void {
  const stops = [
    listen('ready', startOver),
    listen('terminal.list', message => takeList(message.terminals)),
    listen('terminal.waiting', wait),
    listen('terminal.created', open),
    listen('terminal.attached', show),
    listen('terminal.output', ({ terminalId, data }) => {
      for (const { id } of panesWith(terminalId)) viewOf(id)?.write(data)
    }),
    listen('terminal.exit', ({ terminalId, code, signal }) => {
      terminals.set(before =>
        before.map(one => (one.terminalId === terminalId ? { ...one, exit: { code, signal } } : one)),
      )
    }),
    listen('error', fail),
    listen('session.status', publishStatus),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

function panesWith(terminalId: string) {
  return allPanes().filter(pane => pane.terminalId === terminalId)
}

function takeList(list: readonly TerminalInfo[]): void {
  terminals.set(list)
  for (const { id, terminalId, phase } of allPanes()) {
    const isThere = list.some(terminal => terminal.terminalId === terminalId)
    if (terminalId !== null && !isThere && phase.type === 'open') changePane(id, { phase: { type: 'gone' } })
    advance(id)
  }
}

/** Repeats the requests of the old connection. */
function startOver({ terminals: list }: ServerMessageOf<'ready'>): void {
  forgetRequests()
  for (const { id, phase } of allPanes()) if (phase.type === 'waiting') changePane(id, { phase: { type: 'asking' } })
  takeList(list)
}

function wait({ requestId, phase, text, choices, secondsLeft }: ServerMessageOf<'terminal.waiting'>): void {
  const request = answered(requestId, false)
  if (request !== undefined) changePane(request.pane, { phase: { type: 'waiting', phase, text, choices, secondsLeft } })
}

function open({ requestId, terminal, isExisting, notice }: ServerMessageOf<'terminal.created'>): void {
  const request = answered(requestId)
  if (request === undefined) return
  const { pane } = request
  const [other] = isExisting ? panesWith(terminal.terminalId) : []
  if (other !== undefined) {
    removeFromDock(pane)
    dropView(pane)
    focusPane(other.id)
    viewOf(other.id)?.terminal.focus()
    return
  }
  terminals.set(before => [...before.filter(one => one.terminalId !== terminal.terminalId), terminal])
  const { terminalId, title } = terminal
  changePane(pane, { terminalId, title, phase: { type: 'open' }, notice })
  if (!isExisting) unseen.add(pane)
  if (notice?.kind === 'not-resumed') {
    const { session } = dock.get().panes[pane]?.wanted ?? {}
    if (session !== undefined) forgetSession(session)
    if (isLost(notice.status)) notifyLost(session ?? terminalId, notice.status, notice.text)
    changePane(pane, {
      wanted: { cwd: terminal.folder, ...(terminal.agent === null ? {} : { agent: terminal.agent }) },
    })
  }
  advance(pane)
}

function show({ requestId, screen, terminal }: ServerMessageOf<'terminal.attached'>): void {
  const request = answered(requestId)
  const view = request === undefined ? undefined : viewOf(request.pane)
  if (request === undefined || view === undefined) return
  setAttached(request.pane, true)
  view.replay(screen, unseen.delete(request.pane))
  changePane(request.pane, { title: terminal.title })
  if (takesFocus.delete(request.pane)) view.terminal.focus()
}

function fail({ requestId, code, text, hint, offers }: ServerMessageOf<'error'>): void {
  const request = answered(requestId)
  if (request === undefined) return
  changePane(request.pane, {
    phase: request.wanted === 'screen' ? { type: 'gone' } : { type: 'failed', code, text, hint, offers },
  })
}
