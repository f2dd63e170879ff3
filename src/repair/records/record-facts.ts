// What the index of a log stores of one record.

/**
 * What a resume makes of a record. `talk` is a message of the user or the model; `progress` is shown while
 * working and never sent.
 */
export const RECORD_KINDS = [
  'talk',
  'system',
  'attachment',
  'progress',
  'boundary',
  'header',
  'rewind',
  'change',
  'other',
] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

/** What an agent's folder reads from one record. */
export interface RecordFacts {
  kind: RecordKind
  id?: string | undefined
  /** It has an id that a resume does not use, although another record may name it as its parent. */
  hasUnusedId?: boolean | undefined
  /** `null` where the record states that it is a root; absent where it has no such field. */
  parent?: string | null | undefined
  sidechain?: boolean | undefined
  role?: 'user' | 'assistant' | undefined
  /** Records of the same group form one message of the model. */
  group?: string | undefined
  /** Milliseconds since 1970. */
  time?: number | undefined
  /** Ids of the tool calls in it, and of the calls whose results it holds. */
  calls?: readonly string[] | undefined
  results?: readonly string[] | undefined
  /** The model's API may reject its content, so it needs a closer check. */
  suspect?: boolean | undefined
  /** It holds only thinking of the model. */
  onlyThinking?: boolean | undefined
  /** For a record that rewinds the conversation: the first record that is removed. */
  target?: string | undefined
  /** The version of the agent that wrote it. */
  version?: string | undefined
  /** Added by the agent itself. */
  meta?: boolean | undefined
  /**
   * The agent cannot read it: a field is missing or of another type. Readers show it; the agent never loads
   * it.
   */
  refused?: boolean | undefined
}
