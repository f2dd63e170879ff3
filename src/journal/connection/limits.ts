// How much, and how long, at a connection.

/** As much as the journal keeps of one envelope would be too much to hold for every line of a broken agent. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Of a line that is no message, for the journal. */
export const MAX_GARBAGE_CHARS = 2000
/** The end of what an agent writes to its error output. */
export const MAX_STDERR_BYTES = 8 * 1024
/** Updates for a session whose id is not known yet: they come just before the answer that tells it. */
export const MAX_EARLY_UPDATES = 10_000
/** The slowest agent seen took seven seconds to answer the first time. */
export const INITIALIZE_MS = 60_000
/** Beginning or loading a session: some read all of it. */
export const BEGIN_MS = 180_000
/** An agent that answered a load before it had repeated everything is done when it has been quiet for so long. */
export const LATE_HISTORY_MS = 500
/** After a cancel a turn has to end; an agent that does not answer by then is ended. */
export const CANCEL_MS = 15_000
/** With its input closed an agent ends by itself; then it is asked to, then made to. */
export const CLOSE_MS = 1500
export const TERM_MS = 2000
