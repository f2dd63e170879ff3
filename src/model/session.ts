// A session as `discover` finds it: cheap to know, without reading the conversation.

export interface SessionRef {
  agent: string
  sessionId: string
  /** The file the session is in; several sessions share it where the store is a database. */
  filePath: string
  /** Which of the agent's stores it is in: the `name` of that one. */
  generation: string
  /** The folder or database the session was found in: reading never leaves it through links. */
  storeRoot: string
  /** Milliseconds since 1970. */
  updatedAt: number
  fileSize: number
  /** Changes whenever what is stored of this session changes; cached summaries are keyed by it. */
  identity: string
  /** What the store tells for free; what is absent is learnt by reading. */
  title?: string
  project?: string
  messageCount?: number
  subagentOf?: string
  /** Folders in which the agent keeps the same session a second time; a reading tells what is wrong there as well. */
  copies?: string[]
  /** A file that a person named, outside every store, such as a copy: its name need not be an id. */
  isOutside?: boolean
  /** Known from the last time only: its database was locked a moment ago, so waiting for it once more is no use. */
  isFromMemory?: boolean
}
