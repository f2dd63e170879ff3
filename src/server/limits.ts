// Limits and timeouts of the server. A client that reaches a limit gets an error that says so.
import { MAX_EDITED_CHARS, MAX_FLAGS_CHARS, MAX_PROMPT_CHARS } from './api.ts'

/* ---- terminals ---- */

/** Running terminals. Most agents are a tree of processes of several hundred MB. */
export const MAX_TERMINALS = 32
/**
 * Ended terminals that are still listed, so that the user can read the output. The oldest are removed first.
 */
export const MAX_ENDED_TERMINALS = 20
/** Stops a page that creates terminals in a loop. */
export const MAX_CREATES_PER_MINUTE = 30
/** Stored output of each terminal: some thousand lines, or many redraws of a full screen. */
export const OUTPUT_BUFFER_CHARS = 1024 * 1024
/**
 * Output within this time is sent as one message. Too short to notice, and limits a flood to about a hundred
 * messages a second.
 */
export const OUTPUT_PAUSE_MS = 8
/** This much output is sent without a further pause. */
export const OUTPUT_PIECE_CHARS = 64 * 1024
/** How often a congested client is checked while the output is paused. */
export const CONGESTION_POLL_MS = 20
/** Input that the program has not read. Beyond this, input is refused. */
export const MAX_UNREAD_INPUT_BYTES = 1024 * 1024
/** How often unread input is written again. */
export const INPUT_RETRY_MS = 20
/** Between the hang-up signal and the kill. An agent writes its last records on a hang-up. */
export const HANG_UP_MS = 5000

/* ---- the gate ---- */

/** A check that takes longer is explained, and the user may skip it. */
export const SLOW_CHECK_MS = 10_000
/** Waiting resumes of all clients. */
export const MAX_WAITING_RESUMES = 50
/** How often the gate checks whether a repair by another client has ended. */
export const REPAIR_POLL_MS = 50

/* ---- live conversations ---- */

/** Changes within this time are sent as one message. Too short to notice. */
export const LIVE_PAUSE_MS = 50
/** A growing answer is sent whole each time, so the pause grows with its size to limit the rate. */
export const LIVE_BYTES_PER_MS = 4 * 1024
/** Messages held for one live conversation. Readings have the older ones. */
export const MAX_LIVE_MESSAGES = 50
/**
 * Events read from the end of a journal when a conversation is opened. If the turn is longer, a reading
 * shows it until the next turn.
 */
export const MAX_TAIL_EVENTS = 4000
/** Conversations that one client watches. A page shows one. */
export const MAX_WATCHED = 16
/** Length and number of texts in questions and plans. An agent may send any amount. */
export const MAX_SHOWN_CHARS = 4000
export const MAX_SHOWN_ENTRIES = 100
/** Commands of an agent. They are sent with every state. */
export const MAX_COMMANDS = 200
export const MAX_COMMAND_NAME_CHARS = 100
export const MAX_COMMAND_DESCRIPTION_CHARS = 300
/**
 * Events read from the start of a journal to find the commands. Most agents send them once, when a session
 * starts.
 */
export const MAX_BEGINNING_EVENTS = 100
/** Folders that are offered for a new conversation. */
export const MAX_FOLDERS = 20
/** Conversations that are searched for one without messages. */
export const MAX_UNLISTED = 200

/* ---- HTTP and sockets ---- */

/**
 * JSON may write a character as an escape of six bytes. A text within its limit must never exceed the limit
 * of the body.
 */
const ESCAPED_BYTES = 6
/** Room for the other fields beside the longest text. */
const BESIDE_BYTES = 64 * 1024
/** Most requests have a few short fields. */
export const MAX_BODY_BYTES = 64 * 1024
/** For the flags of a conversation. */
export const MAX_FLAGS_BYTES = ESCAPED_BYTES * MAX_FLAGS_CHARS + BESIDE_BYTES
/** For a prompt. */
export const MAX_PROMPT_BYTES = ESCAPED_BYTES * MAX_PROMPT_CHARS + BESIDE_BYTES
/** For a file edited in the page. */
export const MAX_EDITED_BODY_BYTES = ESCAPED_BYTES * MAX_EDITED_CHARS + MAX_FLAGS_BYTES
/** Total size of a conversation that the page can sanitize. Larger ones need the command. */
export const MAX_SANITIZED_BYTES = 16 * 1024 * 1024
/** Connections of any kind; one page needs seven. */
export const MAX_CONNECTIONS = 2000
/** Connections without a token. Beyond this, the oldest of them is closed. */
export const MAX_UNAUTHENTICATED = 1024
/** Clients that have sent `hello`. */
export const MAX_CLIENTS = 256
/** Sockets that have not sent `hello` yet. Beyond this, the oldest of them is closed. */
export const MAX_WAITING_SOCKETS = 512
/** A socket without `hello` is closed after this time. */
export const HELLO_MS = 5000
/** The headers of a request together. */
export const MAX_HEADER_BYTES = 16 * 1024
/** How long the headers of a request may take, and all of it. */
export const HEADERS_MS = 15_000
export const BODY_MS = 60_000
/** How often it is checked whether a request is late. */
export const LATE_CHECK_MS = 1000
/**
 * Unsent bytes to one client. Beyond this, the client does not read and is dropped. A reloaded page asks for
 * the screens of all its terminals at once.
 */
export const MAX_UNSENT_BYTES = 64 * 1024 * 1024
/** How long a client has to read the reason before its connection is cut. */
export const LEAVE_MS = 5000
/** From this amount of unsent bytes on, terminals pause for the client. */
export const CONGESTED_BYTES = 1024 * 1024
/** Messages of one client in one second. */
export const MAX_MESSAGES_PER_SECOND = 500
/** A client that does not answer a ping for this long is gone. */
export const PING_MS = 30_000
/** The shortest time between two notifications that the list has changed. */
export const CHANGED_PAUSE_MS = 500
/** How old the last scan of all stores may be while a client is connected or requests the list. */
export const RESCAN_MS = 20_000
/** How often rethread checks whether the files of displayed sessions still exist. */
export const DELETED_POLL_MS = 2000
/** How long a request for messages waits for the store to report changes. */
export const STORE_WAIT_MS = 500
/** How long a stop waits for running requests. */
export const STOP_MS = 5000
/** Starting threads uses both cores of a small machine. The first requests are answered before that. */
export const FIRST_SCAN_DELAY_MS = 100

/* ---- the archive ---- */

/** Restore points that are listed without a limit in the request. */
export const VERSIONS_SHOWN = 30
/** Messages of restore points are counted by reading them, up to this many bytes in one request. */
export const MAX_COUNTED_BYTES = 64 * 1024 * 1024
