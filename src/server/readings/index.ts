// Pages of messages of any session, however large, with random access by index.
// Sessions are read in threads, into spool files.

import { z } from 'zod'
import { findStore } from '../../agents/store.ts'
import type { Context } from '../../catalog/context.ts'
import { agentOf } from '../../catalog/reading.ts'
import type { Spool } from '../../disk/state/spool.ts'
import { openSpool } from '../../disk/state/spool.ts'
import { RethreadError } from '../../model/errors.ts'
import type { ImageType } from '../../model/image.ts'
import { imageIn } from '../../model/image.ts'
import type { SessionRef } from '../../model/session.ts'
import { sessionKey } from '../../repair/verdicts/origin.ts'
import type { ApiBytes, ApiMessage, MessagesPage, MessagesQuery } from '../api.ts'
import { readBytes } from './bytes.ts'
import { ConversationCache } from './cache.ts'
import type { ConversationTools, OpenedReading } from './conversation.ts'
import type { Limits } from './limits.ts'
import { LIMITS } from './limits.ts'
import { isPageThere, makePage, makeTailPage, parseMessage, readSpooled } from './page.ts'
import { openReadingThreads, wasStopped } from './threads.ts'

/** The pictures of a message in the spool. */
const imagesSchema = z.object({ parts: z.array(z.object({ data: z.string().optional() })) })

export interface Readings {
  /** Takes the session in its last known state. The state of a session that is one file is read here. */
  page(session: SessionRef, query: MessagesQuery): Promise<MessagesPage>
  /** The whole message. A large one is parsed here: use `json` to send it on. */
  message(session: SessionRef, index: number, branch?: string): Promise<ApiMessage>
  /** The same as JSON. */
  messageJson(session: SessionRef, index: number, branch?: string): Promise<string>
  /** A picture in the session, by the number of its part. */
  image(session: SessionRef, index: number, part: number, branch?: string): Promise<{ bytes: Buffer; mime: ImageType }>
  /** The stored bytes of its record. */
  record(session: SessionRef, index: number, branch?: string): Promise<{ bytes: Buffer; isCut: boolean }>
  bytes(session: SessionRef, start: number, end: number): Promise<ApiBytes>
  /** Call it after a repair or an undo: bytes that were changed in place may not be visible from outside. */
  doubt(session: SessionRef): void
  close(): Promise<void>
}

export interface ReadingsOptions {
  context: Context
  logLevel?: string
  limits?: Partial<Limits>
}

export function makeReadings(options: ReadingsOptions): Readings {
  return new SessionReadings(options)
}

class SessionReadings implements Readings {
  readonly #context: Context
  readonly #limits: Limits
  readonly #tools: ConversationTools
  readonly #cache: ConversationCache
  #spool: Spool | undefined
  #isClosed = false
  /** Starts from the clock, so that the numbers of an earlier server are unknown to this one. */
  #reading = Date.now()

