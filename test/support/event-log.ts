// A stream of server-sent events as a test looks at it.
import type { OpenCodeEvent } from '../../src/opencode/shapes/event.ts'

/** Everything that came in a stream of events. */
export class EventLog {
  readonly events: OpenCodeEvent[] = []
  readonly #waiting = new Set<() => void>()
  #isOver = false

  readonly #sessionId: string | undefined

  /** `sessionId`: those of one session, and those of none. */
  constructor(response: Response, sessionId?: string) {
    this.#sessionId = sessionId
    void this.#read(response)
  }

  types(): string[] {
    return this.events.map(({ type }) => type)
  }

  of<Type extends OpenCodeEvent['type']>(type: Type): Extract<OpenCodeEvent, { type: Type }>['properties'][] {
    return this.events.flatMap(event => (event.type === type ? [event.properties as never] : []))
  }

  /** The first like it, among those that came and those that will. */
  async until(isIt: (event: OpenCodeEvent) => boolean): Promise<OpenCodeEvent> {
    for (;;) {
      const found = this.events.find(isIt)
      if (found !== undefined) return found
      if (this.#isOver) throw new Error(`The stream ended. There came: ${this.types().join(', ')}`)
      await new Promise<void>(resolve => this.#waiting.add(resolve))
    }
  }

  async untilIdle(count = 1): Promise<void> {
    await this.until(() => this.of('session.idle').length >= count)
  }

  async #read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of body ?? []) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) this.#take(frame)
      this.#wake()
    }
    this.#isOver = true
    this.#wake()
  }

  #take(frame: string): void {
    const data = /^data: (.*)$/m.exec(frame)?.[1]
    if (data === undefined) return
    const value = JSON.parse(data)
    const event = value.payload ?? value
    const { sessionID = this.#sessionId } = event.properties
    if (this.#sessionId === undefined || sessionID === this.#sessionId) this.events.push(event)
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}
