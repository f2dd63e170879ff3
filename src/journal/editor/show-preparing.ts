// Shows an editor what is done before its prompt reaches the agent: the agent is
// started, and restore strategies are tried. It is a tool call whose title counts the
// seconds. It is not in the journal, so no history has it.
import { randomUUID } from 'node:crypto'
import { describePreparing, type PreparingSteps } from '../restore/preparing.ts'
import type { EditorWire } from './editor-wire.ts'
import { updateLine } from './history.ts'

/** Most agents are ready before. */
const SHOW_AFTER_MS = 2000
const SHOW_EVERY_MS = 1000

export interface ShowPreparingOptions {
  steps: PreparingSteps
  wire: EditorWire
  /** Whether the editor knows the session. */
  isKnown(sessionId: string): boolean
  afterMs?: number | undefined
}

interface Shown {
  timer: NodeJS.Timeout
  /** Undefined until the editor has it. */
  callId: string | undefined
}

/** Returns a function that stops. */
export function showPreparing({ steps, wire, isKnown, afterMs = SHOW_AFTER_MS }: ShowPreparingOptions): () => void {
  const shown = new Map<string, Shown>()
  const write = (sessionId: string, update: object): void => void wire.write(updateLine(sessionId, update))
  const tick = (sessionId: string): void => {
    const [step, current] = [steps.get(sessionId), shown.get(sessionId)]
    if (step === undefined || current === undefined) return
    const title = describePreparing(step, Date.now())
    const isFirst = current.callId === undefined
    current.callId ??= `rethread-${randomUUID()}`
    const { callId: toolCallId } = current
    write(
      sessionId,
      isFirst
        ? { sessionUpdate: 'tool_call', toolCallId, title, kind: 'other', status: 'in_progress' }
        : { sessionUpdate: 'tool_call_update', toolCallId, title },
    )
    current.timer = setTimeout(tick, SHOW_EVERY_MS, sessionId)
  }
  const end = (sessionId: string): void => {
    const { timer, callId: toolCallId } = shown.get(sessionId) ?? {}
    shown.delete(sessionId)
    clearTimeout(timer)
    if (toolCallId !== undefined)
      write(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' })
  }
  const stopListening = steps.on(sessionId => {
    if (steps.get(sessionId) === undefined) end(sessionId)
    else if (isKnown(sessionId) && !shown.has(sessionId))
      shown.set(sessionId, { timer: setTimeout(tick, afterMs, sessionId), callId: undefined })
  })
  return () => {
    stopListening()
    for (const sessionId of [...shown.keys()]) end(sessionId)
  }
}
