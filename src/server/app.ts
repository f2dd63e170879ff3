// The composition root: creates and connects the services, starts the server, and stops it.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { configPath, readConfig } from '../catalog/config.ts'
import type { Context } from '../catalog/context.ts'
import { exists } from '../disk/files/read.ts'
import { removeLeftFolders } from '../disk/state/private-folder.ts'
import { RethreadError } from '../model/errors.ts'
import { AllowedFolders } from '../opencode/allowed-folders.ts'
import { makeOpenCode, type OpenCode } from '../opencode/app.ts'
import { chooseFolders } from '../opencode/folders.ts'
import type { RepairPolicy } from '../repair/queue/queue-policy.ts'
import { makeArchive } from './archive/index.ts'
import { makeAuth } from './auth.ts'
import { makeChecks } from './checks/index.ts'
import { type ConversationService, makeConversationService } from './conversations/index.ts'
import { LiveConversations } from './conversations/live/index.ts'
import { makeDoctor } from './doctor/index.ts'
import { makeExports } from './exports/index.ts'
import { makeGate } from './gate/index.ts'
import { makeHttp } from './http.ts'
import { HTTP_OF_ERROR } from './http-status.ts'
import { CHANGED_PAUSE_MS, STOP_MS } from './limits.ts'
import { type Listener, type ListenerLimits, makeListener } from './listener.ts'
import { OwnTerminalHost } from './opencode/terminal-host.ts'
import { loadPage } from './page.ts'
import type { Progress, SessionStatusMessage } from './protocol.ts'
import { makeReadings } from './readings/index.ts'
import type { Rescan } from './rescan.ts'
import { makeRescan } from './rescan.ts'
import { setSafetyHeaders } from './safety-headers.ts'
import { makeSearch } from './search/index.ts'
import type { Services } from './services.ts'
import { makeSessions } from './sessions/index.ts'
import type { SocketServer } from './socket.ts'
import { makeSocket } from './socket.ts'
import { makeTerminals } from './terminals/index.ts'

export interface ServerOptions {
  context: Context
  token: string
  host: string
  /** The first port to try. If it is taken, the ports above it are tried. 0 means any free port. */
  port: number
  /** The person named the port: if it is taken, that is an error. */
  isPortFixed?: boolean
  /** Serve programs even where the page is not built. */
  isPageOptional?: boolean
  /** Origins of other pages that may use the OpenCode-compatible API, such as https://app.example. */
  allowedOrigins?: readonly string[]
  version: string
  /** The folder of the built page. */
  page: string
  policy?: RepairPolicy
  isDemo?: boolean
  /** Archive every session while the server runs. */
  archives?: boolean
  /** Prepended to the PATH of programs in terminals. */
  pathFirst?: string
  /** For tests. */
  listener?: Partial<ListenerLimits>
}

export interface RunningServer {
  /** Contains the token, which gives full access. */
  address: string
  /** For OpenCode clients, without the token. */
  opencodeAddress: string
  /** For a program whose arguments other users can read. It opens the page once, within a minute. */
  oneTimeAddress(): string
  port: number
  services: Services
  /** Waits for the current repair and asks terminals to end. A second call returns the same promise. */
  stop(): Promise<void>
}

/** How many ports above the first are tried. */
const MAX_PORT_TRIES = 50

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const files = loadPage(options.page, { isOptional: options.isPageOptional === true })
  removeLeftFolders()
  const listener = makeListener(options.listener)
  const { server } = listener
  const services = assemble(options, listener)
  const http = makeHttp(services, files)
  const answer = getRequestListener(http.fetch)
  server.on('request', (request, response) => {
    setSafetyHeaders(response)
    void answer(request, response)
  })
  const port = await listenOrStop(server, services, options)
  // The slow work starts after the server listens, so that the first answer is fast.
  services.rescan.start()
  services.search.start()
  settleUnfinishedTurns(services)
  if (options.archives === true) services.archive.watch()
  let stopped: Promise<void> | undefined
  const shown = options.host.includes(':') ? `[${options.host}]` : options.host
  const page = `http://${shown}:${port}/`
  return {
    address: `${page}?token=${encodeURIComponent(options.token)}`,
    opencodeAddress: `${page}opencode`,
    oneTimeAddress: () => `${page}?ticket=${services.auth.issueTicket()}`,
    port,
    services,
    stop() {
      stopped ??= stop(server, services)
      return stopped
    },
  }
}

/**
 * Opening the journal settles turns that a killed server left open. A failure here is only logged, because
 * every use of the journal reports it.
 */
function settleUnfinishedTurns({ conversations, context }: Assembled): void {
  if (!exists(context.journal)) return
  conversations.open().catch(error => {
    context.log.debug('The journal could not be opened.', { error: String(error) })
  })
}

interface Assembled extends Services {
  rescan: Rescan
  socket: SocketServer
  markStopping(): void
}

