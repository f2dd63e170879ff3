// Turns the events of a journal into changes, one event at a time. The same events give the same changes, and
// no event makes it throw.
import { asFields, type JsonRpcId } from '../envelope.ts'
import type { JournalEvent } from '../store/store.ts'
import { applyNote, isNote, MAX_NOTICE_CHARS } from './apply-notes.ts'
import type { ConversationChange } from './changes.ts'
import { beginPrompt, endPrompt, endRequest, endUnknownPrompt, noteRequest } from './client-requests.ts'
import { clipEnd, describeValue } from './clip.ts'
import { ASKING_METHODS, ask, settleQuestion } from './questions.ts'
import { makeState, type ReducerState, Step } from './state.ts'
import { applyUpdate } from './updates.ts'

/** Requests for files and terminals. They show in the tool that uses them. */
const QUIET = /^(fs|terminal)\/|^\$\/|^elicitation\/complete$/

export class ConversationReducer {
  /** For reading only. */
  readonly state: ReducerState = makeState()

  apply(event: JournalEvent): ConversationChange[] {
    const { seq, createdAt: at, connectionId } = event
    const step = new Step(this.state, { seq, at, connectionId })
    const message = asFields(event.envelope)
    const { method, params } = message
    const id = readId(message)
    if (typeof method !== 'string') applyResponse(step, event, id, message)
    else if (isNote(method, event.sender)) applyNote(step, method, event.envelope)
    else if (event.sender === 'client') applyRequest(step, method, id, params)
    else applyFromAgent(step, method, id, params)
    return step.changes
  }

  /** An event that cannot be read. */
  skip(seq: number, at: number): ConversationChange[] {
    return [{ seq, at, type: 'notice', kind: 'skipped', text: 'This event cannot be read.' }]
  }
}

function readId({ id }: Record<string, unknown>): JsonRpcId | undefined {
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined
}

function applyRequest(step: Step, method: string, id: JsonRpcId | undefined, params: unknown): void {
  if (id === undefined) return
  if (method === 'session/prompt') beginPrompt(step, id, params)
  else noteRequest(step, method, id, params)
}

function applyFromAgent(step: Step, method: string, id: JsonRpcId | undefined, params: unknown): void {
  if (method === 'session/update') applyUpdate(step, asFields(params)['update'])
  else if (id !== undefined && ASKING_METHODS.includes(method)) ask(step, method, id, params)
  else if (!QUIET.test(method)) step.notice('method', clipEnd(method, MAX_NOTICE_CHARS))
}

function applyResponse(
  step: Step,
  event: JournalEvent,
  id: JsonRpcId | undefined,
  message: Record<string, unknown>,
): void {
  const isResponse = id !== undefined && ('result' in message || 'error' in message)
  if (!isResponse) step.notice('garbage', clipEnd(describeValue(event.envelope), MAX_NOTICE_CHARS))
  else if (event.sender === 'client') settleQuestion(step, id, message)
  else if (!endPrompt(step, id, message) && !endRequest(step, id, message)) endUnknownPrompt(step, message)
}
