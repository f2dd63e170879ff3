// One session as OpenCode clients see it: made of its events one after the other, each of which is also told as the events that clients know.
import type { Change } from '../../journal/conversation/changes.ts'
import { ConversationReducer } from '../../journal/conversation/reducer.ts'
import { readNote } from '../../journal/store/notes.ts'
import type { JournalEvent, JournalSession } from '../../journal/store/store.ts'
import { todoId, toWireId } from '../ids.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { MessageError, MessageWithParts } from '../shapes/message.ts'
import type { PermissionReply, PermissionRequest, QuestionRequest } from '../shapes/request.ts'
import type { FileDiff, Session, SessionMetadata, SessionStatus, Todo } from '../shapes/session.ts'
import { MAX_VIEW_BYTES } from './limits.ts'
import type { MessagePageOptions } from './message-cache.ts'
import { MessageView } from './message-view.ts'
import { type OpenRequest, OpenRequests } from './open-requests.ts'
import { DEFAULT_OPTIONS, makeSession, modelOf, type SessionOptions } from './session-object.ts'

export interface SessionViewOptions extends Partial<SessionOptions> {
  maxBytes?: number
  /** Which messages are held, by their place; all, unless given. */
  isWanted?(place: number): boolean
}

/** How the conversation came back to its agent last. */
export interface Restored {
  rung: string
  text: string
  lost: string | undefined
}

const CUT_OFF = 'The answer was cut off before it was complete.'
const DEFAULT_MODE = 'default'

export class SessionView {
  readonly session: JournalSession
  /** On the wire. */
  readonly id: string
  readonly #options: SessionOptions
  readonly #reducer = new ConversationReducer()
  readonly #messages: MessageView
  readonly #asked = new OpenRequests()
  #metadata: SessionMetadata
  #status: 'idle' | 'busy' = 'idle'
  #lastSeq = 0
  #updatedAt: number
  #title: string | undefined
  #mode: string | undefined
  #commands: readonly { name: string; description: string }[] = []
  #todos: Todo[] = []
  #restored: Restored | undefined
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

  /** The last event that is in it. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  get metadata(): SessionMetadata {
    return this.#metadata
  }

  /** What the agent calls it. */
  get title(): string | undefined {
    return this.#title
  }

  get mode(): string | undefined {
    return this.#mode
  }

  get commands(): readonly { name: string; description: string }[] {
    return this.#commands
  }

  get restored(): Restored | undefined {
    return this.#restored
  }

  /** Events that could not be read. */
  get skipped(): number {
    return this.#skipped
  }

  /** Roughly. */
  get bytes(): number {
    return this.#messages.cache.bytes
  }

  get messageCount(): number {
    return this.#messages.cache.size
  }

  /** Somebody waits for it to go on, so it is not let go. */
  get isActive(): boolean {
    return this.#status === 'busy' || this.#asked.size > 0
  }

  /** What the event is told as; nothing for one that is in it already, and for history that was copied from elsewhere. */
  apply(event: JournalEvent): OpenCodeEvent[] {
    if (event.seq <= this.#lastSeq) return []
    this.#lastSeq = event.seq
    this.#updatedAt = Math.max(this.#updatedAt, event.createdAt)
    const events = inOrder(this.#reducer.apply(event)).flatMap(change => this.#project(change, event))
    return event.seq <= (this.#metadata.forkedUpTo ?? 0) ? [] : events
  }

  /** An event that could not be read. */
  skip(seq: number): void {
    if (seq <= this.#lastSeq) return
    this.#lastSeq = seq
    this.#skipped++
  }

  setMetadata(metadata: SessionMetadata): OpenCodeEvent[] {
    this.#metadata = metadata
    return [this.#updated()]
  }

  /** Which of them are here: what is not has to be read from the journal again. */
  listMessages(options: MessagePageOptions = {}): { id: string; place: number; isHeld: boolean }[] {
    const { cache } = this.#messages
    return cache.list(options).map(id => ({ id, place: cache.place(id) ?? 0, isHeld: cache.isHeld(id) }))
  }

  /** The oldest first. Without those that are not held. */
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

  permissions(): PermissionRequest[] {
    return this.#asked.permissions()
  }

  questions(): QuestionRequest[] {
    return this.#asked.questions()
  }

  /** What waits under the id of a permission or question; in it is the key that an answer has to name. */
  findRequest(id: string): OpenRequest | undefined {
    return this.#asked.find(id)
  }

  /** To be told before the answer is given: how it is called where the agent has no such option. */
  expectReply(id: string, reply: PermissionReply): void {
    this.#asked.expectReply(id, reply)
  }

  todos(): Todo[] {
    return this.#todos
  }

  /** Of the whole session, or of what was done in answer to one message. */
  diff(messageID?: string): FileDiff[] {
    const { diffs } = this.#messages
    return messageID === undefined ? diffs.list() : diffs.listOf(messageID)
  }

  toSession(): Session {
    const { cost, tokens } = this.#messages
    const facts = {
      title: this.#title,
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

  #project(change: Change, event: JournalEvent): OpenCodeEvent[] {
    const sessionID = this.id
    switch (change.type) {
      case 'message':
        return this.#messages.applyMessage(change, event, settledText(event) ?? CUT_OFF)
      case 'part':
        return this.#messages.applyPart(change, event)
      case 'status':
        return this.#changeStatus(change.status, event)
      case 'error':
        return [this.#error(change.error.text)]
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
        return this.#noteRestored({ rung: change.rung, text: change.text, lost: change.lost })
      case 'forked':
      case 'notice':
        return []
    }
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

  /** A person is always told how a conversation came back, and what its agent may not know any more. */
  #noteRestored(restored: Restored): OpenCodeEvent[] {
    this.#restored = restored
    const { text, lost } = restored
    const message = lost === undefined ? text : `${text} ${lost}`
    const variant = lost === undefined ? 'info' : 'warning'
    return [{ type: 'tui.toast.show', properties: { title: 'Conversation restored', message, variant } }]
  }

  #error(message: string): OpenCodeEvent {
    const error: MessageError = { name: 'UnknownError', data: { message } }
    return { type: 'session.error', properties: { sessionID: this.id, error } }
  }

  #updated(): OpenCodeEvent {
    return { type: 'session.updated', properties: { sessionID: this.id, info: this.toSession() } }
  }
}

/** What was asked is over before the turn is: nobody answers when it is idle. */
function inOrder(changes: Change[]): Change[] {
  if (!changes.some(change => change.type === 'settled')) return changes
  return changes.toSorted((a, b) => Number(b.type === 'settled') - Number(a.type === 'settled'))
}

/** Whoever should have ended the turn is gone: why. */
function settledText({ envelope, sender, kind }: JournalEvent): string | undefined {
  if (sender !== 'client' || kind !== '_rethread/settled') return undefined
  return readNote('_rethread/settled', envelope)?.text
}
