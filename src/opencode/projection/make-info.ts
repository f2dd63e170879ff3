// Builds the info of a message: everything except its parts.

import { AUTH_REQUIRED } from '../../journal/agent-errors.ts'
import type { ConversationMessage, ConversationUsage } from '../../journal/conversation/changes.ts'
import type { AssistantMessage, MessageError, UserMessage } from '../shapes/message.ts'
import { noTokens, type Tokens } from '../shapes/part.ts'

export interface InfoContext {
  id: string
  sessionID: string
  /** The message it answers. Empty for an answer without a prompt. */
  parentID: string
  providerID: string
  modelID: string
  mode: string
  directory: string
  root: string
  /** The total cost before this answer. Agents report totals. */
  costBefore: number
  /** Why the answer was cut off. */
  interruption: string
}

const FINISH = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['max_turn_requests', 'length'],
  ['refusal', 'content-filter'],
])
const CANCELLED = 'The turn was cancelled.'

export function makeUserInfo(message: ConversationMessage, context: InfoContext): UserMessage {
  const { id, sessionID, providerID, modelID } = context
  const queued = message.queuedAs === undefined ? {} : { queued: true as const }
  const model = { providerID, modelID }
  return { id, sessionID, role: 'user', time: timeOf(message), agent: providerID, model, ...queued }
}

export function makeAssistantInfo(message: ConversationMessage, context: InfoContext): AssistantMessage {
  const { id, sessionID, parentID, providerID, modelID, mode, directory, root } = context
  const error = errorOf(message, context)
  const finish = finishOf(message)
  return {
    id,
    sessionID,
    role: 'assistant',
    time: timeOf(message),
    ...(error === undefined ? {} : { error }),
    parentID,
    modelID,
    providerID,
    mode,
    agent: providerID,
    path: { cwd: directory, root },
    cost: costOf(message.usage, context.costBefore),
    tokens: tokensOf(message.usage),
    ...(finish === undefined ? {} : { finish }),
  }
}

/** A login that is missing has a name of its own: clients offer to log in. */
export function makeMessageError(message: string, code: number | undefined, providerID: string): MessageError {
  if (code === AUTH_REQUIRED) return { name: 'ProviderAuthError', data: { providerID, message } }
  return { name: 'UnknownError', data: { message } }
}

/** Clients show a MessageAbortedError as an interrupted answer, whatever the cause. */
function errorOf(message: ConversationMessage, context: InfoContext): MessageError | undefined {
  const { interruption } = context
  const { error } = message
  if (error !== undefined) return makeMessageError(error.text, error.code, context.providerID)
  if (message.isIncomplete === true) return { name: 'MessageAbortedError', data: { message: interruption } }
  if (message.stopReason === 'cancelled') return { name: 'MessageAbortedError', data: { message: CANCELLED } }
  if (message.stopReason === 'max_tokens') return { name: 'MessageOutputLengthError', data: {} }
  return undefined
}

/** Absent while the answer runs, and where it was cut off. */
function finishOf({ completedAt, error, isIncomplete, stopReason }: ConversationMessage): string | undefined {
  if (completedAt === undefined || error !== undefined || isIncomplete === true || stopReason === 'cancelled')
    return undefined
  return stopReason === undefined ? 'stop' : (FINISH.get(stopReason) ?? stopReason)
}

function timeOf({ createdAt, completedAt }: ConversationMessage): { created: number; completed?: number } {
  return { created: createdAt, ...(completedAt === undefined ? {} : { completed: completedAt }) }
}

export function tokensOf(usage: ConversationUsage | undefined): Tokens {
  if (usage === undefined) return noTokens()
  const { input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 } = usage
  return { input, output, reasoning, cache: { read: cacheRead, write: cacheWrite } }
}

function costOf(usage: ConversationUsage | undefined, before: number): number {
  const difference = (usage?.cost ?? before) - before
  // Rounds off floating-point noise.
  return difference > 0 ? Math.round(difference * 1e9) / 1e9 : 0
}
