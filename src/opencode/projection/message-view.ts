// The messages and parts of a session, and the events that each change publishes.
import type { ConversationChange, ConversationMessage, ConversationPart } from '../../journal/conversation/changes.ts'
import { describeSkipped } from '../../journal/store/quarantine.ts'
import type { JournalEvent, Skipped } from '../../journal/store/store.ts'
import { messageId, partId, partMark } from '../ids.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { AssistantMessage } from '../shapes/message.ts'
import type { Part, ReasoningPart, TextPart } from '../shapes/part.ts'
import { noTokens, type Tokens } from '../shapes/part.ts'
import { MAX_KNOWN_ANSWERS, MAX_KNOWN_TOOLS, TEXT_GROWTH, WHOLE_TEXT_CHARS } from './limits.ts'
import { type InfoContext, makeAssistantInfo, makeUserInfo } from './make-info.ts'
import { makePart, makeRestoredPart, type RestoredNote } from './make-part.ts'
import { MessageCache, type MessageCacheOptions } from './message-cache.ts'
import { MessageIds } from './message-ids.ts'
import type { KnownTool } from './permissions.ts'
import { SessionDiffs } from './session-diffs.ts'

/** What all messages of the session have in common. */
export type Surroundings = Pick<InfoContext, 'providerID' | 'modelID' | 'mode' | 'directory' | 'root'>

export interface MessageViewOptions extends MessageCacheOptions {
  /** In the journal, and on the wire. */
  sessionId: string
  sessionID: string
  forkedUpTo: number
  surroundings(): Surroundings
}

type LostEvents = Pick<Skipped, 'at' | 'upTo' | 'reason'>
type MessageChange = Extract<ConversationChange, { type: 'message' }>
type PartChange = Extract<ConversationChange, { type: 'part' }>

/** Facts about an answer that do not follow from its last change alone. */
interface Open {
  context: Omit<InfoContext, 'interruption'>
  finishSeq: number | undefined
}

export class MessageView {
  readonly cache: MessageCache
  readonly diffs = new SessionDiffs()
  readonly tokens: Tokens = noTokens()
  readonly #options: MessageViewOptions
  readonly #names: MessageIds
  readonly #growth = new TextGrowth()
  /** The newest answers. An agent may report usage after the end of one. */
  readonly #answers = new Map<string, Open>()
  readonly #tools = new Map<string, Omit<KnownTool, 'callID'>>()
  /** Computed once for each message. */
  readonly #marks = new Map<string, string>()
  readonly #edited = new Set<string>()
  #restored: (RestoredNote & { seq: number }) | undefined
  #cost = 0
  #lost: LostEvents | undefined

  constructor(options: MessageViewOptions) {
    this.#options = options
    this.cache = new MessageCache(options)
    this.#names = new MessageIds(options.sessionId, options.forkedUpTo)
  }

  /** The total cost, as the agent last reported it. */
  get cost(): number {
    return this.#cost
  }

  nameOf(conversationId: string): string | undefined {
    return this.#names.get(conversationId)
  }

  tool(callID: string | undefined): KnownTool | undefined {
    const known = callID === undefined ? undefined : this.#tools.get(callID)
    return known === undefined || callID === undefined ? undefined : { ...known, callID }
  }

  /** The next answer says how the conversation came back. */
  noteRestored(note: RestoredNote, seq: number): void {
    this.#restored = { ...note, seq }
  }

