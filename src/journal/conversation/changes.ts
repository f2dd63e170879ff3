// What a journal means, step by step: each event changes a few things about a conversation. The reducer makes these, every view is made of them.

/** Of one turn: what the person said, or what the agent answered. Ids are made of the seq of the first event, so the same journal gives the same ones. */
export interface ConversationMessage {
  /** `m` and the seq of the event it began with; a second one of the same event has its number behind it. */
  id: string
  role: 'user' | 'assistant'
  /** Milliseconds. */
  createdAt: number
  /** Where it ended; absent while it is open. */
  completedAt?: number
  /** Of an answer: the message it answers, where there is one. */
  answers?: string
  /** The agent or rethread ended before it did: what is there is all that came. */
  isIncomplete?: boolean
  /** As the agent said why it stopped: end_turn, cancelled … */
  stopReason?: string
  error?: ConversationError
  usage?: ConversationUsage
  firstSeq: number
  lastSeq: number
}

export interface ConversationError {
  /** Of JSON-RPC, where the agent gave one. */
  code?: number
  text: string
}

export interface ConversationUsage {
  input?: number
  output?: number
  cacheRead?: number
  cacheWrite?: number
  reasoning?: number
  /** Of everything so far, in the currency the agent named. */
  cost?: number
  currency?: string
  /** Tokens that the agent has before it now, and how many it may have. */
  contextUsed?: number
  contextSize?: number
}

/** Upserted as it grows, under one id from the first chunk to the end: `p` and the seq of the event it began with, then its place in it. */
export type ConversationPart = PartFrame & PartBody

export interface PartFrame {
  id: string
  createdAt: number
  updatedAt: number
  /** It may still grow. */
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
      /** A picture, in base64. */
      data?: string
    }
  /** What no version of the protocol known here has: kept as it came. */
  | { type: 'unknown'; kind: string; value: unknown }

export interface ToolPart {
  type: 'tool'
  callId: string
  /** The agent's own word for it where it gives one, else the kind. */
  name: string
  title: string
  kind: string
  /** `interrupted`: whoever ran it ended before it did. */
  status: 'pending' | 'running' | 'completed' | 'failed' | 'interrupted'
  input: unknown
  output: string
  files: readonly string[]
  diffs: readonly { path: string; oldText: string | null; newText: string }[]
}

/** Something the agent asked and that somebody has to answer. */
export interface AgentQuestion {
  /** Connection and number of the request: what an answer has to name. */
  key: string
  type: 'permission' | 'question'
  createdAt: number
  /** The parameters as the agent sent them. */
  params: unknown
  callId?: string
}

/** `expired`: whoever asked is gone. */
export type QuestionEnd = 'answered' | 'cancelled' | 'expired'

export interface PlanEntry {
  content: string
  priority: string
  status: string
}

/** What was changed, and by which event. */
export type Change = { seq: number; at: number } & ChangeBody

export type ChangeBody =
  | { type: 'message'; message: ConversationMessage }
  /** `delta`: what was added to its text, where nothing else changed. */
  | { type: 'part'; messageId: string; part: ConversationPart; delta?: string }
  | { type: 'status'; status: 'idle' | 'busy' }
  | { type: 'error'; error: ConversationError; messageId: string | undefined }
  | { type: 'asked'; question: AgentQuestion }
  | { type: 'settled'; key: string; end: QuestionEnd; answer?: unknown }
  | { type: 'plan'; entries: PlanEntry[] }
  | { type: 'title'; title: string }
  | { type: 'mode'; mode: string }
  | { type: 'commands'; commands: { name: string; description: string }[] }
  | { type: 'restored'; rung: string; text: string; lost: string | undefined }
  | { type: 'forked'; from: string }
  /** A line of the agent that was no message, an unknown notification: nothing to show as said, but counted. */
  | { type: 'notice'; kind: string; text: string }
