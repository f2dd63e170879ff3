// What a reading for the page may take, and how long anybody waits for one.

export interface Limits {
  /** Conversations that are kept at hand; the one used longest ago goes first. Each costs an open file and about 40 bytes a message. */
  conversations: number
  /** Of all spool files together, on the disk. */
  spoolBytes: number
  /** More would only wait for the same disk. */
  threads: number
  /** Readings that take turns in one thread: a small one is not held up by a large one before it. */
  readingsPerThread: number
  /** How long a page waits for the end of a first reading; then there is what there is. */
  firstReadingMs: number
  /** The same where the end of the file was read ahead and can be shown. */
  withTailMs: number
  /** How long a page waits for what was added since; then there is what was known before. */
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

/** Of a stored record, in one answer. */
export const MAX_RECORD_BYTES = 1024 * 1024
/** Of one message in a page, all its parts together. */
export const MAX_MESSAGE_CHARS = 200_000

/** So much of the end of a file is read ahead. */
export const TAIL_BYTES = 2 * 1024 * 1024

/**
 * A file that grew is read from where the last reading ended, which cannot see what was changed before that place. Whoever looks often sees such
 * a change by itself; after this long without a look, everything is read again.
 */
export const TRUST_MS = 120_000
/** How soon a locked database is tried again. */
export const BUSY_AGAIN_MS = 5000
/** What was replaced stays in the spool until it is more than what is in use, and this much. */
export const WASTE_BYTES = 16 * 1024 * 1024
