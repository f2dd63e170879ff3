// The interface of an agent. Shared code knows agents only through it, and never by name.
import type { Failure } from '../model/errors.ts'
import type { Words } from '../model/program.ts'
import type { SessionRef } from '../model/session.ts'
import type { Environment } from './environment.ts'
import type { McpHost } from './mcp-host.ts'
import type { SampleMaker } from './samples/sample.ts'
import type { Sanitizer } from './sanitizer.ts'
import type { Store } from './store.ts'

export interface Agent {
  /** Public and stable: part of the command line and of every JSON answer. */
  id: string
  title: string
  /** Every format in which the agent stores sessions, or stored them in the past. */
  stores: readonly Store[]
  /**
   * The names of its processes, in lower case: its commands, its packages, its editor. If absent, rethread
   * cannot tell whether the agent is running.
   */
  processNames?: readonly string[]
  /** The command that starts a new session. Absent if the agent has no such command. */
  start?(): Start
  /** The command that starts the agent as an ACP server. Absent if it is not known. */
  acp?(): AcpStart
  /** How an MCP server is added to the agent. Absent if it is not known. */
  mcp?: McpHost
  /**
   * When the agent itself deletes old sessions, according to the person's settings. Absent or undefined if it
   * deletes none.
   */
  retention?(environment: Environment): Retention | undefined
  /**
   * Repairs the store as a whole. For stores in which a conversation is a folder of files and a person may
   * have to decide. Absent if every repair is a repair of one session.
   */
  sanitize?: () => Promise<Sanitizer>
  /**
   * Takes the agent's own lock of a session. The agent skips the session while the lock is held. The session
   * need not exist any more. Returns undefined for a session without a lock. Throws `locked` if the agent
   * holds the lock, and `unsupported` if it cannot be taken on this system. Absent if the agent has no locks.
   */
  hold?(
    environment: Environment,
    session: Pick<SessionRef, 'sessionId' | 'filePath'>,
    options?: HoldOptions,
  ): HeldLock | undefined
  /**
   * Throws `undo-conflict` if the agent could not distinguish the files that an undo brings back from the
   * present ones.
   */
  assertCanReturn?(environment: Environment, moves: readonly UndoneMove[]): void
  /**
   * The command that repairs again what an undo has put back. `restored` are the paths that the undo
   * restored. Absent if it is the usual command with the session's id.
   */
  repairAgain?(session: Pick<SessionRef, 'sessionId' | 'filePath'>, restored: readonly string[]): string
  /** True for rethread's own journal: no program loads from it. */
  isJournal?: boolean
  /** Makers of made-up sessions. Only the demo, tests and benchmarks use them. */
  samples?: () => Promise<readonly SampleMaker[]>
}

/** A move that an undo reverses. */
export interface UndoneMove {
  /** The path that would exist again. */
  path: string
  /** The path that would be gone. */
  to: string
  /** When the move was made, in milliseconds since 1970. */
  madeAt: number
}

export interface HoldOptions {
  /**
   * The person says that the agent is not running. A session that cannot be locked here is then changed
   * without a lock. A session that is visibly locked is refused all the same.
   */
  force?: boolean
}

/** The caller that takes the lock must release it. */
export interface HeldLock {
  release(): void
}

export interface Retention {
  /** May be a fraction. */
  days: number
  /** Counted from the last write of the file, or from the time recorded in the conversation. */
  countsFrom: 'file' | 'conversation'
  /** The file with the setting, and the line to write into it to keep everything. */
  file: string
  setting: string
  isDefault: boolean
  /**
   * Why the settings could not be read. The default is assumed then: a needless warning costs less than a
   * session.
   */
  failure?: Failure
}

export interface Start {
  command: string
  words: Words
}

export interface AcpStart {
  /** The name in the configuration unless a person chooses another. Unique among agents. */
  name: string
  command: string
  args: string[]
  /** The npm package to install. Absent if there is none. */
  install?: string
  /** The command with which a person logs in. */
  login?: string
  /**
   * The models that every version of the agent offers, its default first. If absent, only the agent's default
   * is used.
   */
  models?: readonly AcpModel[]
}

export interface AcpModel {
  id: string
  name: string
  family: string
}
