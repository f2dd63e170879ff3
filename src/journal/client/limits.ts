// How much an agent may ask of its client, and how long is waited. A limit that is reached is said to the agent.

/** Read or written at once. As JSON a byte may become six, and the protocol's own reader stops at 32 MiB a message. */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024
/** Of one terminal, where the agent names no limit. */
export const OUTPUT_BYTES = 1024 * 1024
/** Whatever limit the agent names: for the same reason as for a file. */
export const MAX_OUTPUT_BYTES = 4 * 1024 * 1024
/** That were not released, running or not: each is a tree of processes, or some megabytes of output. */
export const MAX_TERMINALS_PER_SESSION = 32
/** That wait for somebody at once. */
export const MAX_QUESTIONS_PER_SESSION = 100
/** Between asking what runs to end and killing it. */
export const END_GRACE_MS = 2000
/** After a command has ended, for the last of its output; a process that it left behind may hold the output open for ever. */
export const DRAIN_MS = 250
