// Token usage and cost, as a prompt response and a usage update report them.
import { asFields } from '../envelope.ts'
import { readNumber, readString } from './blocks.ts'
import type { ConversationUsage } from './changes.ts'

/** From the response to a prompt. Undefined where it has none. */
export function readUsage(value: unknown): ConversationUsage | undefined {
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens } = asFields(value)
  const usage: ConversationUsage = {}
  put(usage, 'input', readNumber(inputTokens))
  put(usage, 'output', readNumber(outputTokens))
  put(usage, 'cacheRead', readNumber(cachedReadTokens))
  put(usage, 'cacheWrite', readNumber(cachedWriteTokens))
  put(usage, 'reasoning', readNumber(thoughtTokens))
  return unlessEmpty(usage)
}

export function readUsageUpdate(update: Record<string, unknown>): ConversationUsage | undefined {
  const { amount, currency } = asFields(update['cost'])
  const usage: ConversationUsage = {}
  put(usage, 'contextUsed', readNumber(update['used']))
  put(usage, 'contextSize', readNumber(update['size']))
  put(usage, 'cost', readNumber(amount))
  put(usage, 'currency', readString(currency))
  return unlessEmpty(usage)
}

function put<Key extends keyof ConversationUsage>(
  usage: ConversationUsage,
  key: Key,
  value: ConversationUsage[Key] | undefined,
): void {
  if (value !== undefined) usage[key] = value
}

function unlessEmpty(usage: ConversationUsage): ConversationUsage | undefined {
  return Object.keys(usage).length === 0 ? undefined : usage
}
