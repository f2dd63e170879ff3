// Limits of readings for the page: memory, disk and waiting times.

export interface Limits {
  /**
   * Cached conversations. The least recently used one goes first. Each
   * costs an open file and about 40 bytes a message.
   */
  conversations: number
  /** The size of all spool files together. */
  spoolBytes: number
  /** More would only wait for the same disk. */
  threads: number
  /** Readings that take turns in one thread, so that a small one does not wait for a large one. */
  readingsPerThread: number
  /** How long a page waits for the end of a first reading. Then it gets what has been read so far. */
  firstReadingMs: number
  /** The same if the end of the file was read ahead and can be shown. */
  withTailMs: number
  /** How long a page waits for added messages. Then it gets the messages known before. */
  againMs: number
  /** How long a single message waits to be read. */
  messageMs: number
  /** From this size on, the end of a file that only grows is read ahead. */
  tailFromBytes: number
}

export const LIMITS: Limits = {
  conversations: 24,
  spoolBytes: 4 * 1024 ** 3,
  threads: 4,
  readingsPerThread: 3,
  firstReadingMs: 2000,
  withTailMs: 400,
  againMs: 500,
  messageMs: 10_000,
  tailFromBytes: 16 * 1024 * 1024,
}

export const DEFAULT_PAGE = 50

/** Bytes of a stored record in one answer. */
export const MAX_RECORD_BYTES = 1024 * 1024
/** Bytes of one message in a page, all its parts together. */
export const MAX_MESSAGE_CHARS = 200_000

/** How much of the end of a file is read ahead. */
export const TAIL_BYTES = 2 * 1024 * 1024

/**
 * A file that grew is read from the end of the last reading, which misses changes before that place. Frequent
 * readings notice such a change. After this long without one, everything is read again.
 */
export const TRUST_MS = 120_000
/** How soon a locked database is tried again. */
export const BUSY_AGAIN_MS = 5000
/** Replaced data stays in the spool until it is larger than the data in use, and at least this large. */
export const WASTE_BYTES = 16 * 1024 * 1024
