// The messages of a session in order. The contents of old ones are dropped above a limit; their ids stay.
import { RethreadError } from '../../model/errors.ts'
import type { Message, MessageWithParts } from '../shapes/message.ts'
import type { Part } from '../shapes/part.ts'

export interface MessagePageOptions {
  /** At most this many of the newest. Default: all. */
  limit?: number
  /** Only messages before the one with this id. */
  before?: string
}

export interface MessageCacheOptions {
  maxBytes: number
  /** Which messages to hold, by their position. Default: all. */
  isWanted?(position: number): boolean
}

interface Held {
  info: Message
  parts: Map<string, { part: Part; bytes: number }>
  bytes: number
}

const FRAME_BYTES = 400

export class MessageCache {
  readonly #options: MessageCacheOptions
  readonly #ids: string[] = []
  readonly #positions = new Map<string, number>()
  readonly #held = new Map<string, Held>()
  #bytes = 0

  constructor(options: MessageCacheOptions) {
    this.#options = options
  }

  /** The approximate size. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#ids.length
  }

  has(id: string): boolean {
    return this.#positions.has(id)
  }

  info(id: string): Message | undefined {
    return this.#held.get(id)?.info
  }

  /** The id of the newest message of this role whose content is held. */
  lastOf(role: Message['role']): string | undefined {
    return [...this.#held.values()].findLast(({ info }) => info.role === role)?.info.id
  }

  part(messageId: string, id: string): Part | undefined {
    return this.#held.get(messageId)?.parts.get(id)?.part
  }

  set(info: Message): void {
    const held = this.#held.get(info.id)
    if (held !== undefined) held.info = info
    if (this.has(info.id)) return
    const position = this.#ids.push(info.id) - 1
    this.#positions.set(info.id, position)
    if (this.#options.isWanted?.(position) === false) return
    this.#held.set(info.id, { info, parts: new Map(), bytes: FRAME_BYTES })
    this.#grow(FRAME_BYTES)
  }

  /** Ignored for a message whose content was dropped. */
  setPart(part: Part, bytes: number): void {
    const held = this.#held.get(part.messageID)
    if (held === undefined) return
    const before = held.parts.get(part.id)
    const now = Math.max(before?.bytes ?? 0, bytes + FRAME_BYTES)
    held.parts.set(part.id, { part, bytes: now })
    held.bytes += now - (before?.bytes ?? 0)
    this.#grow(now - (before?.bytes ?? 0))
  }

  /** The ids of a page, oldest first. Throws `not-found` for an unknown message. */
  list({ limit = this.#ids.length, before }: MessagePageOptions): string[] {
    const end = before === undefined ? this.#ids.length : this.#positions.get(before)
    if (end === undefined) throw noMessage(before)
    return this.#ids.slice(Math.max(0, end - limit), end)
  }

  position(id: string): number | undefined {
    return this.#positions.get(id)
  }

  isHeld(id: string): boolean {
    return this.#held.has(id)
  }

  read(id: string): MessageWithParts | undefined {
    const held = this.#held.get(id)
    return held === undefined ? undefined : { info: held.info, parts: [...held.parts.values()].map(({ part }) => part) }
  }

  #grow(bytes: number): void {
    this.#bytes += bytes
    for (const [id, held] of this.#held) {
      const isOpen = held.info.time.completed === undefined
      if (this.#bytes <= this.#options.maxBytes || isOpen || this.#held.size === 1) return
      this.#held.delete(id)
      this.#bytes -= held.bytes
    }
  }
}

function noMessage(id: string | undefined): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `There is no message ${id ?? ''} in this session.`,
    hint: 'List the messages of the session to see their ids.',
  })
}
