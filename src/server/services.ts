// The services that the routes and the socket use.
import type { Socket } from 'node:net'
import type { Context } from '../catalog/context.ts'
import type { OpenCode } from '../opencode/app.ts'
import type { ServerArchive } from './archive/index.ts'
import type { Auth } from './auth.ts'
import type { Checks } from './checks/index.ts'
import type { ConversationService } from './conversations/index.ts'
import type { LiveConversations } from './conversations/live/index.ts'
import type { Doctor } from './doctor/index.ts'
import type { Exports } from './exports/index.ts'
import type { Gate } from './gate/index.ts'
import type { OwnTerminalHost } from './opencode/terminal-host.ts'
import type { ApiAgent, Progress, ServerMessage } from './protocol.ts'
import type { Readings } from './readings/index.ts'
import type { Search } from './search/index.ts'
import type { SessionCatalog } from './sessions/index.ts'
import type { Terminals } from './terminals/index.ts'

export interface Services {
  context: Context
  auth: Auth
  /** Marks a connection as authenticated, so that it is not closed when there are too many. */
  trust(socket: Socket): void
  sessions: SessionCatalog
  checks: Checks
  /** What the agents' own lists show. */
  doctor: Doctor
  readings: Readings
  search: Search
  archive: ServerArchive
  exports: Exports
  terminals: Terminals
  /** Terminals of OpenCode clients. */
  terminalHost: OwnTerminalHost
  gate: Gate
  /** Live conversations and their journal. */
  conversations: ConversationService
  /** The live conversations, as the page uses them. */
  live: LiveConversations
  /** The live conversations, as OpenCode clients use them below `/opencode`. */
  opencode: OpenCode
  version: string
  /** Milliseconds since 1970. */
  startedAt: number
  isDemo: boolean
  isStopping(): boolean
  /** The progress of the current phase: finding, reading or checking. */
  progress(): Progress
  /** Starts a scan for new sessions in the background, if the last one is too old. */
  rescanIfStale(): void
  agents(): Promise<ApiAgent[]>
  /** Sends to every client that has sent `hello`. */
  broadcast(message: ServerMessage): void
}
