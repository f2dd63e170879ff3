// How much is kept for those who listen, and how often they hear that we are there.

/** Events that can be had again by `Last-Event-ID`, and their bytes: some minutes of a lively session. */
export const RING_EVENTS = 4096
export const RING_BYTES = 32 * 1024 * 1024
/** So far behind, a listener is too slow: it is let go, and can go on where it was as long as the ring has it. */
export const MAX_LAG_EVENTS = 2048
export const MAX_LAG_BYTES = 16 * 1024 * 1024
/** Handed to a stream at once, so that one listener does not hold up the others. */
export const BATCH_BYTES = 256 * 1024
/** Of what a stream takes before it is asked to wait. */
export const STREAM_BYTES = 64 * 1024
export const HEARTBEAT_MS = 10_000
/** For what stands between and knows no heartbeat. */
export const KEEP_ALIVE_MS = 15_000
/** Ids of events in one millisecond before they run ahead of the clock. In a double these last until the year 2248. */
export const IDS_PER_MS = 1024
