// What the index of a log keeps of one record.

/** What a resume makes of a record. `talk` is what the user or the model said; `progress` is shown while working and never sent. */
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

/** What the agent's folder says of one record. */
export interface RecordFacts {
  kind: RecordKind
  id?: string | undefined
  /** `null` where the record says that it is a root; absent where it has no such field. */
  parent?: string | null | undefined
  sidechain?: boolean | undefined
  role?: 'user' | 'assistant' | undefined
  /** Several records with the same group are one message of the model. */
  group?: string | undefined
  /** Milliseconds since 1970. */
  time?: number | undefined
  /** Ids of the tool calls in it, and of the calls it has the results of. */
  calls?: readonly string[] | undefined
  results?: readonly string[] | undefined
  /** Its content may be of a kind that the model's API refuses: worth a close look. */
  suspect?: boolean | undefined
  /** It holds what the model thought to itself, and nothing else. */
  onlyThinking?: boolean | undefined
  /** For a record that takes others back: the first of them. */
  target?: string | undefined
  /** The version of the agent that wrote it. */
  version?: string | undefined
  /** Put in by the agent itself. */
  meta?: boolean | undefined
  /** The agent cannot read it: a field is missing or of another kind. It is shown, and never loaded. */
  refused?: boolean | undefined
}
