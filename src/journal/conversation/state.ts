// The state of the reducer: only what is open, never the whole conversation.
import type {
  AgentQuestion,
  ChangeBody,
  ConversationChange,
  ConversationMessage,
  ConversationUsage,
  PartFrame,
  ToolPart,
} from './changes.ts'

/** An editor may send several prompts at once. More open ones mean that the journal lost their answers. */
export const MAX_OPEN_TURNS = 64
/** For one turn. The oldest is then interrupted. */
export const MAX_OPEN_TOOLS = 256
/** Agents may add to a tool shortly after its end. */
export const MAX_ENDED_TOOLS = 32
export const MAX_WAITING_QUESTIONS = 256
export const MAX_PENDING_REQUESTS = 256
export const MAX_QUEUED_PROMPTS = 256

/** The text part that the next chunk may continue. */
export interface Growing {
  part: PartFrame & { type: 'text' | 'thought'; text: string }
  /** The agent's message id, if it sends one. */
  messageId: string | undefined
}

export interface OpenTool {
  part: PartFrame & ToolPart
  /** The text of the content, and the raw output. The raw output is shown where there is no content. */
  contentText: string
  rawText: string
  /** The output of terminals that the agent runs itself, by their ids. */
  terminals: Map<string, string>
}

export interface PromptRequest {
  key: string
  connectionId: string
  /** Used to recognise the prompt when the agent repeats it. White space is squeezed. */
  text: string
  hasFiles: boolean
  /** Journalled before its agent ran, and not sent yet. It belongs to no connection. */
  isTaken: boolean
}

/** A prompt and its answer, until the response. Without a request: content that no prompt asked for. */
export interface Turn {
  request: PromptRequest | undefined
  /** The message of the person. */
  answers: string | undefined
  answer: ConversationMessage | undefined
  /** Usage that arrived before the answer started. */
  usage: ConversationUsage | undefined
  growing: Growing | undefined
  tools: Map<string, OpenTool>
}

/** A message of the person that the agent reports. */
export interface ReportedMessage {
  message: ConversationMessage
  updatedAt: number
  messageId: string | undefined
  growing: Growing | undefined
}

export interface PendingRequest {
  method: string
  /** The mode that is requested. */
  mode: string | undefined
}

export interface ReducerState {
  /** Oldest first. */
  turns: Turn[]
  unprompted: Turn | undefined
  reported: ReportedMessage | undefined
  lastUserId: string | undefined
  lastAnswer: ConversationMessage | undefined
  endedTools: Map<string, { messageId: string; tool: OpenTool }>
  questions: Map<string, { question: AgentQuestion; connectionId: string }>
  /** Requests of the client, by connection and number. */
  requests: Map<string, PendingRequest>
  /** Prompts that wait, by key. */
  queued: Map<string, ConversationMessage>
}

export function makeState(): ReducerState {
  return {
    turns: [],
    unprompted: undefined,
    reported: undefined,
    lastUserId: undefined,
    lastAnswer: undefined,
    endedTools: new Map(),
    questions: new Map(),
    requests: new Map(),
    queued: new Map(),
  }
}

/** One event on its way through the reducer. */
export class Step {
  readonly state: ReducerState
  readonly seq: number
  readonly at: number
  readonly connectionId: string
  readonly changes: ConversationChange[] = []
  #parts = 0
  #messages = 0

  constructor(state: ReducerState, event: { seq: number; at: number; connectionId: string }) {
    this.state = state
    this.seq = event.seq
    this.at = event.at
    this.connectionId = event.connectionId
  }

  emit(body: ChangeBody): void {
    this.changes.push({ seq: this.seq, at: this.at, ...body })
  }

  notice(kind: string, text: string): void {
    this.emit({ type: 'notice', kind, text })
  }

  makePart(isOpen: boolean): PartFrame {
    return { id: `p${this.seq}-${this.#parts++}`, createdAt: this.at, updatedAt: this.at, isOpen }
  }

  makeMessage(role: ConversationMessage['role']): ConversationMessage {
    const number = this.#messages++
    const id = number === 0 ? `m${this.seq}` : `m${this.seq}-${number}`
    return { id, role, createdAt: this.at, firstSeq: this.seq, lastSeq: this.seq }
  }
}

/** Removes and returns the first entry of a map with more than `max` entries. */
export function takeOldest<Value>(map: Map<string, Value>, max: number): Value | undefined {
  if (map.size <= max) return undefined
  for (const [key, value] of map) {
    map.delete(key)
    return value
  }
  return undefined
}
