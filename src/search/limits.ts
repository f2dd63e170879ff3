// The limits of a query. They are apart from its shapes, so that
// a search starts without the library of those.
export const MAX_QUERY_CHARACTERS = 1000
/** Conversations in one answer. */
export const MAX_RESULTS = 200
export const DEFAULT_RESULTS = 20
/** Passages of one conversation. */
export const MAX_PASSAGES = 20
export const DEFAULT_PASSAGES = 3
