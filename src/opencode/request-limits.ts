// How much clients may ask for and send. A limit that is reached is said to whoever asked.

/** Of one request: a prompt with pictures. The protocol's own reader stops at 32 MiB a message. */
export const MAX_BODY_BYTES = 24 * 1024 * 1024
/** In one list; those that were used last. */
export const MAX_LISTED_SESSIONS = 10_000
/** That wait in one session while a turn runs. */
export const MAX_QUEUED_TURNS = 32
/** Between the event that tells of a question and the moment it can be answered, and from its answer until that is in the journal. */
export const ASKED_MS = 5000
export const ASKED_LOOK_MS = 5
