// How much of everything the server takes on, and how long it waits. A limit that is reached is said to whoever asked.
import { MAX_EDITED_CHARS, MAX_FLAGS_CHARS, MAX_PROMPT_CHARS } from './api.ts'

/* ---- terminals ---- */

/** That run at once: with most agents each is a tree of processes of several hundred MB. */
export const MAX_TERMINALS = 32
/** That have ended and are still listed, so that a person can read how; the oldest go first. */
export const MAX_ENDED_TERMINALS = 20
/** A page that creates in a loop is stopped before the machine is. */
export const MAX_CREATES_PER_MINUTE = 30
/** Of output, for each terminal: some thousand lines, or a good many redraws of a full screen. */
export const KEPT_OUTPUT_CHARS = 1024 * 1024
/** Output that comes within this time is one message: less than a person sees, and a flood is some hundred messages a second. */
export const OUTPUT_PAUSE_MS = 8
/** So much is sent without waiting any longer. */
export const OUTPUT_PIECE_CHARS = 64 * 1024
/** How often a client that could not keep up is looked at, while what runs is held back. */
export const CONGESTION_LOOK_MS = 20
/** Pasted, and not read by what runs: beyond it input is refused rather than kept. */
export const MAX_UNREAD_INPUT_BYTES = 1024 * 1024
/** How often input that was not taken is offered again. */
export const INPUT_RETRY_MS = 20
/** Between asking what runs to end and ending it: an agent writes its last records on a hang-up. */
export const HANG_UP_MS = 5000

/* ---- the gate ---- */

/** A check that takes longer is explained, and the person may choose. */
export const SLOW_CHECK_MS = 10_000
/** Resumes that wait at once, of all clients. */
export const MAX_WAITING_RESUMES = 50
/** How often it is looked whether a repair that somebody else began has ended. */
export const REPAIR_LOOK_MS = 50

/* ---- live conversations ---- */

/** What comes within this time is one message: less than a person sees. */
export const LIVE_PAUSE_MS = 50
/** A long answer is sent whole each time, so that the pause grows with what was sent: no more than so much in a second. */
export const LIVE_BYTES_PER_MS = 4 * 1024
/** That are kept of one conversation; older ones are in the library. */
export const MAX_LIVE_MESSAGES = 50
/** Of the end of a journal, looked at where a conversation is opened: beyond it the library shows what is said until the next turn. */
export const MAX_TAIL_EVENTS = 4000
/** That one client watches; a page shows one. */
export const MAX_WATCHED = 16
/** Texts of questions and plans; an agent may send any number of any length. */
export const MAX_SHOWN_CHARS = 4000
export const MAX_SHOWN_ENTRIES = 100
/** Commands of an agent: they are told with every state. */
export const MAX_COMMANDS = 200
export const MAX_COMMAND_NAME_CHARS = 100
export const MAX_COMMAND_DESCRIPTION_CHARS = 300
/** Of the beginning of a journal, looked at where its end tells no commands: most agents tell them once, when a session is begun. */
export const MAX_BEGINNING_EVENTS = 100
/** Folders that are offered for a new conversation. */
export const MAX_FOLDERS = 20
/** Conversations that are looked through for one in which nothing was said yet. */
export const MAX_UNLISTED = 200

/* ---- HTTP and sockets ---- */

/** JSON may write each character as an escape of six bytes: a text that is short enough is never refused for its body. */
const ESCAPED_BYTES = 6
/** Names and numbers beside the longest text. */
const BESIDE_BYTES = 64 * 1024
/** Nobody sends us more than a few options. */
export const MAX_BODY_BYTES = 64 * 1024
/** Except the flags that a conversation was begun with. */
export const MAX_FLAGS_BYTES = ESCAPED_BYTES * MAX_FLAGS_CHARS + BESIDE_BYTES
/** What a person says to an agent. */
export const MAX_PROMPT_BYTES = ESCAPED_BYTES * MAX_PROMPT_CHARS + BESIDE_BYTES
/** A file that a person edits in the page. */
export const MAX_EDITED_BODY_BYTES = ESCAPED_BYTES * MAX_EDITED_CHARS + MAX_FLAGS_BYTES
/** Of all files of a conversation that is looked at while a person decides about it; larger ones have their command. */
export const MAX_SANITIZED_BYTES = 16 * 1024 * 1024
/** Connections of any kind; one page needs seven. */
export const MAX_CONNECTIONS = 2000
/** Of these, that have not shown a token: beyond it the one that is open for longest has to go. */
export const MAX_STRANGERS = 1024
/** Pages and programs that have said hello. */
export const MAX_CLIENTS = 256
/** Sockets that have not said hello yet: beyond it the one that waits for longest is closed. */
export const MAX_WAITING_SOCKETS = 512
/** A socket that has not said hello by then is closed. */
export const HELLO_MS = 5000
/** How long the headers of a request may take, and all of it. */
export const HEADERS_MS = 15_000
export const BODY_MS = 60_000
/** How often it is checked whether a request is late. */
export const LATE_CHECK_MS = 1000
/** Unsent to one client; beyond it the client does not read, and is dropped. A page that is loaded again asks for the screens of all its terminals at once. */
export const MAX_UNSENT_BYTES = 64 * 1024 * 1024
/** How long a client that is dropped, or told to go, has to read why. */
export const LEAVE_MS = 5000
/** From here on, terminals are held back for it. */
export const CONGESTED_BYTES = 1024 * 1024
/** Messages of one client in one second; more is a fault of its, or an attack. */
export const MAX_MESSAGES_PER_SECOND = 500
/** A client that does not answer for so long is gone. */
export const PING_MS = 30_000
/** How often clients hear that the list has changed. */
export const CHANGED_PAUSE_MS = 500
/** How old the last look at all stores may be while somebody is connected or asks for the list. */
export const LOOK_AGAIN_MS = 20_000
/** How often the files of sessions that clients show are looked at, to see whether they are still there. */
export const DELETED_LOOK_MS = 2000
/** How long a page of messages waits for the store to say whether there is more. */
export const STORE_LOOK_MS = 500
/** How long a stop waits for requests that are being answered. */
export const STOP_MS = 5000
/** Starting threads takes both cores of a small machine: whoever asks at once is answered before that. */
export const FIRST_LOOK_MS = 100
