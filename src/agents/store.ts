// A store: one shape in which an agent keeps sessions. It is the variant: what is found, read and repaired depends on it.
import type { DatabaseOptions } from '../disk/sqlite/read-database.ts'
import { type Failure, RethreadError } from '../model/errors.ts'
import type { RowPlace } from '../model/message.ts'
import type { Words } from '../model/program.ts'
import type { Checkpoint, Reading, SessionFacts } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import type { TokenCounting } from '../model/usage.ts'
import type { Agent } from './agent.ts'
import type { Environment } from './environment.ts'
import type { StoreRepair } from './repair.ts'

export interface Store {
  /** Public and stable, unique within its agent: the `generation` of every session in it. */
  name: string
  title: string
  /**
   * What the ids of its sessions look like: anchored, and bounded in length. A session with another id is listed and read, with a finding; it is
   * never resumed, and its id never becomes an argument. Shared forms are in `session-ids.ts`.
   */
  sessionId: RegExp
  /** The same for sub-agents, where theirs are of another kind. */
  subagentId?: RegExp
  /** What can be repaired follows from these. */
  traits: Traits
  /**
   * Every place where its sessions may be, whether or not it exists. Accesses no file. Empty for a variation of another store (compressed,
   * archived) whose sessions lie among those of that one: its `discover` gives them too.
   */
  locations(environment: Environment): Location[]
  /**
   * The sessions in one location, cheaply: names, sizes and indexes, no full reads. A session or folder that cannot be examined is a failure among
   * the others; only a location that cannot be examined at all throws. A location that does not exist has no sessions.
   */
  discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void>
  /** Reads one session. Never changes anything. Throws what is not on the whitelist of partial readings. */
  read(session: SessionRef, options?: ReadOptions): Reading
  /** The id of a session whose file lies outside every location, such as a copy; undefined where it is not of this store. `head` is its first bytes. */
  adopt?(path: string, head: Buffer): string | undefined
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
  resumesAnywhere?(environment: Environment): boolean
  /** What is known for checking and repairing it; absent where its sessions can only be read. */
  repair?: () => Promise<StoreRepair>
  /** The command that repairs its sessions, where that is not the one for all. */
  mendedBy?: string
}

export interface Location {
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

export type Resume =
  | { type: 'command'; command: string; words: Words; folder: string | undefined }
  /** The agent has no way to do it; the reason is shown. */
  | { type: 'unsupported'; reason: string }

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

type Kept = Pick<SessionRef, 'generation'>

/** The store that a session is in; undefined for a name that the agent does not have. */
export function findStore(agent: Pick<Agent, 'stores'> | undefined, session: Kept): Store | undefined {
  return agent?.stores.find(({ name }) => name === session.generation)
}

/** The same for callers that need one: throws `not-a-session` where there is none. */
export function storeOf(agent: Pick<Agent, 'id' | 'stores'>, session: Kept & Pick<SessionRef, 'filePath'>): Store {
  const store = findStore(agent, session)
  if (store !== undefined) return store
  throw new RethreadError({
    code: 'not-a-session',
    text: `${session.filePath} is kept in a way (${session.generation}) that is not known of ${agent.id}.`,
    hint: 'See what can be read: rethread list',
    path: session.filePath,
  })
}

export interface LocatedStore {
  store: Store
  location: Location
}

/** Every location of every store, in the order of the stores. */
export function locationsOf({ stores }: Pick<Agent, 'stores'>, environment: Environment): LocatedStore[] {
  return stores.flatMap(store => store.locations(environment).map(location => ({ store, location })))
}
