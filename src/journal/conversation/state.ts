// What the reducer remembers: only what is open, never the conversation.
import type {
  AgentQuestion,
  Change,
  ChangeBody,
  ConversationMessage,
  ConversationUsage,
  PartFrame,
  ToolPart,
} from './changes.ts'

/** An editor may send a few prompts at once; so many without an answer are a journal that lost the answers. */
export const MAX_OPEN_TURNS = 64
/** Of one turn. The oldest is given up as interrupted. */
export const MAX_OPEN_TOOLS = 256
/** Agents add to a tool shortly after they said that it ended. */
export const MAX_ENDED_TOOLS = 32
export const MAX_WAITING_QUESTIONS = 256
export const MAX_PENDING_REQUESTS = 256

/** The text part that the next chunk may go on with. */
export interface Growing {
  part: PartFrame & { type: 'text' | 'thought'; text: string }
  /** As the agent numbers its messages, where it does. */
  messageId: string | undefined
}

export interface OpenTool {
  part: PartFrame & ToolPart
  /** What its content says, and what its raw output says: the second is shown where there is no first. */
  contentText: string
  rawText: string
}

export interface PromptRequest {
  key: string
  connectionId: string
  /** To know it again when the agent repeats it; its white space is squeezed. */
  text: string
  hasFiles: boolean
}

/** What is said until the response to a prompt comes. Without a request: what an agent says when nobody asked. */
export interface Turn {
  request: PromptRequest | undefined
  /** The message of the person. */
  answers: string | undefined
  answer: ConversationMessage | undefined
  /** Came before the answer began. */
  usage: ConversationUsage | undefined
  growing: Growing | undefined
  tools: Map<string, OpenTool>
}

/** A message of the person that the agent tells of. */
export interface ReportedMessage {
  message: ConversationMessage
  updatedAt: number
  messageId: string | undefined
  growing: Growing | undefined
}

export interface PendingRequest {
  method: string
  /** The mode it asks for. */
  mode: string | undefined
}

export interface ReducerState {
  /** The oldest first. */
  turns: Turn[]
  unprompted: Turn | undefined
  reported: ReportedMessage | undefined
  lastUserId: string | undefined
  lastAnswer: ConversationMessage | undefined
  endedTools: Map<string, { messageId: string; tool: OpenTool }>
  questions: Map<string, { question: AgentQuestion; connectionId: string }>
  /** Of the client, by connection and number. */
  requests: Map<string, PendingRequest>
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
  }
}

/** One event on its way through the reducer. */
export class Step {
  readonly state: ReducerState
  readonly seq: number
  readonly at: number
  readonly connectionId: string
  readonly changes: Change[] = []
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

/** The first of a map that has more than `max`, taken out of it. */
export function takeOldest<Value>(map: Map<string, Value>, max: number): Value | undefined {
  if (map.size <= max) return undefined
  for (const [key, value] of map) {
    map.delete(key)
    return value
  }
  return undefined
}
