// Requests to the server for a pane: a terminal, the screen of one, and input.
import type { ClientMessageOf } from '../../../src/server/protocol.ts'
import { send } from '../state/socket.ts'
import { changePane, dock, newId, terminals } from './dock.ts'
import type { Size } from './view-events.ts'
import { viewOf } from './views.ts'

export type ResumeChoice = ClientMessageOf<'terminal.choose'>['choice']

/** A paste is sent in pieces that fit into a frame even if every character is escaped. */
const PIECE_CHARS = 32 * 1024
const RESIZE_PAUSE_MS = 120

/** By request id. */
const asked = new Map<string, { pane: string; wanted: 'terminal' | 'screen' }>()
/** Panes that receive output. */
const attached = new Set<string>()
/** Panes that wait for details of their session before they send a request. */
const paused = new Set<string>()
const resizes = new Map<string, ReturnType<typeof setTimeout>>()

/** Sends the next request of a pane that has a size. Called whenever its state may have changed. */
export function advance(pane: string): void {
  const { terminalId, phase, wanted } = dock.get().panes[pane] ?? {}
  const size = viewOf(pane)?.size
  if (phase === undefined || size === undefined || paused.has(pane) || isAsked(pane)) return
  if (terminalId != null) {
    if (!attached.has(pane) && phase.type === 'open' && isListed(terminalId))
      ask(pane, 'screen', requestId => send({ type: 'terminal.attach', requestId, terminalId, ...size }))
  } else if (phase.type === 'asking') {
    const { session, agent, cwd, makeFolder } = wanted ?? {}
    const named = {
      ...(session === undefined ? {} : { resumeSessionId: session }),
      ...(agent === undefined ? {} : { agent }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(makeFolder === undefined ? {} : { makeFolder }),
    }
    ask(pane, 'terminal', requestId => send({ type: 'terminal.create', requestId, ...named, ...size }))
  }
}

/** Sends no request for the pane until the returned function is called. */
export function pauseRequests(pane: string): () => void {
  paused.add(pane)
  return () => {
    paused.delete(pane)
    advance(pane)
  }
}

function ask(pane: string, wanted: 'terminal' | 'screen', say: (requestId: string) => boolean): void {
  const requestId = newId()
  if (say(requestId)) asked.set(requestId, { pane, wanted })
}

function isAsked(pane: string): boolean {
  return [...asked.values()].some(request => request.pane === pane)
}

function isListed(terminalId: string): boolean {
  return terminals.get().some(terminal => terminal.terminalId === terminalId)
}

/** The request of an answer. With `isLast` false more answers follow. */
export function answered(requestId: string | undefined, isLast = true): { pane: string; wanted: string } | undefined {
  if (requestId === undefined) return undefined
  const request = asked.get(requestId)
  if (isLast) asked.delete(requestId)
  return request
}

/** After a reconnection the old requests will not be answered. */
export function forgetRequests(): void {
  asked.clear()
  attached.clear()
}

export function setAttached(pane: string, isAttached: boolean): void {
  if (isAttached) attached.add(pane)
  else attached.delete(pane)
}

export function choose(pane: string, choice: ResumeChoice): void {
  for (const [requestId, request] of asked) {
    if (request.pane !== pane || request.wanted !== 'terminal') continue
    send({ type: 'terminal.choose', requestId, choice })
    if (choice === 'cancel') asked.delete(requestId)
  }
  if (choice === 'wait')
    changePane(pane, { phase: { type: 'waiting', phase: 'checking', text: 'Waiting.', choices: [] } })
}

export function type(pane: string, data: string): void {
  const terminalId = dock.get().panes[pane]?.terminalId
  if (terminalId == null || !attached.has(pane)) return
  for (let at = 0; at < data.length; at += PIECE_CHARS)
    send({ type: 'terminal.input', terminalId, data: data.slice(at, at + PIECE_CHARS) })
}

export function sendSize(pane: string, size: Size): void {
  advance(pane)
  clearTimeout(resizes.get(pane))
  const sendNow = () => {
    const terminalId = dock.get().panes[pane]?.terminalId
    if (terminalId != null && attached.has(pane)) send({ type: 'terminal.resize', terminalId, ...size })
  }
  resizes.set(pane, setTimeout(sendNow, RESIZE_PAUSE_MS))
}

/** Output arrives faster than it can be drawn. The server stores the end of it meanwhile. */
export function pauseOutput(pane: string): void {
  const terminalId = dock.get().panes[pane]?.terminalId
  if (terminalId != null && attached.delete(pane)) send({ type: 'terminal.detach', terminalId })
}
