// How much of a folder is looked at for one call. What a limit left out is counted, and said in a header of the answer.

/** Of one walk: large repositories have some hundred thousand files without what is ignored. */
export const MAX_WALKED_ENTRIES = 200_000
export const MAX_WALK_DEPTH = 64
/** In one folder that is listed. */
export const MAX_LISTED_ENTRIES = 10_000
/** Of one .gitignore; rules behind it are not known. */
export const MAX_IGNORE_BYTES = 256 * 1024

/** A file that is asked for as a whole. As JSON, and in base64, it is a good deal more. */
export const MAX_CONTENT_BYTES = 16 * 1024 * 1024
/** So much is looked at to tell text from bytes. */
export const PROBE_BYTES = 8192

/** Lines in the answer of one search; clients show a few dozen. */
export const MAX_MATCHES = 500
export const MAX_SUBMATCHES = 100
/** Larger files are skipped: they are data, not what somebody wrote. */
export const MAX_SEARCHED_FILE_BYTES = 8 * 1024 * 1024
export const MAX_SEARCHED_BYTES = 1024 * 1024 * 1024
/** Longer lines are skipped: nobody reads a bundle in a list of matches. */
export const MAX_SEARCHED_LINE_BYTES = 64 * 1024
export const MAX_PATTERN_CHARS = 1000
/** After it, what has been found is the answer. */
export const SEARCH_MS = 8000
/** A thread that has not ended so long after that is inside of the pattern, and is ended. */
export const STUCK_MS = 2000
/** Threads that search at once. */
export const MAX_SEARCHES = 3
/** Memory of such a thread. */
export const SEARCH_ROOM = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export const DEFAULT_FOUND_FILES = 100
export const MAX_FOUND_FILES = 1000
/** Longer queries rank nothing better. */
export const MAX_QUERY_CHARS = 256
/** People type, and every key is a call: for so long one look at the folder serves them. */
export const LISTING_MS = 3000
/** Folders whose listing is kept. */
export const MAX_LISTINGS = 4
