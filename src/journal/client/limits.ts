// Limits for the requests of an agent. The agent gets an error when it reaches one.

/**
 * For one read or write. JSON may need six bytes for one, and the reader of the ACP SDK stops at 32 MiB a
 * message.
 */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024
/** For one terminal, where the agent sets no limit. */
export const OUTPUT_BYTES = 1024 * 1024
/** The highest limit an agent may set, for the same reason as for a file. */
export const MAX_OUTPUT_BYTES = 4 * 1024 * 1024
/** Terminals that are not released. Each holds processes or some megabytes of output. */
export const MAX_TERMINALS_PER_SESSION = 32
/** Questions that may be open at once. */
export const MAX_QUESTIONS_PER_SESSION = 100
/** The time between asking processes to end and killing them. */
export const END_GRACE_MS = 2000
/**
 * How long to read the last output after a command has exited. A process it left behind may hold the output
 * open.
 */
export const DRAIN_MS = 250
