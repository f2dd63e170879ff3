// What the routes and the socket are given to work with.
import type { Socket } from 'node:net'
import type { Context } from '../catalog/context.ts'
import type { OpenCode } from '../opencode/app.ts'
import type { Auth } from './auth.ts'
import type { Checks } from './checks/index.ts'
import type { ConversationService } from './conversations/index.ts'
import type { LiveConversations } from './conversations/live/index.ts'
import type { Gate } from './gate/index.ts'
import type { OwnTerminalHost } from './opencode/terminal-host.ts'
import type { ApiAgent, Progress, ServerMessage } from './protocol.ts'
import type { Readings } from './readings/index.ts'
import type { Sessions } from './sessions/index.ts'
import type { Terminals } from './terminals/index.ts'

export interface Services {
  context: Context
  auth: Auth
  /** Over this connection the token, or what stands for it, was shown: it is kept when strangers have to go. */
  trust(socket: Socket): void
  sessions: Sessions
  checks: Checks
  readings: Readings
  terminals: Terminals
  /** Those that clients of others made. */
  terminalHost: OwnTerminalHost
  gate: Gate
  /** Live conversations, and the journal they are in. */
  conversations: ConversationService
  /** The same for the page. */
  live: LiveConversations
  /** The same conversations for clients of others, below `/opencode`. */
  opencode: OpenCode
  version: string
  /** Milliseconds since 1970. */
  startedAt: number
  isDemo: boolean
  isStopping(): boolean
  /** Of finding, reading and checking, what is under way. */
  progress(): Progress
  /** Whether sessions have come that nobody told us of: looked at soon, where the last look is not fresh. */
  lookAgain(): void
  agents(): Promise<ApiAgent[]>
  /** To every client that has said hello. */
  broadcast(message: ServerMessage): void
}
