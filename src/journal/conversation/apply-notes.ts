// Applies the notes of rethread itself to the conversation.
import { NOTES, type NoteName, readNote } from '../store/notes.ts'
import type { Sender } from '../store/store.ts'
import { applyQueued, applyUnsent, endAllQueued, failPrompt, sendTaken, takePrompt } from './client-requests.ts'
import { clipEnd } from './clip.ts'
import type { Step } from './state.ts'
import { settleEverything } from './turns.ts'

/** The length of a notice. */
export const MAX_NOTICE_CHARS = 300

/** An agent may send a method of any name. Only these two notes have the agent as sender. */
const OF_AGENT: readonly string[] = ['_rethread/agent_exited', '_rethread/garbage']

export function isNote(method: string, sender: Sender): method is NoteName {
  return Object.hasOwn(NOTES, method) && OF_AGENT.includes(method) === (sender === 'agent')
}

export function applyNote(step: Step, name: NoteName, envelope: unknown): void {
  if (!APPLY[name](step, envelope)) step.notice('note', `${name} cannot be read.`)
}

/** Each returns false for a note that a newer rethread wrote in another form. */
const APPLY: Record<NoteName, (step: Step, envelope: unknown) => boolean> = {
  // A turn is settled, whatever else a newer note says.
  '_rethread/settled': step => {
    settleEverything(step)
    return true
  },
  '_rethread/restored': (step, envelope) => {
    const note = readNote('_rethread/restored', envelope)
    if (note !== undefined) step.emit({ type: 'restored', strategy: note.rung, text: note.text, lost: note.lost })
    return note !== undefined
  },
  '_rethread/forked': (step, envelope) => {
    const note = readNote('_rethread/forked', envelope)
    // What was open at the fork continues in the parent, not in the copy.
    settleEverything(step)
    endAllQueued(step)
    if (note !== undefined) step.emit({ type: 'forked', from: note.from })
    return note !== undefined
  },
  '_rethread/replayed': (step, envelope) => {
    const note = readNote('_rethread/replayed', envelope)
    if (note !== undefined) step.notice('replayed', `${note.entries} entries of the history`)
    return note !== undefined
  },
  '_rethread/prompt_taken': (step, envelope) => {
    const note = readNote('_rethread/prompt_taken', envelope)
    if (note !== undefined) takePrompt(step, note.token, note.params)
    return note !== undefined
  },
  '_rethread/prompt_sent': (step, envelope) => {
    const note = readNote('_rethread/prompt_sent', envelope)
    if (note !== undefined) sendTaken(step, note.token, note.request)
    return note !== undefined
  },
  '_rethread/prompt_failed': (step, envelope) => {
    const note = readNote('_rethread/prompt_failed', envelope)
    if (note === undefined) return false
    const { token, text, code, isCancelled = false } = note
    failPrompt(step, token, isCancelled ? undefined : { text, ...(code === undefined ? {} : { code }) })
    return true
  },
  '_rethread/agent_exited': (step, envelope) => {
    const note = readNote('_rethread/agent_exited', envelope)
    if (note === undefined) return false
    const how = note.signal === null ? `with status ${note.code ?? 'unknown'}` : `by ${note.signal}`
    step.notice('agent_exited', clipEnd(`The agent ended ${how}. ${note.stderr}`.trim(), MAX_NOTICE_CHARS))
    return true
  },
  '_rethread/queued': (step, envelope) => {
    const note = readNote('_rethread/queued', envelope)
    if (note !== undefined) applyQueued(step, note)
    return note !== undefined
  },
  '_rethread/unsent': (step, envelope) => {
    const note = readNote('_rethread/unsent', envelope)
    if (note !== undefined) applyUnsent(step, note)
    return note !== undefined
  },
  '_rethread/garbage': (step, envelope) => {
    const note = readNote('_rethread/garbage', envelope)
    if (note !== undefined) step.notice('garbage', clipEnd(note.beginning, MAX_NOTICE_CHARS))
    return note !== undefined
  },
}
