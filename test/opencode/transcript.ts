// What a client makes of the events it hears: the texts of each session, and how often it was reported busy and idle.
import type { SentEvent } from './clients.ts'

interface HeardSession {
  /** By the ids of their parts, in the order in which they were first heard of. */
  texts: Map<string, string>
  busy: number
  idle: number
}

export class Transcript {
  readonly #sessions = new Map<string, HeardSession>()

  take({ type, properties }: SentEvent): void {
    const session = this.#of(String(properties['sessionID']))
    if (type === 'session.idle') session.idle++
    if (type === 'session.status' && Object(properties['status']).type === 'busy') session.busy++
    if (type === 'message.part.updated') {
      const { id, text } = Object(properties['part'])
      if (typeof text === 'string') session.texts.set(id, text)
    }
    if (type === 'message.part.delta') {
      const id = String(properties['partID'])
      session.texts.set(id, `${session.texts.get(id) ?? '(unknown part)'}${properties['delta']}`)
    }
  }

  of(sessionId: string): { busy: number; idle: number; texts: string[] } {
    const { busy, idle, texts } = this.#of(sessionId)
    return { busy, idle, texts: [...texts.values()] }
  }

  #of(id: string): HeardSession {
    const known = this.#sessions.get(id) ?? { texts: new Map<string, string>(), busy: 0, idle: 0 }
    this.#sessions.set(id, known)
    return known
  }
}
