// The view of one session for OpenCode clients. It applies the events of the journal in order, and returns
// the events to publish for each.
import type { ConversationChange } from '../../journal/conversation/changes.ts'
import { clipEnd } from '../../journal/conversation/clip.ts'
import { ConversationReducer } from '../../journal/conversation/reducer.ts'
import { readNote } from '../../journal/store/notes.ts'
import type { JournalEvent, JournalSession, Skipped } from '../../journal/store/store.ts'
import { todoId, toWireId } from '../ids.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { MessageWithParts } from '../shapes/message.ts'
import type { PermissionReply, PermissionRequest, QuestionRequest } from '../shapes/request.ts'
import type { FileDiff, Session, SessionMetadata, SessionStatus, Todo } from '../shapes/session.ts'
import { MAX_VIEW_BYTES } from './limits.ts'
import { makeMessageError } from './make-info.ts'
import type { MessagePageOptions } from './message-cache.ts'
import { MessageView } from './message-view.ts'
import { type OpenRequest, OpenRequests } from './open-requests.ts'
import { DEFAULT_OPTIONS, makeSession, modelOf, type SessionOptions } from './session-object.ts'

export interface SessionViewOptions extends Partial<SessionOptions> {
  maxBytes?: number
  /** Which messages to hold, by their position. Default: all. */
  isWanted?(position: number): boolean
}

/** The last restore of the conversation. */
export interface LastRestore {
  strategy: string
  text: string
  lost: string | undefined
}

/** A prompt that waits. `seq`: the event with its content. */
export interface QueuedMessage {
  key: string
  messageID: string
  seq: number
}

const CUT_OFF = 'The answer was cut off before it was complete.'
const DEFAULT_MODE = 'default'
const MAX_TITLE_CHARS = 60
const MAX_TITLE_SOURCE_CHARS = 4096

export class SessionView {
  readonly session: JournalSession
  /** The id on the wire. */
  readonly id: string
  readonly #options: SessionOptions
  readonly #reducer = new ConversationReducer()
  readonly #messages: MessageView
  readonly #asked = new OpenRequests()
  /** By key, in the order in which they are sent. */
  readonly #queued = new Map<string, QueuedMessage>()
  #metadata: SessionMetadata
  #status: 'idle' | 'busy' = 'idle'
  #lastSeq = 0
  #updatedAt: number
  #title: string | undefined
  /** The beginning of the first message: the title if no other was given. */
  #firstWords: string | undefined
  #mode: string | undefined
  #commands: readonly { name: string; description: string }[] = []
  #todos: Todo[] = []
  #restored: LastRestore | undefined
  #skipped = 0

