// What goes over the socket, both ways. A message that does not fit is answered with an error, and the connection goes on.
// The client sees this file of the server and no other; the shapes of the HTTP API come through here.
import { z } from 'zod'
import { liveMessageSchema, loadsSchema, progressSchema, statusSchema, talkStateSchema } from './api.ts'

export type * from './api.ts'

/** Raised when a message changes its meaning. A client of another version is told so and may load the page again. */
export const PROTOCOL_VERSION = 1

/** One frame from a client; a paste into a terminal is the longest thing anybody sends. */
export const MAX_FRAME_BYTES = 256 * 1024
export const MAX_NAMED_SESSIONS = 500
const MAX_COLUMNS = 1000

const name = z.string().min(1).max(500)
const requestId = z.string().min(1).max(100)
const terminalId = z.string().min(1).max(100)
const size = { cols: z.number().int().min(2).max(MAX_COLUMNS), rows: z.number().int().min(2).max(MAX_COLUMNS) }

/** Which sessions a client shows. Each is named by its key or its id. The active one is open: its file is watched. */
const sessions = z.object({
  active: name.optional(),
  visible: z.array(name).max(MAX_NAMED_SESSIONS).optional(),
  background: z.array(name).max(MAX_NAMED_SESSIONS).optional(),
})
export type NamedSessions = z.infer<typeof sessions>

/* ---- from the client ---- */

/** The first message. `token` may be absent where the cookie was sent. Without `protocol`, it is version 1. */
const hello = z.object({
  type: z.literal('hello'),
  token: z.string().max(1000).optional(),
  protocol: z.number().int().optional(),
  sessions: sessions.optional(),
})
/** Replaces what `hello` named, whenever the screen shows something else. */
const focus = z.object({ type: z.literal('focus'), sessions })

/** A terminal in which an agent resumes a session, an agent begins a new one, or, without an agent, a shell. */
const terminalCreate = z.object({
  type: z.literal('terminal.create'),
  requestId,
  agent: name.optional(),
  /** The key or the id of the session. */
  resumeSessionId: name.optional(),
  /** Where there is no session to say so, or where the agent finds its sessions from any folder; the person's home without it. */
  cwd: z.string().max(4096).optional(),
  /** Creates the folder of the conversation where it is gone. */
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
/** Gets the screen back, and all output from here on. */
const terminalAttach = z.object({ type: z.literal('terminal.attach'), requestId, terminalId, ...size })
const terminalDetach = z.object({ type: z.literal('terminal.detach'), terminalId })
/** Asks what runs in it to end. */
const terminalClose = z.object({ type: z.literal('terminal.close'), terminalId })

/** By the id of the conversation or its key: its state and its last messages are told at once, and then what changes. */
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
  /** The session it goes on with; null where none is resumed. */
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

/** The open session was written to: ask for what is new. */
const sessionChanged = z.object({
  type: z.literal('session.changed'),
  key: z.string(),
  sessionId: z.string(),
  agent: z.string(),
  fileSize: z.number(),
})

/** Sessions came, went or changed since the list was asked for. */
const libraryChanged = z.object({ type: z.literal('library.changed'), revision: z.number() })

/** How far "Repair all" has come. */
const repairProgress = z.object({
  type: z.literal('repair.progress'),
  done: z.number(),
  total: z.number(),
  repaired: z.number(),
  refused: z.number(),
  failed: z.number(),
})

/** What a resume is waiting for. With choices, the person may decide: `terminal.choose`. */
const terminalWaiting = z.object({
  type: z.literal('terminal.waiting'),
  requestId,
  phase: z.enum(['checking', 'repairing', 'slow-check', 'busy']),
  text: z.string(),
  /** Of `busy`: how long until the resume goes on by itself, if nothing more is written. Sent again each second. */
  secondsLeft: z.number().optional(),
  choices: z.array(z.enum(['wait', 'without-repair', 'cancel'])),
})
const terminalCreated = z.object({
  type: z.literal('terminal.created'),
  requestId,
  terminal: terminalInfo,
  /** It was there already: two creates for one session give one terminal. */
  isExisting: z.boolean(),
  /** What the person should know: repaired, or started without resuming, and why. */
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
  /** The output so far, as much of it as is kept; output messages go on from here. */
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
/** To all: which terminals there are now. */
const terminalList = z.object({ type: z.literal('terminal.list'), terminals: z.array(terminalInfo) })

/** To those who watch it. */
const conversationState = talkStateSchema.extend({ type: z.literal('conversation.state') })
const conversationMessages = z.object({
  type: z.literal('conversation.messages'),
  id: z.string(),
  key: z.string(),
  /** In place of all that were told before; else only those that are other than before. */
  isWhole: z.boolean(),
  messages: z.array(liveMessageSchema),
})

const failure = z.object({
  type: z.literal('error'),
  code: z.string(),
  text: z.string(),
  hint: z.string(),
  /** Of the message it answers, where that had one. */
  requestId: z.string().optional(),
  /** What the client may ask for in place of it: `terminal.create` with `makeFolder`, or with `cwd`. */
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
