// Why the agent's own list omits a session.

/** A closed set: it is part of every JSON answer. */
export const UNLISTED_REASONS = [
  /** The index works, and does not name the session. */
  'not-indexed',
  /** It is filed under another project than the one in which it was held. */
  'wrong-project',
  'index-missing',
  'index-corrupt',
  /** The project folder has another path now. */
  'folder-moved',
  /** It is marked as archived or hidden. */
  'archived',
  /** The name of the file and its header name different sessions or folders. */
  'header-differs',
  /** The agent changed its store and did not take the session along. */
  'left-behind',
  /** It is still listed, and the agent deletes it together with an empty file of the same name. */
  'empty-copy',
] as const
export type UnlistedReason = (typeof UNLISTED_REASONS)[number]
