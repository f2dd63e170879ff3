// By which rules a verdict was made, and an index of records that later verdicts go on from.

/** Raised whenever a damage is added or finds something else, or what is told of a record or a model of a loader changes: what was healthy by the old rules is checked again. */
export const RULES_VERSION = 4
