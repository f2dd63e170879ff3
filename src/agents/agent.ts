// What every agent is: shared code knows agents only through this interface, and never by name.
import type { Failure } from '../model/errors.ts'
import type { Words } from '../model/program.ts'
import type { SessionRef } from '../model/session.ts'
import type { Environment } from './environment.ts'
import type { SampleMaker } from './samples/sample.ts'
import type { Sanitizer } from './sanitizer.ts'
import type { Store } from './store.ts'

export interface Agent {
  /** Public and stable: part of the command line and of every JSON answer. */
  id: string
  title: string
  /** Every shape in which it keeps sessions, or has kept them. */
  stores: readonly Store[]
  /** What its processes are called, in lower case: its commands, its packages, its editor. Absent: nobody can say whether it is running. */
  processNames?: readonly string[]
  /** How a person begins a new session on the command line. Absent where the agent has none. */
  start?(): Start
  /** How a person talks to it over ACP. Absent where that is not known. */
  acp?(): AcpStart
  /** When the agent itself deletes old sessions. Absent, and undefined where its settings say so, if it deletes none. Reads the person's settings. */
  retention?(environment: Environment): Retention | undefined
  /** Repairs the store as a whole, where a conversation is a folder of files and a person may have to be asked. Absent where every repair is one of a session. */
  sanitize?: () => Promise<Sanitizer>
  /**
   * Takes the agent's own lock of a session: as long as it is held, the agent passes the session over. Throws `locked` where the agent has it, `unsupported`
   * where it cannot be taken here. Undefined for what has no lock. The session need not be there any more. Absent where the agent knows no locks.
   */
  hold?(
    environment: Environment,
    session: Pick<SessionRef, 'sessionId' | 'filePath'>,
    options?: HoldOptions,
  ): Held | undefined
  /** Throws `undo-conflict` where the agent could not tell what an undo brings back from what is there now; `returning` are the paths that would be there again. */
  assertCanReturn?(environment: Environment, returning: readonly string[]): void
  /** The command that repairs again what an undo has put back; `restored` are the paths that are as they were. Absent where that is the one for all, with the id. */
  repairAgain?(session: Pick<SessionRef, 'sessionId' | 'filePath'>, restored: readonly string[]): string
  /** rethread's own journal: no program loads from it. */
  isJournal?: boolean
  /** Makers of made-up sessions, for the demo, for tests and for benchmarks alone. */
  samples?: () => Promise<readonly SampleMaker[]>
}

export interface HoldOptions {
  /** A person says that the agent is not at work: what cannot be locked here is then not held. What is seen to be locked is refused all the same. */
  force?: boolean
}

/** Whoever takes it releases it. */
export interface Held {
  release(): void
}

export interface Retention {
  /** Need not be whole. */
  days: number
  /** Counted from the last time the file was written, or from the time that stands in the conversation. */
  countsFrom: 'file' | 'conversation'
  /** The file of the setting, and what to write into it to keep everything. */
  file: string
  setting: string
  isDefault: boolean
  /** Why the settings could not be taken as they are. The default is assumed then: a warning too many costs less than a session. */
  failure?: Failure
}

export interface Start {
  command: string
  words: Words
}

export interface AcpStart {
  /** Under which it is configured unless a person says otherwise; no two agents have the same. */
  name: string
  command: string
  args: string[]
  /** The npm package to install; absent where there is none. */
  install?: string
  /** The models that can be chosen whatever its version, its own choice first. One that names none has its default. */
  models?: readonly AcpModel[]
}

export interface AcpModel {
  id: string
  name: string
  family: string
}
