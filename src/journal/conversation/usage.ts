// What an answer took, in the words of the protocol: as a part of a response, and as an update of its own.
import { fields } from '../kind.ts'
import { readNumber, readString } from './blocks.ts'
import type { ConversationUsage } from './changes.ts'

/** Of the response to a prompt; undefined where it says nothing. */
export function readUsage(value: unknown): ConversationUsage | undefined {
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens } = fields(value)
  return compact({
    input: readNumber(inputTokens),
    output: readNumber(outputTokens),
    cacheRead: readNumber(cachedReadTokens),
    cacheWrite: readNumber(cachedWriteTokens),
    reasoning: readNumber(thoughtTokens),
  })
}

export function readUsageUpdate(update: Record<string, unknown>): ConversationUsage | undefined {
  const { amount, currency } = fields(update['cost'])
  return compact({
    contextUsed: readNumber(update['used']),
    contextSize: readNumber(update['size']),
    cost: readNumber(amount),
    currency: readString(currency),
  })
}

type Maybe<T> = { [Key in keyof T]: T[Key] | undefined }

function compact(usage: Maybe<ConversationUsage>): ConversationUsage | undefined {
  const given = Object.entries(usage).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : (Object.fromEntries(given) as ConversationUsage)
}
