// A session as `discover` finds it: cheap to know, without reading the conversation.

export interface SessionRef {
  agent: string
  sessionId: string
  /** The file that holds the session. Sessions in a database share it. */
  filePath: string
  /** The `name` of the store that holds it. */
  generation: string
  /** The folder or database in which the session was found. Reading never leaves it through links. */
  storeRoot: string
  /** Milliseconds since 1970. */
  updatedAt: number
  fileSize: number
  /** The bytes of this session alone, where several share the file and each one's are known. */
  ownBytes?: number
  /** Changes whenever the stored data of this session changes. Cached summaries are keyed by it. */
  identity: string
  /** What the store says without a full read. The rest is known only after reading. */
  title?: string
  project?: string
  messageCount?: number
  subagentOf?: string
  /**
   * Folders in which the agent stores the same session a second time. A reading reports problems there as
   * well.
   */
  copies?: string[]
  /** A file outside every store that a person named, such as a copy. Its name need not be an id. */
  isOutside?: boolean
  /**
   * From the last successful listing: its database was locked a moment ago, so waiting again is pointless.
   */
  isFromMemory?: boolean
}