  constructor(session: JournalSession, metadata: SessionMetadata, options: SessionViewOptions = {}) {
    const { maxBytes = MAX_VIEW_BYTES, isWanted, ...given } = options
    this.session = session
    this.#metadata = metadata
    this.#options = { ...DEFAULT_OPTIONS, ...given }
    this.id = toWireId(session.id, metadata.isGivenId)
    this.#updatedAt = session.createdAt
    this.#messages = new MessageView({
      sessionId: session.id,
      sessionID: this.id,
      forkedUpTo: metadata.forkedUpTo ?? 0,
      surroundings: () => this.#surroundings(),
      maxBytes,
      ...(isWanted === undefined ? {} : { isWanted }),
    })
  }

  get directory(): string {
    return this.session.cwd
  }

  get status(): SessionStatus {
    return { type: this.#status }
  }

  /** The last event in the view. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  get metadata(): SessionMetadata {
    return this.#metadata
  }

  /** The title that the agent set. */
  get title(): string | undefined {
    return this.#title
  }

  get firstWords(): string | undefined {
    return this.#firstWords
  }

  get mode(): string | undefined {
    return this.#mode
  }

  get commands(): readonly { name: string; description: string }[] {
    return this.#commands
  }

  get restored(): LastRestore | undefined {
    return this.#restored
  }

  /** The number of events that could not be read. */
  get skipped(): number {
    return this.#skipped
  }

  /** The approximate size. */
  get bytes(): number {
    return this.#messages.cache.bytes
  }

  get messageCount(): number {
    return this.#messages.cache.size
  }

  /** A turn runs or a request is open, so the view is not dropped. */
  get isActive(): boolean {
    return this.#status === 'busy' || this.#asked.size > 0
  }

  /**
   * Returns the events to publish. None for an event that is already in the view, or that was copied by a
   * fork.
   */
  apply(event: JournalEvent): OpenCodeEvent[] {
    if (event.seq <= this.#lastSeq) return []
    this.#lastSeq = event.seq
    this.#updatedAt = Math.max(this.#updatedAt, event.createdAt)
    const events = inOrder(this.#reducer.apply(event)).flatMap(change => this.#project(change, event))
    return event.seq <= (this.#metadata.forkedUpTo ?? 0) ? [] : events
  }

  /** Marks the place of events that cannot be read. Returns the events to publish. */
  skip(skipped: Pick<Skipped, 'at' | 'upTo' | 'reason'>): OpenCodeEvent[] {
    const { at, upTo = at } = skipped
    if (upTo <= this.#lastSeq) return []
    this.#lastSeq = upTo
    this.#skipped += upTo - at + 1
    return this.#messages.markLost(skipped, this.#updatedAt)
  }

  setMetadata(metadata: SessionMetadata): OpenCodeEvent[] {
    this.#metadata = metadata
    return [this.#updated()]
  }

  /** `isHeld`: whether the content is in the view. Otherwise it has to be read from the journal again. */
  listMessages(options: MessagePageOptions = {}): { id: string; position: number; isHeld: boolean }[] {
    const { cache } = this.#messages
    return cache.list(options).map(id => ({ id, position: cache.position(id) ?? 0, isHeld: cache.isHeld(id) }))
  }

  /** Oldest first, without messages whose content was dropped. */
  messages(options: MessagePageOptions = {}): MessageWithParts[] {
    const { cache } = this.#messages
    return cache.list(options).flatMap(id => cache.read(id) ?? [])
  }

  message(id: string): MessageWithParts | undefined {
    return this.#messages.cache.read(id)
  }

  hasMessage(id: string): boolean {
    return this.#messages.cache.has(id)
  }

  /** The prompts that wait, oldest first. */
  queued(): QueuedMessage[] {
    return [...this.#queued.values()]
  }

  permissions(): PermissionRequest[] {
    return this.#asked.permissions()
  }

  questions(): QuestionRequest[] {
    return this.#asked.questions()
  }

  /** The open request with this id. It holds the key for an answer. */
  findRequest(id: string): OpenRequest | undefined {
    return this.#asked.find(id)
  }

  /** Called before the answer: the reply to report, where the agent has no such option. */
  expectReply(id: string, reply: PermissionReply): void {
    this.#asked.expectReply(id, reply)
  }

  todos(): Todo[] {
    return this.#todos
  }

  /** For the whole session, or for the answer to one message. */
  diff(messageID?: string): FileDiff[] {
    const { diffs } = this.#messages
    return messageID === undefined ? diffs.list() : diffs.listOf(messageID)
  }

  toSession(): Session {
    const { cost, tokens } = this.#messages
    const facts = {
      title: this.#title,
      firstWords: this.#firstWords,
      updatedAt: this.#updatedAt,
      cost,
      tokens: structuredClone(tokens),
      diff: this.diff(),
    }
    return makeSession(this.session, this.#metadata, this.#options, facts)
  }

  #surroundings() {
    return {
      ...modelOf(this.session, this.#metadata, this.#options),
      mode: this.#mode ?? DEFAULT_MODE,
      directory: this.directory,
      root: this.#options.rootOf(this.directory),
    }
  }

  #project(change: ConversationChange, event: JournalEvent): OpenCodeEvent[] {
    const sessionID = this.id
    switch (change.type) {
      case 'message':
        return this.#applyMessage(change, event)
      case 'part':
        return [...this.#messages.applyPart(change, event), ...this.#readWords(change)]
      case 'status':
        return this.#changeStatus(change.status, event)
      case 'error':
        return [this.#error(change.error.text, change.error.code)]
      case 'asked': {
        const tool = this.#messages.tool(change.question.callId)
        return [this.#asked.ask(change.question, change.seq, { sessionID, tool })]
      }
      case 'settled':
        return this.#asked.settle(change.key, change.end, change.answer)
      case 'plan':
        this.#todos = change.entries.map((entry, index) => ({ ...entry, id: todoId(sessionID, index) }))
        return [{ type: 'todo.updated', properties: { sessionID, todos: this.#todos } }]
      case 'title':
        this.#title = change.title
        return this.#metadata.title === undefined ? [this.#updated()] : []
      case 'mode':
        this.#mode = change.mode
        return []
      case 'commands':
        this.#commands = change.commands
        return []
      case 'restored':
        this.#messages.noteRestored({ strategy: change.strategy, text: change.text, lost: change.lost }, event.seq)
        return this.#noteRestored({ strategy: change.strategy, text: change.text, lost: change.lost })
      case 'forked':
      case 'notice':
        return []
    }
  }

  #applyMessage(change: Extract<ConversationChange, { type: 'message' }>, event: JournalEvent): OpenCodeEvent[] {
    const events = this.#messages.applyMessage(change, event, settledText(event) ?? CUT_OFF)
    const { id, queuedAs: key, firstSeq: seq } = change.message
    const messageID = this.#messages.nameOf(id)
    if (key !== undefined && messageID !== undefined) this.#queued.set(key, { key, messageID, seq })
    else for (const queued of this.#queued.values()) if (queued.messageID === messageID) this.#queued.delete(queued.key)
    return events
  }

  #readWords({ part, messageId }: Extract<ConversationChange, { type: 'part' }>): OpenCodeEvent[] {
    if (this.#firstWords !== undefined || part.type !== 'text' || part.isOpen) return []
    const messageID = this.#messages.nameOf(messageId)
    const isPrompt = messageID !== undefined && this.#messages.cache.info(messageID)?.role === 'user'
    const words = isPrompt ? titleOf(part.text) : ''
    if (words === '') return []
    this.#firstWords = words
    return this.#metadata.title === undefined && this.#title === undefined ? [this.#updated()] : []
  }

  #changeStatus(status: 'idle' | 'busy', event: JournalEvent): OpenCodeEvent[] {
    const sessionID = this.id
    this.#status = status
    const changed: OpenCodeEvent = { type: 'session.status', properties: { sessionID, status: { type: status } } }
    if (status === 'busy') return [changed]
    const settled = settledText(event)
    const diff = this.diff()
    return [
      ...(settled === undefined ? [] : [this.#error(settled)]),
      changed,
      { type: 'session.idle', properties: { sessionID } },
      this.#updated(),
      ...(diff.length === 0 ? [] : [{ type: 'session.diff', properties: { sessionID, diff } } as const]),
    ]
  }

  /** Always tells the person how a conversation was restored, and what the agent may have lost. */
  #noteRestored(restored: LastRestore): OpenCodeEvent[] {
    this.#restored = restored
    const { text, lost } = restored
    const message = lost === undefined ? text : `${text} ${lost}`
    const variant = lost === undefined ? 'info' : 'warning'
    return [{ type: 'tui.toast.show', properties: { title: 'Conversation restored', message, variant } }]
  }

  #error(message: string, code?: number): OpenCodeEvent {
    const error = makeMessageError(message, code, this.#surroundings().providerID)
    return { type: 'session.error', properties: { sessionID: this.id, error } }
  }

  #updated(): OpenCodeEvent {
    return { type: 'session.updated', properties: { sessionID: this.id, info: this.toSession() } }
  }
}

/** The first line with words. */
function titleOf(text: string): string {
  const line =
    text
      .slice(0, MAX_TITLE_SOURCE_CHARS)
      .split(/[\r\n]/)
      .find(one => one.trim() !== '') ?? ''
  return clipEnd(line.trim().replaceAll(/\s+/g, ' '), MAX_TITLE_CHARS)
}

/** Requests are settled before the turn ends, so that an idle session has none. */
function inOrder(changes: ConversationChange[]): ConversationChange[] {
  if (!changes.some(change => change.type === 'settled')) return changes
  return changes.toSorted((a, b) => Number(b.type === 'settled') - Number(a.type === 'settled'))
}

/** Why the turn was settled without its agent. */
function settledText({ envelope, sender, kind }: JournalEvent): string | undefined {
  if (sender !== 'client' || kind !== '_rethread/settled') return undefined
  return readNote('_rethread/settled', envelope)?.text
}
