// The one connection to the server: sends `hello`, reconnects automatically, and notifies listeners. Messages
// are validated against the protocol.
import type { ClientMessage, NamedSessions, ServerMessage, ServerMessageOf } from '../../../src/server/protocol.ts'
import { CLOSE, PROTOCOL_VERSION, serverMessageSchema } from '../../../src/server/protocol.ts'
import { makeStore } from './store.ts'

export type Connection =
  | { state: 'connecting' }
  | { state: 'ready' }
  /** The page reconnects automatically. `reason` is shown to the user. */
  | { state: 'lost'; reason: string }
  /** The page does not reconnect: the token is wrong, or the page is older than the server. */
  | { state: 'refused'; reason: string }

const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 10_000

type Listener = (message: ServerMessage) => void
const listeners = new Map<ServerMessage['type'], Set<Listener>>()
export const connection = makeStore<Connection>({ state: 'connecting' })

let socket: WebSocket | undefined
let retryMs = FIRST_RETRY_MS
let named: NamedSessions = {}

/** Returns a function that removes the listener. */
export function listen<Type extends ServerMessage['type']>(
  type: Type,
  listener: (message: ServerMessageOf<Type>) => void,
): () => void {
  const known = listeners.get(type) ?? new Set<Listener>()
  listeners.set(type, known)
  const own: Listener = message => {
    if (isOf(message, type)) listener(message)
  }
  known.add(own)
  return () => void known.delete(own)
}

function isOf<Type extends ServerMessage['type']>(
  message: ServerMessage,
  type: Type,
): message is ServerMessageOf<Type> {
  return message.type === type
}

/** Returns false without a connection. A caller that needs an answer sends again on `ready`. */
export function send(message: ClientMessage): boolean {
  if (socket?.readyState !== WebSocket.OPEN || connection.get().state !== 'ready') return false
  socket.send(JSON.stringify(message))
  return true
}

/** The sessions on the screen. Sent again after every reconnection. */
export function focusSessions(sessions: NamedSessions): void {
  named = sessions
  send({ type: 'focus', sessions })
}

export function connect(): void {
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/socket`
  const opened = new WebSocket(address)
  socket = opened
  opened.addEventListener('open', () => {
    const hello: ClientMessage = { type: 'hello', protocol: PROTOCOL_VERSION, sessions: named }
    opened.send(JSON.stringify(hello))
  })
  opened.addEventListener('message', event => receive(event.data))
  opened.addEventListener('close', event => lose(event))
}

function receive(data: unknown): void {
  const parsed = serverMessageSchema.safeParse(typeof data === 'string' ? JSON.parse(data) : undefined)
  if (!parsed.success) return
  const message = parsed.data
  if (message.type === 'ready') {
    retryMs = FIRST_RETRY_MS
    connection.set({ state: 'ready' })
  }
  for (const listener of listeners.get(message.type) ?? []) listener(message)
}

function lose(event: CloseEvent): void {
  if (event.code === CLOSE.unauthorized) {
    connection.set({
      state: 'refused',
      reason: 'This page is not signed in. Open the address that "rethread serve" printed.',
    })
    return
  }
  connection.set({ state: 'lost', reason: reasonOf(event) })
  setTimeout(connect, retryMs)
  retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
}

/** The first reason is kept: that the server cannot be reached afterwards says less. */
function reasonOf({ code }: CloseEvent): string {
  if (code === CLOSE.stopping) return 'rethread was stopped.'
  const before = connection.get()
  return before.state === 'lost' ? before.reason : 'The connection to rethread was lost.'
}