  applyMessage({ message, at }: MessageChange, event: JournalEvent, interruption: string): OpenCodeEvent[] {
    const id = this.#names.name(message, event)
    const { sessionID } = this.#options
    if (message.role === 'user') {
      const info = makeUserInfo(message, { ...this.#contextOf(message, id), interruption })
      this.cache.set(info)
      return [{ type: 'message.updated', properties: { sessionID, info } }]
    }
    const isNew = !this.cache.has(id)
    const info = this.#answerInfo(message, id, interruption)
    this.cache.set(info)
    const updated: OpenCodeEvent = { type: 'message.updated', properties: { sessionID, info } }
    const started = isNew
      ? [updated, ...this.#showRestored(message, id, at), this.#step(message, id, at, { type: 'step-start' })]
      : []
    if (message.completedAt === undefined) return isNew ? started : [updated]
    const { cost, tokens } = info
    const reason = info.finish ?? (info.error?.name === 'MessageAbortedError' ? 'aborted' : 'error')
    const finished = this.#step(message, id, at, { type: 'step-finish', reason, cost, tokens })
    return [...started, finished, updated]
  }

  applyPart(change: PartChange, event: JournalEvent): OpenCodeEvent[] {
    const { part, at, delta } = change
    const messageID = this.#names.get(change.messageId)
    // The reducer emits a message before its parts.
    if (messageID === undefined) return []
    const made = this.#makePart(change, messageID, event)
    this.cache.setPart(made, bytesOf(made, event))
    const edited = part.type === 'tool' ? this.#noteTool(part, messageID) : []
    const isGrowing = part.isOpen && delta !== undefined && (made.type === 'text' || made.type === 'reasoning')
    return [...(isGrowing ? this.#growth.grow(made, delta, at) : this.#growth.end(made, at)), ...edited]
  }

  /** Adds a message in the place of events that were lost. Events in a row share one. */
  markLost({ at, upTo = at, reason }: LostEvents, time: number): OpenCodeEvent[] {
    const before = this.#lost
    const isSame = before !== undefined && before.upTo === at - 1 && before.reason === reason
    const lost = isSame ? { ...before, upTo } : { at, upTo, reason }
    this.#lost = lost
    const { sessionId, sessionID } = this.#options
    const id = messageId(sessionId, lost.at)
    const info = this.cache.info(id) ?? this.#lostInfo(id, time)
    this.cache.set(info)
    const part: Part = {
      id: partId(partMark(sessionId, id), lost.at, 0),
      sessionID,
      messageID: id,
      type: 'text',
      text: describeSkipped(lost),
      synthetic: true,
    }
    this.cache.setPart(part, bytesOfText(part.text))
    return [{ type: 'message.updated', properties: { sessionID, info } }, partUpdated(part, time)]
  }

  #lostInfo(id: string, time: number): AssistantMessage {
    const { directory, root, ...surroundings } = this.#options.surroundings()
    return {
      id,
      sessionID: this.#options.sessionID,
      role: 'assistant',
      time: { created: time, completed: time },
      parentID: this.cache.lastOf('user') ?? '',
      ...surroundings,
      agent: surroundings.providerID,
      path: { cwd: directory, root },
      cost: 0,
      tokens: noTokens(),
      finish: 'stop',
    }
  }

  #makePart({ part, messageId }: PartChange, messageID: string, { envelope }: JournalEvent): Part {
    const [seq = 0, index = 0] = part.id.slice(1).split('-').map(Number)
    const { sessionID } = this.#options
    const role = this.#answers.has(messageID) ? 'assistant' : 'user'
    const id = partId(this.#markOf(messageId), seq, index)
    return makePart(part, { id, sessionID, messageID, role, envelope, index })
  }

  #showRestored({ id }: ConversationMessage, messageID: string, at: number): OpenCodeEvent[] {
    const restored = this.#restored
    if (restored === undefined) return []
    this.#restored = undefined
    const frame = { id: partId(this.#markOf(id), restored.seq, 0), sessionID: this.#options.sessionID, messageID }
    const part = makeRestoredPart(restored, frame, at)
    this.cache.setPart(part, 0)
    return [partUpdated(part, at)]
  }

  #step(
    message: ConversationMessage,
    messageID: string,
    at: number,
    body: { type: 'step-start' } | { type: 'step-finish'; reason: string; cost: number; tokens: Tokens },
  ): OpenCodeEvent {
    const { sessionID } = this.#options
    const mark = this.#markOf(message.id)
    const finishSeq = this.#answers.get(messageID)?.finishSeq ?? message.lastSeq
    const id = body.type === 'step-start' ? partId(mark, message.firstSeq, 'first') : partId(mark, finishSeq, 'last')
    const part: Part = { id, sessionID, messageID, ...body }
    this.cache.setPart(part, 0)
    return partUpdated(part, at)
  }

  #answerInfo(message: ConversationMessage, id: string, interruption: string): AssistantMessage {
    const open = this.#answers.get(id) ?? { context: this.#contextOf(message, id), finishSeq: undefined }
    if (message.completedAt !== undefined) open.finishSeq ??= message.lastSeq
    this.#answers.set(id, open)
    dropOldest(this.#answers, MAX_KNOWN_ANSWERS)
    if (message.usage?.cost !== undefined) this.#cost = message.usage.cost
    const info = makeAssistantInfo(message, { ...open.context, interruption })
    const before = this.cache.info(id)
    const known = before?.role === 'assistant' ? before : undefined
    addTokens(this.tokens, info.tokens, known?.tokens ?? noTokens())
    // The reason for the end is set when the answer ends, and kept.
    return known?.error === undefined ? info : { ...info, error: known.error }
  }

  #contextOf(message: ConversationMessage, id: string): Open['context'] {
    const parentID = this.#names.get(message.answers ?? '') ?? ''
    return { ...this.#options.surroundings(), sessionID: this.#options.sessionID, id, parentID, costBefore: this.#cost }
  }

  #markOf(conversationId: string): string {
    const mark = this.#marks.get(conversationId) ?? partMark(this.#options.sessionId, conversationId)
    this.#marks.set(conversationId, mark)
    dropOldest(this.#marks, MAX_KNOWN_ANSWERS)
    return mark
  }

  /** The changed files are published once, when the tool is done. */
  #noteTool(tool: Extract<ConversationPart, { type: 'tool' }>, messageID: string): OpenCodeEvent[] {
    this.#tools.delete(tool.callId)
    const { kind, name, title, input, files, diffs } = tool
    const details = { name, title, input, files, diffs }
    this.#tools.set(tool.callId, tool.isOpen ? { messageID, kind, ...details } : { messageID, kind })
    dropOldest(this.#tools, MAX_KNOWN_TOOLS)
    if (tool.status !== 'completed') return []
    const parentID = this.#answers.get(messageID)?.context.parentID ?? ''
    this.diffs.set(tool.id, tool.diffs, [messageID, parentID])
    const named = EDITING.has(tool.kind) ? tool.files : []
    const { sessionID } = this.#options
    return [...new Set([...tool.diffs.map(({ path }) => path), ...named])].flatMap(path => {
      const key = `${tool.id} ${path}`
      if (this.#edited.has(key)) return []
      this.#edited.add(key)
      dropOldest(this.#edited, MAX_KNOWN_TOOLS)
      return [{ type: 'file.edited', properties: { sessionID, file: path, path } } as const]
    })
  }
}

const EDITING = new Set(['edit', 'delete', 'move'])

/** The bytes that the part keeps in memory. */
function bytesOf(part: Part, event: JournalEvent): number {
  return part.type === 'text' || part.type === 'reasoning' ? bytesOfText(part.text) : event.payload.length * 2
}

function bytesOfText(text: string): number {
  return text.length * 2
}

function addTokens(sum: Tokens, now: Tokens, before: Tokens): void {
  sum.input += now.input - before.input
  sum.output += now.output - before.output
  sum.reasoning += now.reasoning - before.reasoning
  sum.cache.read += now.cache.read - before.cache.read
  sum.cache.write += now.cache.write - before.cache.write
}

function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  if (entries.size <= max) return
  for (const key of entries.keys()) {
    entries.delete(key)
    return
  }
}

// Publishes a growing text: each chunk as a delta, and the whole text from time to time. Some clients add
// deltas, others replace the text.

type GrowingPart = TextPart | ReasoningPart

function partUpdated(part: Part, time: number, delta?: string): OpenCodeEvent {
  const { sessionID, messageID } = part
  const added = delta === undefined || delta === '' ? {} : { delta }
  return { type: 'message.part.updated', properties: { sessionID, messageID, part, time, ...added } }
}

class TextGrowth {
  /** How much of a text was published as a whole, by part. */
  readonly #published = new Map<string, number>()

  /**
   * The delta comes before the whole, so that clients that add and clients that replace have the same text.
   * The empty part comes first, because clients drop a delta of an unknown part.
   */
  grow(part: GrowingPart, delta: string, time: number): OpenCodeEvent[] {
    const known = this.#published.get(part.id)
    const published = known ?? 0
    const events: OpenCodeEvent[] = known === undefined ? [partUpdated({ ...part, text: '' }, time)] : []
    const { sessionID, messageID, id: partID } = part
    events.push({ type: 'message.part.delta', properties: { sessionID, messageID, partID, field: 'text', delta } })
    const { length } = part.text
    const isDue = length <= WHOLE_TEXT_CHARS || length - published >= length * TEXT_GROWTH
    if (isDue) events.push(partUpdated(part, time, part.text.slice(published)))
    this.#published.set(part.id, isDue ? length : published)
    return events
  }

  /** Publishes the whole text. */
  end(part: Part, time: number): OpenCodeEvent[] {
    const published = this.#published.get(part.id)
    this.#published.delete(part.id)
    const isText = part.type === 'text' || part.type === 'reasoning'
    return [partUpdated(part, time, published === undefined || !isText ? undefined : part.text.slice(published))]
  }
}
