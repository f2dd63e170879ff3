// Limits and timeouts of a connection.

/**
 * For one line of an agent. The journal could hold more, but memory for every line of a broken agent could
 * not.
 */
export const MAX_AGENT_LINE_BYTES = 64 * 1024 * 1024
/** Characters of a line that is not a message, for the journal. */
export const MAX_GARBAGE_CHARS = 2000
/** The end of the error output of an agent. */
export const MAX_STDERR_BYTES = 8 * 1024
/** Updates for a session whose id is not known yet. They come just before the answer with the id. */
export const MAX_EARLY_UPDATES = 10_000
/** The slowest agent seen took seven seconds to answer the first time. */
export const INITIALIZE_MS = 60_000
/** For starting or loading a session. Some agents read all of it. */
export const BEGIN_MS = 180_000
/**
 * Some agents answer a load before they have repeated everything. They are done after this time without an
 * update.
 */
export const LATE_HISTORY_MS = 500
/** A cancelled turn has to end within this time. Otherwise the agent is ended. */
export const CANCEL_MS = 15_000
/**
 * After its input closes, an agent has this time to exit. Then it gets SIGTERM, and after TERM_MS SIGKILL.
 */
export const CLOSE_MS = 1500
export const TERM_MS = 2000
