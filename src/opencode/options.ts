// What the API is given: the conversations it shows, the folders it speaks of, and who made it.
import type { AcpAgents } from '../journal/connection/acp-agents.ts'
import type { OwnClientSide } from '../journal/client/index.ts'
import type { Conversations } from '../journal/conversations.ts'
import type { ErrorCode } from '../model/errors.ts'
import type { AllowedFolders } from './allowed-folders.ts'
import type { Folders } from './folders.ts'
import type { TerminalHost } from './terminal-host.ts'

/** Those of the server; its page and its API talk in the same ones. */
export interface OpenJournal {
  conversations: Conversations
  clientSide: OwnClientSide
  agents: AcpAgents
}

export type ErrorStatus = 400 | 403 | 404 | 409 | 413 | 422 | 423 | 500 | 501 | 502 | 503 | 504 | 507

export interface OpenCodeOptions {
  /** Asked with each request until it has succeeded once. Throws why the journal cannot be opened. */
  open(): Promise<OpenJournal>
  folders: Folders
  allowed: AllowedFolders
  version: string
  /** Of an error, by the one table there is. */
  statusOf(code: ErrorCode): ErrorStatus
  /** Absent on a server that has none. */
  terminals?: TerminalHost
  log(text: string, details: Record<string, unknown>): void
}
