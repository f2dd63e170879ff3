// The messages of the socket, in both directions. An invalid message is answered with an error, and the
// connection stays open. The page imports only this file of the server; it re-exports the shapes of the HTTP
// API.
import { z } from 'zod'
import { liveMessageSchema, loadsSchema, progressSchema, statusSchema, talkStateSchema } from './api.ts'

export type * from './api.ts'

/**
 * Raised when a message changes its meaning. A client of another version gets an error and can reload the
 * page.
 */
export const PROTOCOL_VERSION = 1

/** The largest frame from a client. A paste into a terminal is the longest. */
export const MAX_FRAME_BYTES = 256 * 1024
export const MAX_NAMED_SESSIONS = 500
const MAX_COLUMNS = 1000

const name = z.string().min(1).max(500)
const requestId = z.string().min(1).max(100)
const terminalId = z.string().min(1).max(100)
const size = { cols: z.number().int().min(2).max(MAX_COLUMNS), rows: z.number().int().min(2).max(MAX_COLUMNS) }

/** The sessions that a client shows, by key or id. The active one is open, and its file is watched. */
const sessions = z.object({
  active: name.optional(),
  visible: z.array(name).max(MAX_NAMED_SESSIONS).optional(),
  background: z.array(name).max(MAX_NAMED_SESSIONS).optional(),
})
export type NamedSessions = z.infer<typeof sessions>

/* ---- from the client ---- */

/** The first message. `token` may be absent if the cookie was sent. Without `protocol` the version is 1. */
const hello = z.object({
  type: z.literal('hello'),
  token: z.string().max(1000).optional(),
  protocol: z.number().int().optional(),
  sessions: sessions.optional(),
})
/** Replaces the sessions of `hello` when the screen shows others. */
const focus = z.object({ type: z.literal('focus'), sessions })

/** Creates a terminal in which an agent resumes a session, an agent starts a new one, or a shell runs. */
const terminalCreate = z.object({
  type: z.literal('terminal.create'),
  requestId,
  agent: name.optional(),
  /** The key or the id of the session. */
  resumeSessionId: name.optional(),
  /**
   * For a terminal without a session, or an agent that finds its sessions from any folder. Default: the home
   * folder.
   */
  cwd: z.string().max(4096).optional(),
  /** Creates the folder of the conversation if it is gone. */
  makeFolder: z.boolean().optional(),
  ...size,
})
/** The answer to `terminal.waiting` with choices. */
const terminalChoose = z.object({
  type: z.literal('terminal.choose'),
  requestId,
  choice: z.enum(['wait', 'without-repair', 'cancel']),
})
const terminalInput = z.object({ type: z.literal('terminal.input'), terminalId, data: z.string() })
const terminalResize = z.object({ type: z.literal('terminal.resize'), terminalId, ...size })
/** Requests the screen, and all output after it. */
const terminalAttach = z.object({ type: z.literal('terminal.attach'), requestId, terminalId, ...size })
const terminalDetach = z.object({ type: z.literal('terminal.detach'), terminalId })
/** Asks the program to end. */
const terminalClose = z.object({ type: z.literal('terminal.close'), terminalId })

/**
 * `id` is the id or key of a conversation. The server sends its state and last messages, then every change.
 */
const conversationWatch = z.object({ type: z.literal('conversation.watch'), requestId, id: name })
const conversationUnwatch = z.object({ type: z.literal('conversation.unwatch'), id: name })

export const clientMessageSchema = z.discriminatedUnion('type', [
  hello,
  focus,
  terminalCreate,
  terminalChoose,
  terminalInput,
  terminalResize,
  terminalAttach,
  terminalDetach,
  terminalClose,
  conversationWatch,
  conversationUnwatch,
])
export type ClientMessage = z.infer<typeof clientMessageSchema>
export type ClientMessageOf<Type extends ClientMessage['type']> = Extract<ClientMessage, { type: Type }>

/* ---- from the server ---- */

const terminalInfo = z.object({
  terminalId,
  /** Null for a shell. */
  agent: z.string().nullable(),
  /** The resumed session; null if there is none. */
  sessionId: z.string().nullable(),
  sessionKey: z.string().nullable(),
  title: z.string(),
  command: z.string(),
  folder: z.string(),
  exit: z.object({ code: z.number().nullable(), signal: z.string().nullable() }).nullable(),
})
export type TerminalInfo = z.infer<typeof terminalInfo>

const ready = z.object({
  type: z.literal('ready'),
  protocol: z.number(),
  version: z.string(),
  progress: progressSchema,
  terminals: z.array(terminalInfo),
})

