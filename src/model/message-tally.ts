// Counts the messages of a conversation, and what they used.
import type { Message } from './message.ts'
import { isConversation } from './message.ts'
import type { SessionFacts } from './reading.ts'
import type { SessionUsage, TokenCounting } from './usage.ts'
import { UsageTally } from './usage.ts'

export class MessageTally {
  count = 0
  readonly #usage: UsageTally

  constructor(counting: TokenCounting | undefined) {
    this.#usage = new UsageTally(counting)
  }

  add(message: Message): void {
    if (isConversation(message)) this.count++
    this.#usage.add(message)
  }

  result({ cost }: SessionFacts): { messageCount: number; usage?: SessionUsage } {
    const usage = this.#usage.result(cost)
    return usage === undefined ? { messageCount: this.count } : { messageCount: this.count, usage }
  }
}
