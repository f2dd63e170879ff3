// Handles each message of a client.

import { MAX_CLIENTS } from './limits.ts'
import type { ClientMessage, ClientMessageOf, NamedSessions, ServerMessage } from './protocol.ts'
import { CLOSE, PROTOCOL_VERSION } from './protocol.ts'
import type { Services } from './services.ts'
import type { ServedSession } from './sessions/index.ts'
import type { Client, ShownSession } from './socket-client.ts'
import type { Watches } from './watches.ts'

/** The version of a client that does not send one. */
const FIRST_VERSION = 1

export interface Received {
  client: Client
  message: ClientMessage
  /** The page sent the cookie when it connected. */
  hasCookie: boolean
  watches: Watches
  /** Counts the client as connected; false if there are too many. */
  admit(): boolean
}

export function answer(services: Services, received: Received) {
  const { client, message } = received
  if (message.type === 'hello') return welcome(services, received, message)
  if (!client.isReady) return client.close(CLOSE.unauthorized, 'Say hello first, with the token.')
  const { terminals, gate } = services
  switch (message.type) {
    case 'focus':
      return name(services, received, message.sessions)
    case 'terminal.create':
      return gate.create(message, client)
    case 'terminal.choose':
      return gate.choose(message, client)
    case 'terminal.input':
      return terminals.input(message.terminalId, message.data)
    case 'terminal.resize':
      return terminals.resize(message.terminalId, client, { cols: message.cols, rows: message.rows })
    case 'terminal.attach':
      return attach(services, client, message)
    case 'terminal.detach':
      return terminals.detach(message.terminalId, client)
    case 'terminal.close':
      return terminals.close(message.terminalId)
    case 'conversation.watch':
      return void services.live.watch(message.id, client, message.requestId)
    case 'conversation.unwatch':
      return services.live.unwatch(message.id, client)
  }
}

function welcome(services: Services, received: Received, hello: ClientMessageOf<'hello'>): void {
  const { client, hasCookie } = received
  const isKnown = hello.token === undefined ? hasCookie : services.auth.isToken(hello.token)
  if (!isKnown) {
    client.close(CLOSE.unauthorized, 'The token is missing or wrong.')
    return
  }
  if (!received.admit()) {
    client.close(CLOSE.tooMany, `There are already ${MAX_CLIENTS} clients. Close a page and try again.`)
    return
  }
  client.isReady = true
  const { protocol = FIRST_VERSION } = hello
  if (protocol !== PROTOCOL_VERSION)
    client.send({
      type: 'error',
      code: 'other-version',
      text: `This page uses protocol version ${protocol}, and the server uses version ${PROTOCOL_VERSION}.`,
      hint: 'Reload the page.',
    })
  client.send({
    type: 'ready',
    protocol: PROTOCOL_VERSION,
    version: services.version,
    progress: services.progress(),
    terminals: services.terminals.list(),
  })
  if (hello.sessions !== undefined) name(services, received, hello.sessions)
}

/** Checks the sessions that the client shows first, and sends their known status at once. */
function name(
  services: Services,
  { client, watches }: Pick<Received, 'client' | 'watches'>,
  named: NamedSessions,
): void {
  const { sessions, checks } = services
  client.name(named)
  client.unknown = new Set([...client.names].filter(one => sessions.find(one) === undefined))
  client.shown = new Map([...client.names].flatMap(one => shownAs(one, sessions.find(one))))
  if (services.progress().phase !== 'finding') for (const one of client.unknown) client.send(missing(one))
  for (const one of client.names) {
    const served = sessions.find(one)
    if (served?.row.status === undefined) continue
    const { key, row } = served
    const { sessionId, agent, loads, findings } = row
    const known = { ...(loads ? { loads } : {}), ...(findings === undefined ? {} : { findings }) }
    client.send({ type: 'session.status', key, sessionId, agent, status: served.row.status, ...known })
  }
  checks.name(named)
  const open = named.active === undefined ? undefined : sessions.find(named.active)
  watches.follow(client, open)
}

/**
 * A page that reconnects right after a start names sessions that are not found yet. `isAll` means that the
 * scan is complete.
 */
export function recheckUnknown(services: Services, client: Client, watches: Watches, isAll: boolean): void {
  const isFound = isAll || [...client.unknown].some(one => services.sessions.find(one) !== undefined)
  if (isFound) name(services, { client, watches }, client.named)
}

function shownAs(name: string, served: ServedSession | undefined): [string, ShownSession][] {
  if (served === undefined) return []
  const { agent, sessionId } = served.session
  return [[name, { key: served.key, agent, sessionId }]]
}

/** Notifies a client of the sessions that it shows and that have gone. They may come back. */
export function notifyGone({ sessions }: Services, client: Client): void {
  for (const [name, session] of client.shown) {
    if (sessions.find(name) !== undefined) continue
    client.shown.delete(name)
    client.unknown = new Set([...client.unknown, name])
    client.send(missing(name, session))
  }
}

/** The scan is complete and the session does not exist. A page may have stored its name for weeks. */
function missing(name: string, known?: ShownSession): ServerMessage {
  const named = known ?? { key: name, sessionId: name, agent: '' }
  return { type: 'session.status', ...named, status: 'missing', reason: 'This conversation no longer exists.' }
}

function attach({ terminals }: Services, client: Client, message: ClientMessageOf<'terminal.attach'>): void {
  const { requestId, terminalId, cols, rows } = message
  const attached = terminals.attach(terminalId, client, { cols, rows })
  client.send({ type: 'terminal.attached', requestId, ...attached })
}