function assemble(options: ServerOptions, { server, trust }: Listener): Assembled {
  const { context, host, token, version, isDemo = false, pathFirst } = options
  let isStopping = false
  const sessions = makeSessions({ context })
  const checks = makeChecks({ context, sessions, ...(options.policy === undefined ? {} : { policy: options.policy }) })
  const doctor = makeDoctor({ context, sessions })
  const readings = makeReadings({ context })
  const archive = makeArchive(context)
  const terminals = makeTerminals({ context, secrets: [token], ...(pathFirst === undefined ? {} : { pathFirst }) })
  const terminalHost = new OwnTerminalHost(terminals)
  const gate = makeGate({ context, sessions, checks, terminals })
  const conversations = makeConversationService({ context, version, secrets: [token] })
  const live = new LiveConversations({ context, conversations, sessions })
  const opencode = makeOpenCodeApi(conversations, terminalHost, context, version)
  const socket = makeSocket(server, () => services)
  const rescan = makeRescan({
    sessions,
    checks,
    isWatched: () => socket.clients > 0,
    isStopping: () => isStopping,
    onFound: () => socket.recheckUnknown(true),
    shown: () => socket.shown(),
  })
  const services: Assembled = {
    context,
    rescan,
    socket,
    auth: makeAuth({ token, host, port: rememberPort(server), allowedOrigins: options.allowedOrigins ?? [] }),
    trust,
    sessions,
    checks,
    doctor,
    readings,
    archive,
    exports: makeExports(context),
    search: makeSearch({ context, sessions }),
    terminals,
    terminalHost,
    gate,
    conversations,
    live,
    opencode,
    version,
    startedAt: Date.now(),
    isDemo,
    isStopping: () => isStopping,
    progress: () => progressOf(sessions.progress, checks.progress, rescan.hasFound),
    rescanIfStale: () => rescan.rescanIfStale(),
    agents: () => sessions.agents(),
    broadcast: message => socket.broadcast(message),
    markStopping() {
      isStopping = true
    },
  }
  notifyClients(services, socket)
  return services
}

/** Folders in the environment variables are those of sessions, not of this server. */
function makeOpenCodeApi(
  conversations: ConversationService,
  terminals: OwnTerminalHost,
  { environment, state, log }: Context,
  version: string,
): OpenCode {
  const { home, variables } = environment
  const configFile = configPath(environment)
  const own = { directory: process.cwd(), home, state, config: dirname(configFile) }
  const folders = chooseFolders(variables, own)
  const allowed = new AllowedFolders({
    own: [folders.directory, folders.worktree],
    home,
    configured: async () => (await readConfig(environment)).allowed_folders,
    configFile,
  })
  return makeOpenCode({
    open: () => conversations.open(),
    folders,
    allowed,
    terminals,
    version,
    statusOf: code => HTTP_OF_ERROR[code],
    log: (text, details) => log.debug(text, details),
  })
}

function notifyClients(services: Services, socket: SocketServer): void {
  const { sessions, checks, terminals } = services
  const publishProgress = (): void => socket.broadcast({ type: 'scan.progress', ...services.progress() })
  checks.on('status', message => socket.notify(message, message))
  checks.on('status', rereadAfterRepair(services))
  checks.on('progress', publishProgress)
  sessions.on('progress', publishProgress)
  terminals.on('changed', () => socket.broadcast({ type: 'terminal.list', terminals: terminals.list() }))
  let pause: NodeJS.Timeout | undefined
  sessions.on('changed', () => {
    socket.recheckUnknown(false)
    socket.notifyGone()
    pause ??= setTimeout(() => {
      pause = undefined
      socket.broadcast({ type: 'library.changed', revision: sessions.revision })
    }, CHANGED_PAUSE_MS)
    pause.unref()
  })
}

/** A repair in place may keep the size and time of the file, so its reading is checked explicitly. */
function rereadAfterRepair({ sessions, readings }: Services): (message: SessionStatusMessage) => void {
  const beingRepaired = new Set<string>()
  return ({ key, status }) => {
    const session = sessions.get(key)?.session
    if (status === 'repairing') beingRepaired.add(key)
    else if (beingRepaired.delete(key) && session !== undefined) readings.doubt(session)
  }
}

/**
 * First sessions are found, then they are checked while their summaries are read. Later rescans are not
 * shown.
 */
function progressOf(finding: Progress, checking: Progress, hasFound: boolean): Progress {
  if (finding.phase === 'finding' && !hasFound) return finding
  return checking.phase === 'done' && finding.phase === 'reading' ? finding : checking
}

/** If the server cannot listen, its threads are stopped so that the program can end. */
async function listenOrStop(server: Server, services: Assembled, options: ServerOptions): Promise<number> {
  try {
    return await listen(server, options)
  } catch (error) {
    await stop(server, services)
    throw error
  }
}

async function listen(server: Server, { host, port, isPortFixed = false }: ServerOptions): Promise<number> {
  for (let tried = port; ; tried++) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port: tried }, () => {
          server.off('error', reject)
          resolve()
        })
      })
      return portOf(server)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      const isLast = isPortFixed || port === 0 || tried - port >= MAX_PORT_TRIES
      if (code !== 'EADDRINUSE' || isLast) throw cannotListen(host, tried, error)
    }
  }
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A server that is closing no longer knows its port, and still answers requests. */
function rememberPort(server: Server): () => number {
  let port = 0
  server.once('listening', () => {
    port = portOf(server)
  })
  return () => port
}

async function stop(server: Server, services: Assembled): Promise<void> {
  services.markStopping()
  services.rescan.stop()
  services.gate.stop()
  services.opencode.stop()
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  await Promise.all([
    services.terminals.stop(),
    services.checks.stop({ isUrgent: true }),
    services.doctor.stop(),
    services.conversations.stop(),
  ])
  // After the checks: a restore is one of the changes that they wait for.
  const archived = services.archive.stop()
  services.live.stop()
  services.socket.stop()
  server.closeIdleConnections()
  const late = setTimeout(() => {
    services.socket.cut()
    server.closeAllConnections()
  }, STOP_MS)
  await closed
  clearTimeout(late)
  await archived
  await services.readings.close()
  await services.exports.close()
  await services.search.stop()
  await services.sessions.close()
  removeLeftFolders()
}

function cannotListen(host: string, port: number, cause: unknown): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `The server cannot listen on ${host}, port ${port}: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: `See which program uses it: ss -ltnp 'sport = :${port}'. Or use any free port: --port 0`,
    cause,
  })
}
