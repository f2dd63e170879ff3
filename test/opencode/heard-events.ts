// The events that a client of OpenCode receives, kept for a test.
import { onTestFinished } from 'vitest'
import type { Driver, SentEvent } from './clients.ts'

export class Heard {
  readonly events: SentEvent[] = []
  readonly #waiting = new Set<() => void>()

  /** Connected when it resolves: what happens from now on is heard. */
  static async by({ subscribe }: Pick<Driver, 'subscribe'>): Promise<Heard> {
    const heard = new Heard()
    const ending = new AbortController()
    onTestFinished(() => ending.abort())
    void heard.#read(await subscribe(ending.signal))
    await heard.until(({ type }) => type === 'server.connected')
    return heard
  }

  of(sessionID: string): SentEvent[] {
    return this.events.filter(({ properties }) => properties['sessionID'] === sessionID)
  }

  types(sessionID: string): string[] {
    return this.of(sessionID).map(({ type }) => type)
  }

  async until(isIt: (event: SentEvent) => boolean): Promise<SentEvent> {
    for (;;) {
      const found = this.events.find(isIt)
      if (found !== undefined) return found
      await new Promise<void>(resolve => this.#waiting.add(resolve))
    }
  }

  async untilIdle(sessionID: string): Promise<void> {
    await this.until(({ type, properties }) => type === 'session.idle' && properties['sessionID'] === sessionID)
  }

  async #read(stream: AsyncIterable<unknown>): Promise<void> {
    for await (const event of stream) {
      this.events.push(event as SentEvent)
      for (const resolve of this.#waiting) resolve()
      this.#waiting.clear()
    }
  }
}
