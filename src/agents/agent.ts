// The one interface that every agent meets. Shared code knows agents only through it, and never by name.
import type { DatabaseOptions } from '../disk/sqlite/read-database.ts'
import type { Failure } from '../model/errors.ts'
import type { RowPlace } from '../model/message.ts'
import type { Words } from '../model/program.ts'
import type { Checkpoint, Reading, SessionFacts } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import type { TokenCounting } from '../model/usage.ts'
import type { Environment } from './environment.ts'
import type { Mend } from './repair.ts'
import type { SampleMaker } from './samples/sample.ts'
import type { Sanitizer } from './sanitizer.ts'

export interface Agent {
  /** Public and stable: part of the command line and of every JSON answer. */
  id: string
  title: string
  /** The store generations this agent has had, by name. */
  generations: Record<string, Generation>
  /** Every place where sessions may be, whether or not it exists. Looks at nothing. */
  stores(environment: Environment): Store[]
  /**
   * The sessions in one store, cheaply: names, sizes and indexes, no full reads. A session or folder that cannot be examined is a failure among
   * the others; only a store that cannot be examined at all throws. A store that does not exist has no sessions.
   */
  discover(store: Store, options: DiscoverOptions): AsyncGenerator<Found, void, void>
  /** Reads one session. Never changes anything. Throws what is not on the whitelist of partial readings. */
  read(session: SessionRef, options?: ReadOptions): Reading
  /** A session file outside any store, such as a copy: what it is, or undefined where it is none of ours. `head` is its first bytes. */
  adopt(path: string, head: Buffer): Adopted | undefined
  /** Why the stored form of a row is not shown: keys and tokens can stand beside what was said. Absent where no row holds any. */
  withholds?(place: RowPlace): string | undefined
  /** A row that a message points at, where that is not known by its rowid or must not be read in the usual way. Undefined where it is not there. */
  readRow?(
    session: SessionRef,
    place: RowPlace,
    options?: DatabaseOptions,
  ): Promise<Record<string, unknown> | undefined>
  /** How a person resumes this session in the agent itself. `resumeOf` makes a command of it, and refuses ids that are not the store's. */
  resume(session: SessionRef, facts: SessionFacts): Resume
  /** Whether its resume finds the session from any folder. Absent: only in the folder that the conversation was held in. */
  resumesAnywhere?(session: SessionRef, environment: Environment): boolean
  /** What its processes are called, in lower case: its commands, its packages, its editor. Absent: nobody can say whether it is running. */
  processNames?: readonly string[]
  /** How a person begins a new session on the command line. Absent where the agent has none. */
  start?(): Start
  /** How a person talks to it over ACP. Absent where that is not known. */
  acp?(): AcpStart
  /** When the agent itself deletes old sessions. Absent, and undefined where its settings say so, if it deletes none. Reads the person's settings. */
  retention?(environment: Environment): Retention | undefined
  /** Mends the store as a whole, where a conversation is a folder of files and a person may have to be asked. Absent where every repair is one of a session. */
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
  /** The command that mends again what an undo has put back; `restored` are the paths that are as they were. Absent where that is the one for all, with the id. */
  mendAgain?(session: Pick<SessionRef, 'sessionId' | 'filePath'>, restored: readonly string[]): string
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

export interface Store {
  generation: string
  /** A folder, or the file of a database. */
  path: string
  /** Where links may lead to: `path` itself, or the folder around it. */
  root: string
}

export type Found = { type: 'session'; session: SessionRef } | { type: 'failure'; failure: Failure }

export interface DiscoverOptions extends DatabaseOptions {
  environment: Environment
}

export interface ReadOptions extends DatabaseOptions {
  /** Read only what was added since. */
  after?: Checkpoint
  /** Read this branch in place of the active one. */
  branch?: string
}

export type Adopted = Pick<SessionRef, 'sessionId' | 'generation'>

export type Resume =
  | { type: 'command'; command: string; words: Words; folder: string | undefined }
  /** The agent has no way to do it; the reason is shown. */
  | { type: 'unsupported'; reason: string }

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

/** One shape in which an agent keeps sessions. What can be repaired follows from the traits. */
export interface Generation {
  title: string
  /**
   * What the ids of its sessions look like: anchored, and bounded in length. A session with another id is listed and read, with a finding; it is
   * never resumed, and its id never becomes an argument. Shared forms are in `session-ids.ts`.
   */
  sessionId: RegExp
  /** The same for sub-agents, where theirs are of another kind. */
  subagentId?: RegExp
  traits: Traits
  /** What is known for checking and mending it; absent where sessions of this kind can only be read. */
  mend?: () => Promise<Mend>
  /** The command that mends sessions of this kind, where that is not the one for all. */
  mendedBy?: string
}

export interface Traits {
  framing: 'json-lines' | 'json-document' | 'json-tree' | 'text' | 'sqlite'
  /** Records name their parent, and a resume walks these links. */
  linkedByParent: boolean
  /** The session is lost to the agent without its first record. */
  headerRecord: boolean
  /** Calls and results are paired by an id. */
  toolPairs: boolean
  /** Another file lists the sessions, and can disagree. */
  indexBeside: boolean
  /** Records can take back earlier ones by naming the first of them. */
  rewinds?: boolean
  /** The agent's reader of lines takes U+2028 and U+2029 for the end of one, so that a record with a raw one in it is lost to it. */
  splitsAtSeparators?: boolean
  /** The file is compressed: places count in the text inside it, and its bytes cannot be patched. */
  isCompressed?: boolean
  /** The file only grows, so that a second reading can go on where the first ended. */
  appendOnly: boolean
  /** How tokens are counted in it, where that is not the usual way. */
  tokens?: TokenCounting
}
