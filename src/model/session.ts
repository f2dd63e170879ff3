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
  /** Read from the archive: the agent no longer has it, or an earlier state of it is wanted. */
  archived?: ArchivedRef
  /**
   * From the last successful listing: its database was locked a moment ago, so waiting again is pointless.
   */
  isFromMemory?: boolean
}

export interface ArchivedRef {
  /** The chain in the archive. */
  chain: string
  /** The restore point. Default: the last one at which the session existed. */
  number?: number
  /** Milliseconds since 1970. Absent if it is not known, or the session was not deleted. */
  deletedAt?: number
  /** It was old enough for the agent to delete it by itself. */
  isByAgent?: boolean
}

/** For a person: "deleted by TITLE on 2026-11-16; archived". */
export function describeArchived({ deletedAt, isByAgent, number }: ArchivedRef, agentTitle: string): string {
  if (deletedAt === undefined) return number === undefined ? 'missing; archived' : 'from the archive'
  const day = new Date(deletedAt).toISOString().slice(0, 10)
  return `deleted ${isByAgent === true ? `by ${agentTitle} ` : ''}on ${day}; archived`
}
