// The name of the cache of summaries, for those that only ask whether there is one.

/** Raise it whenever a summary has another shape or meaning. */
const VERSION = 5

export const SUMMARIES = `summaries-${VERSION}`
