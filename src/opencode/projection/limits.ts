// Limits of the views.

/** The number of views, and their approximate size. Active views may exceed it. */
export const MAX_VIEWS = 64
export const MAX_VIEWS_BYTES = 256 * 1024 * 1024
/** For one view. The contents of older messages are dropped and read from the journal again when needed. */
export const MAX_VIEW_BYTES = 64 * 1024 * 1024
/** Events to read from the journal at once. */
export const PAGE_EVENTS = 500
/** Events between the disk and the listeners at the time a view is built. */
export const MAX_PENDING_EVENTS = 64
/** Sessions that are not conversations, remembered to avoid a lookup for each event. */
export const MAX_IGNORED = 1024
/** Shorter texts are sent in full with each chunk. */
export const WHOLE_TEXT_CHARS = 1024
/**
 * Longer texts are sent in full after growing by this share. That costs about 16 n for n characters, not n².
 */
export const TEXT_GROWTH = 1 / 16
/** For an image or sound in base64. Larger ones stay in the journal. */
export const MAX_INLINE_CHARS = 512 * 1024
/** For a block of an unknown type, shown as text. */
export const MAX_UNKNOWN_CHARS = 2000
/** Texts kept for `diff`. Of older changes only the counts remain. */
export const MAX_DIFF_CHARS = 8 * 1024 * 1024
/** Tools that a question may refer to. */
export const MAX_KNOWN_TOOLS = 512
/** Answers that may still change. More than can be open at once. */
export const MAX_KNOWN_ANSWERS = 128
export const MAX_GIVEN_ID_CHARS = 200
export const MAX_HEADER_CHARS = 30
