// How much of everything terminals of the API take on. What all terminals share is in the server's own limits.

/** Of output, for each terminal, so that a client can go on where it was. */
export const KEPT_CHARS = 1024 * 1024
/** In one message. */
export const PIECE_CHARS = 64 * 1024
/** Clients that watch one terminal. */
export const MAX_WATCHERS = 32
/** Typed or pasted at once. */
export const MAX_INPUT_BYTES = 1024 * 1024
export const TICKET_SECONDS = 60
/** Given and not used; the oldest go first. */
export const MAX_TICKETS = 1000
export const FIRST_SIZE = { cols: 80, rows: 24 }
/** What a person could have, and what a PTY takes. */
export const MAX_COLS = 1000
export const MAX_ROWS = 1000
