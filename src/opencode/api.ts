// The options of the API, and what its routes work with once the journal is open.
import type { Hono } from 'hono'
import type { OwnClientSide } from '../journal/client/index.ts'
import type { AcpAgents } from '../journal/connection/acp-agents.ts'
import type { Conversations } from '../journal/conversations.ts'
import type { ErrorCode } from '../model/errors.ts'
import type { AllowedFolders } from './allowed-folders.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { ClientConfig } from './client-config.ts'
import type { Bus } from './events/bus.ts'
import type { Folders, Roots } from './folders.ts'
import type { SessionIds } from './ids.ts'
import type { Views } from './projection/views.ts'
import type { Sessions } from './sessions.ts'
import type { TerminalHost } from './terminal-host.ts'
import type { Replies } from './turns/replies.ts'
import type { Turns } from './turns/turns.ts'

export interface Api extends OpenJournal {
  views: Views
  bus: Bus
  sessions: Sessions
  turns: Turns
  replies: Replies
  catalogue: Catalogue
  config: ClientConfig
  ids: SessionIds
  folders: Folders
  roots: Roots
  version: string
  options: OpenCodeOptions
}

export type OpenCodeApp = Hono<{ Variables: { api: Api } }>

/** The parts of the server that its page and this API share. */
export interface OpenJournal {
  conversations: Conversations
  clientSide: OwnClientSide
  agents: AcpAgents
}

export type ErrorStatus = 400 | 403 | 404 | 409 | 413 | 422 | 423 | 500 | 501 | 502 | 503 | 504 | 507

export interface OpenCodeOptions {
  /** Called with each request until it succeeds once. Throws where the journal cannot be opened. */
  open(): Promise<OpenJournal>
  folders: Folders
  allowed: AllowedFolders
  version: string
  /** The HTTP status of an error code. */
  statusOf(code: ErrorCode): ErrorStatus
  /** Absent on a server without terminals. */
  terminals?: TerminalHost
  log(text: string, details: Record<string, unknown>): void
}
