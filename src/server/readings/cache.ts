// A bounded cache of opened conversations. The least recently used one
// is removed first, unless a caller waits for it.
import type { ConversationTools } from './conversation.ts'
import { OpenedReading } from './conversation.ts'
import type { Limits } from './limits.ts'

interface Entry {
  session: string
  conversation: OpenedReading
  users: number
}

export class ConversationCache {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** A failure reaches all callers that wait for the conversation. The next caller opens it again. */
  async use<T>(
    session: string,
    { branch, version }: { branch: string | undefined; version: number | undefined },
    tools: ConversationTools,
    use: (conversation: OpenedReading) => Promise<T>,
  ): Promise<T> {
    const key = JSON.stringify([session, branch ?? null, version ?? null])
    const entry = this.#entries.get(key) ?? { session, conversation: new OpenedReading(branch, tools), users: 0 }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.users++
    try {
      return await use(entry.conversation)
    } finally {
      entry.users--
      if (entry.conversation.hasFailed && this.#entries.get(key) === entry) this.#entries.delete(key)
      this.#makeRoom()
    }
  }

  doubt(session: string): void {
    for (const entry of this.#entries.values()) if (entry.session === session) entry.conversation.doubt()
  }

  close(): void {
    for (const { conversation } of this.#entries.values()) conversation.close()
    this.#entries.clear()
  }

  #makeRoom(): void {
    let bytes = 0
    for (const { conversation } of this.#entries.values()) bytes += conversation.spoolBytes
    for (const [key, { conversation, users }] of this.#entries) {
      // The most recently used one stays, however large it is.
      const isLast = this.#entries.size === 1
      const isTooMuch = this.#entries.size > this.#limits.conversations || bytes > this.#limits.spoolBytes
      if (!isTooMuch || isLast) return
      if (users > 0) continue
      bytes -= conversation.spoolBytes
      this.#entries.delete(key)
      conversation.close()
    }
  }
}
