// The changes that the events of a journal make to a conversation. The reducer emits them, and every view is
// built from them.

/**
 * A prompt or an answer. Its id follows from the seq of its first event, so the same journal gives the same
 * ids.
 */
export interface ConversationMessage {
  /** `m` and the seq of its first event. A second message of the same event has a number appended. */
  id: string
  role: 'user' | 'assistant'
  /** Milliseconds. */
  createdAt: number
  /** The end of the message. Absent while it is open. */
  completedAt?: number
  /** For a prompt that waits and was not sent yet: its key. */
  queuedAs?: string
  /** For an answer: the message it answers, if any. */
  answers?: string
  /** The agent or rethread exited before the end. The message holds all that arrived. */
  isIncomplete?: boolean
  /** The agent's own reason: end_turn, cancelled … */
  stopReason?: string
  error?: ConversationError
  usage?: ConversationUsage
  firstSeq: number
  lastSeq: number
}

export interface ConversationError {
  /** The JSON-RPC error code, if the agent sent one. */
  code?: number
  text: string
}

export interface ConversationUsage {
  input?: number
  output?: number
  cacheRead?: number
  cacheWrite?: number
  reasoning?: number
  /** The total so far, in the currency the agent named. */
  cost?: number
  currency?: string
  /** Tokens in the agent's context, and its maximum. */
  contextUsed?: number
  contextSize?: number
}

/**
 * Emitted again as it grows, under the same id: `p`, the seq of its first event, and its index in that event.
 */
export type ConversationPart = PartFrame & PartBody

export interface PartFrame {
  id: string
  createdAt: number
  updatedAt: number
  /** The part may still grow. */
  isOpen: boolean
}

export type PartBody =
  | { type: 'text'; text: string }
  | { type: 'thought'; text: string }
  | ToolPart
  | {
      type: 'file'
      name: string | undefined
      mime: string | undefined
      uri: string | undefined
      isInline: boolean
      /** An image, in base64. */
      data?: string
    }
  /** Content of an unknown type, unchanged. */
  | { type: 'unknown'; kind: string; value: unknown }

export interface ToolPart {
  type: 'tool'
  callId: string
  /** The name that the agent gives, otherwise the kind. */
  name: string
  title: string
  kind: string
  /** `interrupted`: the agent or rethread exited before the tool ended. */
  status: 'pending' | 'running' | 'completed' | 'failed' | 'interrupted'
  input: unknown
  output: string
  files: readonly string[]
  diffs: readonly { path: string; oldText: string | null; newText: string }[]
}

/** A request of the agent that a person has to answer. */
export interface AgentQuestion {
  /** The connection and the number of the request. An answer names it. */
  key: string
  type: 'permission' | 'question'
  createdAt: number
  /** The parameters as the agent sent them. */
  params: unknown
  callId?: string
}

/** `expired`: the agent that asked has exited. */
export type QuestionEnd = 'answered' | 'cancelled' | 'expired'

export interface PlanEntry {
  content: string
  priority: string
  status: string
}

/** A change, and the event that caused it. */
export type ConversationChange = { seq: number; at: number } & ChangeBody

export type ChangeBody =
  | { type: 'message'; message: ConversationMessage }
  /** `delta`: the added text, where nothing else changed. */
  | { type: 'part'; messageId: string; part: ConversationPart; delta?: string }
  | { type: 'status'; status: 'idle' | 'busy' }
  | { type: 'error'; error: ConversationError; messageId: string | undefined }
  | { type: 'asked'; question: AgentQuestion }
  | { type: 'settled'; key: string; end: QuestionEnd; answer?: unknown }
  | { type: 'plan'; entries: PlanEntry[] }
  | { type: 'title'; title: string }
  | { type: 'mode'; mode: string }
  | { type: 'commands'; commands: { name: string; description: string }[] }
  | { type: 'restored'; strategy: string; text: string; lost: string | undefined }
  | { type: 'forked'; from: string }
  /** An invalid line or an unknown notification of the agent. It is counted, but not shown as a message. */
  | { type: 'notice'; kind: string; text: string }