  constructor({ context, logLevel, limits }: ReadingsOptions) {
    this.#context = context
    this.#limits = { ...LIMITS, ...limits }
    this.#tools = {
      threads: openReadingThreads(context, this.#limits, logLevel),
      newFile: () => this.#openSpool().newFile(),
      nextReading: () => this.#reading++,
      tailFolder: session => (this.#wantsTail(session) ? this.#openSpool().folder : undefined),
    }
    this.#cache = new ConversationCache(this.#limits)
    this.#clearLeftOvers()
  }

  async page(session: SessionRef, query: MessagesQuery): Promise<MessagesPage> {
    return await this.#use(session, query.branch, async conversation => {
      const isThere = (): boolean => {
        const view = conversation.view
        return !conversation.isKnown && view !== undefined && isPageThere(view.index, query)
      }
      await this.#wait(conversation, session, isThere, () => this.#patience(conversation, query))
      const { tail, view } = conversation
      const wantsEnd = isOfEnd(query)
      if (wantsEnd && tail !== undefined) return makeTailPage(tail.messages, tail.reading, query)
      return makePage(view ?? neverOpened(session), query)
    })
  }

  async message(session: SessionRef, index: number, branch?: string): Promise<ApiMessage> {
    return JSON.parse(await this.messageJson(session, index, branch))
  }

  async messageJson(session: SessionRef, index: number, branch?: string): Promise<string> {
    return await this.#use(session, branch, async conversation => {
      const view = await this.#reach(conversation, session, index)
      return `{"index":${index},${readSpooled(view, view.index.whole(index)).slice(1)}`
    })
  }

  async image(session: SessionRef, index: number, part: number, branch?: string) {
    const message = imagesSchema.parse(JSON.parse(await this.messageJson(session, index, branch)))
    const image = imageIn(message.parts[part]?.data)
    if (image === undefined) throw noSuchImage(session, index)
    return { bytes: Buffer.from(image.data, 'base64'), mime: image.mime }
  }

  async record(session: SessionRef, index: number, branch?: string): Promise<{ bytes: Buffer; isCut: boolean }> {
    const place = await this.#use(session, branch, async conversation => {
      const view = await this.#reach(conversation, session, index)
      return parseMessage(index, readSpooled(view, view.index.shown(index))).at
    })
    const { bytes, isCut } = await this.#tools.threads.call('record', { session, place })
    return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), isCut }
  }

  async bytes(session: SessionRef, start: number, end: number): Promise<ApiBytes> {
    if (session.archived !== undefined) return await this.#tools.threads.call('bytes', { session, start, end })
    return readBytes(session, this.#traitsOf(session), start, end)
  }

  doubt(session: SessionRef): void {
    this.#cache.doubt(sessionKey(session))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cache.close()
    await this.#tools.threads.close()
    this.#spool?.close()
    this.#spool = undefined
  }

  async #use<T>(
    session: SessionRef,
    branch: string | undefined,
    use: (conversation: OpenedReading) => Promise<T>,
  ): Promise<T> {
    return await this.#cache.use(sessionKey(session), { branch, version: session.archived?.number }, this.#tools, use)
  }

  /** A reading that began before the request may miss the newest messages. Then a second one follows. */
  async #wait(
    conversation: OpenedReading,
    session: SessionRef,
    isEnough: () => boolean,
    ms: () => number,
  ): Promise<void> {
    const began = performance.now()
    const left = (): number => ms() - (performance.now() - began)
    for (let round = 0; round < 2; round++) {
      conversation.readIfChanged(session)
      if (!conversation.isReading) return
      const { ended } = conversation
      await conversation.wait(() => conversation.ended > ended || isEnough(), left)
      if (conversation.ended === ended) return
    }
  }

  #patience(conversation: OpenedReading, query: MessagesQuery): number {
    if (conversation.isKnown) return this.#limits.againMs
    const isServedByTail = conversation.tail !== undefined && isOfEnd(query)
    return isServedByTail ? this.#limits.withTailMs : this.#limits.firstReadingMs
  }

  async #reach(conversation: OpenedReading, session: SessionRef, index: number) {
    const isThere = (): boolean => (conversation.view?.index.length ?? 0) > index
    await this.#wait(conversation, session, isThere, () =>
      isThere() && conversation.isKnown ? this.#limits.againMs : this.#limits.messageMs,
    )
    const view = conversation.view ?? neverOpened(session)
    if (Number.isInteger(index) && index >= 0 && index < view.index.length) return view
    throw view.isComplete ? noSuchMessage(session, index, view.index.length) : notYetRead(session, index)
  }

  #traitsOf(session: SessionRef) {
    return findStore(agentOf(this.#context, session), session)?.traits
  }

  #wantsTail(session: SessionRef): boolean {
    const traits = this.#traitsOf(session)
    const isLog = traits?.framing === 'json-lines' && traits.appendOnly && traits.isCompressed !== true
    return isLog && session.archived === undefined && session.fileSize >= this.#limits.tailFromBytes
  }

  #openSpool(): Spool {
    if (this.#isClosed) throw new RethreadError(wasStopped())
    this.#spool ??= openSpool(this.#context.state)
    return this.#spool
  }

  /** Every request for a page fails if the state folder cannot be used. */
  #clearLeftOvers(): void {
    try {
      this.#openSpool()
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
    }
  }
}

function neverOpened(session: SessionRef): never {
  throw new RethreadError({
    code: 'stopped',
    text: `Session ${session.sessionId} was closed while it was being read.`,
    hint: 'Open it again.',
    path: session.filePath,
  })
}

function noSuchMessage(session: SessionRef, index: number, total: number): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `Session ${session.sessionId} has no message ${index}. It has ${total}.`,
    hint: 'Reload the conversation.',
    path: session.filePath,
  })
}

function noSuchImage(session: SessionRef, index: number): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `Message ${index} has no image that can be shown (PNG, JPEG, GIF or WebP up to 10 MB).`,
    hint: 'Open the stored record to see what it is.',
    path: session.filePath,
  })
}

function notYetRead(session: SessionRef, index: number): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `Message ${index} of session ${session.sessionId} is not read yet. Reading continues.`,
    hint: 'Ask again in a moment.',
    path: session.filePath,
  })
}

function isOfEnd({ from, around, message }: MessagesQuery): boolean {
  return from === undefined && around === undefined && message === undefined
}