const sessionStatus = z.object({
  type: z.literal('session.status'),
  key: z.string(),
  sessionId: z.string(),
  agent: z.string(),
  status: statusSchema,
  chainDepth: z.number().optional(),
  orphansFixed: z.number().optional(),
  loads: loadsSchema.optional(),
  findings: z.number().optional(),
  reason: z.string().optional(),
})
export type SessionStatusMessage = z.infer<typeof sessionStatus>

const scanProgress = progressSchema.extend({ type: z.literal('scan.progress') })

/** The open session was written to. The client requests what is new. */
const sessionChanged = z.object({
  type: z.literal('session.changed'),
  key: z.string(),
  sessionId: z.string(),
  agent: z.string(),
  fileSize: z.number(),
})

/** Sessions were added, removed or changed since the list was requested. */
const libraryChanged = z.object({ type: z.literal('library.changed'), revision: z.number() })

/** The progress of "Repair all". */
const repairProgress = z.object({
  type: z.literal('repair.progress'),
  done: z.number(),
  total: z.number(),
  repaired: z.number(),
  refused: z.number(),
  failed: z.number(),
})

/** What a resume is waiting for. If there are choices, the user may decide: `terminal.choose`. */
const terminalWaiting = z.object({
  type: z.literal('terminal.waiting'),
  requestId,
  phase: z.enum(['checking', 'repairing', 'slow-check', 'busy']),
  text: z.string(),
  /** With `busy`: seconds until the resume continues, if nothing more is written. Sent every second. */
  secondsLeft: z.number().optional(),
  choices: z.array(z.enum(['wait', 'without-repair', 'cancel'])),
})
const terminalCreated = z.object({
  type: z.literal('terminal.created'),
  requestId,
  terminal: terminalInfo,
  /** The terminal already existed: two requests for one session give one terminal. */
  isExisting: z.boolean(),
  /** What the user should know: that the session was repaired, or not resumed and why. */
  notice: z
    .object({
      kind: z.enum(['repaired', 'not-resumed', 'without-repair']),
      status: statusSchema,
      text: z.string(),
    })
    .nullable(),
})
const terminalAttached = z.object({
  type: z.literal('terminal.attached'),
  requestId,
  terminal: terminalInfo,
  /** The stored output. Output messages continue from its end. */
  screen: z.string(),
  isCut: z.boolean(),
})
const terminalOutput = z.object({ type: z.literal('terminal.output'), terminalId, data: z.string() })
const terminalExit = z.object({
  type: z.literal('terminal.exit'),
  terminalId,
  code: z.number().nullable(),
  signal: z.string().nullable(),
})
/** Sent to all clients. */
const terminalList = z.object({ type: z.literal('terminal.list'), terminals: z.array(terminalInfo) })

/** Sent to the clients that watch the conversation. */
const conversationState = talkStateSchema.extend({ type: z.literal('conversation.state') })
const conversationMessages = z.object({
  type: z.literal('conversation.messages'),
  id: z.string(),
  key: z.string(),
  /** True: replaces all messages sent before. False: only the messages that changed. */
  isWhole: z.boolean(),
  messages: z.array(liveMessageSchema),
})

const failure = z.object({
  type: z.literal('error'),
  code: z.string(),
  text: z.string(),
  hint: z.string(),
  /** The id of the request, if it had one. */
  requestId: z.string().optional(),
  /** What the client may request instead: `terminal.create` with `makeFolder`, or with `cwd`. */
  offers: z.array(z.enum(['make-folder', 'other-folder'])).optional(),
})

export const serverMessageSchema = z.discriminatedUnion('type', [
  ready,
  sessionStatus,
  scanProgress,
  sessionChanged,
  libraryChanged,
  repairProgress,
  terminalWaiting,
  terminalCreated,
  terminalAttached,
  terminalOutput,
  terminalExit,
  terminalList,
  conversationState,
  conversationMessages,
  failure,
])
export type ServerMessage = z.infer<typeof serverMessageSchema>
export type ServerMessageOf<Type extends ServerMessage['type']> = Extract<ServerMessage, { type: Type }>

/** Why the server ends a connection, as WebSocket close codes. */
export const CLOSE = {
  /** The token is wrong or missing. */
  unauthorized: 4401,
  /** No `hello` came in time. */
  noHello: 4408,
  tooMany: 4429,
  /** The client does not read what it is sent. */
  tooSlow: 4410,
  /** The server is stopping. */
  stopping: 1001,
} as const
