// Requests of the agent that a person has to answer.
import { asFields, type JsonRpcId } from '../envelope.ts'
import { readString } from './blocks.ts'
import type { AgentQuestion, QuestionEnd } from './changes.ts'
import { MAX_WAITING_QUESTIONS, type Step, takeOldest } from './state.ts'
import { upsertTool } from './tools.ts'

/** In the `_meta` of a permission: it is a choice, not a permission. */
export const QUESTION_MARK = 'rethread/question'

export const ASKING_METHODS: readonly string[] = ['session/request_permission', 'elicitation/create']

/** The key that an answer names. */
export function questionKey(connectionId: string, id: JsonRpcId): string {
  return `${connectionId}/${JSON.stringify(id)}`
}

/** The connection in a key. */
export function connectionOf(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

export function ask(step: Step, method: string, id: JsonRpcId, params: unknown): void {
  const key = questionKey(step.connectionId, id)
  const { _meta: meta, toolCall } = asFields(params)
  const isPermission = method === 'session/request_permission' && !asFields(meta)[QUESTION_MARK]
  const callId = readString(asFields(toolCall)['toolCallId'])
  const question: AgentQuestion = {
    key,
    type: isPermission ? 'permission' : 'question',
    createdAt: step.at,
    params,
    ...(callId === undefined ? {} : { callId }),
  }
  const { questions } = step.state
  // A permission describes its tool, which the agent may not have reported yet.
  const { toolCallId: _, status: __, ...described } = asFields(toolCall)
  if (isPermission && callId !== undefined && Object.keys(described).length > 0)
    upsertTool(step, { ...described, toolCallId: callId }, false)
  if (questions.delete(key)) step.emit({ type: 'settled', key, end: 'expired' })
  questions.set(key, { question, connectionId: step.connectionId })
  step.emit({ type: 'asked', question })
  const oldest = takeOldest(questions, MAX_WAITING_QUESTIONS)
  if (oldest !== undefined) step.emit({ type: 'settled', key: oldest.question.key, end: 'expired' })
}

/** Applies the client's response. Does nothing where no such question is open. */
export function settleQuestion(step: Step, id: JsonRpcId, message: Record<string, unknown>): void {
  const key = questionKey(step.connectionId, id)
  if (!step.state.questions.delete(key)) return
  const answer = message['result']
  if (message['error'] !== undefined || answer === undefined) step.emit({ type: 'settled', key, end: 'cancelled' })
  else step.emit({ type: 'settled', key, end: endOf(answer), answer })
}

export function expireQuestions(step: Step, isGone: (connectionId: string) => boolean): void {
  for (const [key, { connectionId }] of step.state.questions) {
    if (!isGone(connectionId)) continue
    step.state.questions.delete(key)
    step.emit({ type: 'settled', key, end: 'expired' })
  }
}

function endOf(answer: unknown): QuestionEnd {
  const { outcome, action } = asFields(answer)
  return asFields(outcome)['outcome'] === 'cancelled' || action === 'cancel' ? 'cancelled' : 'answered'
}
