// Requests of the client other than prompts whose responses mean something.
import { fields, type JsonRpcId } from '../envelope.ts'
import { readString } from './blocks.ts'
import { questionKey } from './questions.ts'
import { MAX_PENDING_REQUESTS, type Step, takeOldest } from './state.ts'
import { closeLoose, leaveOtherConnections } from './turns.ts'

const OPENING_METHODS: readonly string[] = ['session/new', 'session/load', 'session/resume', 'session/fork']

export function noteRequest(step: Step, method: string, id: JsonRpcId, params: unknown): void {
  const isOpening = OPENING_METHODS.includes(method)
  if (!isOpening && method !== 'session/set_mode') return
  if (isOpening) leaveOtherConnections(step)
  const { requests } = step.state
  const mode = readString(fields(params)['modeId'])
  requests.set(questionKey(step.connectionId, id), { method, mode })
  takeOldest(requests, MAX_PENDING_REQUESTS)
}

/** False where nobody asked. */
export function endRequest(step: Step, id: JsonRpcId, message: Record<string, unknown>): boolean {
  const key = questionKey(step.connectionId, id)
  const request = step.state.requests.get(key)
  if (request === undefined) return false
  step.state.requests.delete(key)
  // What an agent tells while it loads is told when it answers.
  if (request.method === 'session/load') closeLoose(step)
  if (message['error'] !== undefined) return true
  const mode = request.mode ?? readString(fields(fields(message['result'])['modes'])['currentModeId'])
  if (mode !== undefined) step.emit({ type: 'mode', mode })
  return true
}
