// Limits of one request for files. What a limit leaves out is counted and reported in a header of the answer.

/** Entries of one walk. Large repositories have some hundred thousand files that are not ignored. */
export const MAX_WALKED_ENTRIES = 200_000
export const MAX_WALK_DEPTH = 64
/** Entries of one listed folder. */
export const MAX_LISTED_ENTRIES = 10_000
/** Bytes of one .gitignore. Later rules are ignored. */
export const MAX_IGNORE_BYTES = 256 * 1024

/** Bytes of a file that is requested as a whole. As JSON or base64 it is much larger. */
export const MAX_CONTENT_BYTES = 16 * 1024 * 1024
/** Bytes that are examined to decide whether a file is text. */
export const PROBE_BYTES = 8192

/** Lines in the answer of one search; clients show a few dozen. */
export const MAX_MATCHES = 500
export const MAX_SUBMATCHES = 100
/** Larger files are skipped: they are data, not source text. */
export const MAX_SEARCHED_FILE_BYTES = 8 * 1024 * 1024
export const MAX_SEARCHED_BYTES = 1024 * 1024 * 1024
/** Longer lines are skipped: a line of a bundle is not a useful match. */
export const MAX_SEARCHED_LINE_BYTES = 64 * 1024
export const MAX_PATTERN_CHARS = 1000
/** After this time, the matches found so far are the answer. */
export const SEARCH_MS = 8000
/** A thread that is still in the regular expression this long after the limit is terminated. */
export const STUCK_MS = 2000
/** Threads that search at once. */
export const MAX_SEARCHES = 3
/** Memory of such a thread. */
export const SEARCH_ROOM = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export const DEFAULT_FOUND_FILES = 100
export const MAX_FOUND_FILES = 1000
/** Longer queries rank nothing better. */
export const MAX_QUERY_CHARS = 256
/** How long a listing is reused. Clients send a request for every key. */
export const LISTING_MS = 3000
/** Folders whose listing is kept. */
export const MAX_LISTINGS = 4
