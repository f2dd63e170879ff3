// Limits of terminals of the OpenCode API. The limits of all terminals are in the server's own limits.

/** Stored output of each terminal, so that a client can continue where it was. */
export const KEPT_CHARS = 1024 * 1024
/** Characters in one message. */
export const PIECE_CHARS = 64 * 1024
/** Clients that watch one terminal. */
export const MAX_WATCHERS = 32
/** Bytes typed or pasted at once. */
export const MAX_INPUT_BYTES = 1024 * 1024
export const TICKET_SECONDS = 60
/** Unused tickets. The oldest are removed first. */
export const MAX_TICKETS = 1000
export const FIRST_SIZE = { cols: 80, rows: 24 }
/** Larger than any screen, and within the range of a PTY. */
export const MAX_COLS = 1000
export const MAX_ROWS = 1000
