// How much the views keep and tell.

/** Of views at once, and of roughly what is in them; those that run or wait for an answer stay beyond it. */
export const MAX_VIEWS = 64
export const MAX_VIEWS_BYTES = 256 * 1024 * 1024
/** Of one view: the contents of older messages are let go, and read from the journal again when somebody asks. */
export const MAX_VIEW_BYTES = 64 * 1024 * 1024
/** Events of a journal that are read at once. */
export const PAGE_EVENTS = 500
/** Events that a view was built with and that may still be told to it: those between the disk and the listeners. */
export const MAX_PENDING_EVENTS = 64
/** Sessions that are no conversations, remembered so that they are not looked up with each event. */
export const MAX_IGNORED = 1024
/** Shorter texts are told as a whole with each piece. */
export const WHOLE_TEXT_CHARS = 1024
/** Longer ones when they have grown by this share, so that a text of n characters costs some 16 n and not n². */
export const TEXT_GROWTH = 1 / 16
/** Of a picture or sound in base64: larger ones stay in the journal. */
export const MAX_INLINE_CHARS = 512 * 1024
/** Of a block that has no words, shown as text. */
export const MAX_UNKNOWN_CHARS = 2000
/** Of the texts before and after that are kept for `diff`; of older changes the counts remain. */
export const MAX_DIFF_CHARS = 8 * 1024 * 1024
/** Tools that a question may belong to. */
export const MAX_KNOWN_TOOLS = 512
/** Answers that may still change: more than can be open at once. */
export const MAX_KNOWN_ANSWERS = 128
export const MAX_GIVEN_ID_CHARS = 200
export const MAX_HEADER_CHARS = 30
