// A store: one format in which an agent keeps sessions. It defines how they are found, read and repaired.
import type { ReadOnceFile } from '../disk/files/read-once.ts'
import type { DatabaseOptions } from '../disk/sqlite/read-database.ts'
import { type Failure, RethreadError } from '../model/errors.ts'
import type { RowPlace } from '../model/message.ts'
import type { Words } from '../model/program.ts'
import type { Checkpoint, Reading, SessionFacts } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import type { SessionUsage, TokenCounting } from '../model/usage.ts'
import type { StoreAdoption } from './adoption.ts'
import type { Agent } from './agent.ts'
import type { StoreArchive } from './archive.ts'
import { type Environment, layoutsOf } from './environment.ts'
import type { StoreListing } from './listing.ts'
import type { StoreParts } from './parts.ts'
import type { StoreRepair } from './repair.ts'

export interface Store {
  /** Public, stable and unique within its agent. It is the `generation` of every session in the store. */
  name: string
  title: string
  /**
   * The form of its session ids: anchored, and bounded in length. A session with another id is listed and
   * read, with a finding. It is never resumed, and its id never becomes an argument. `model/session-id.ts`
   * has shared forms.
   */
  sessionId: RegExp
  /** The form of the ids of subagents, if it differs. */
  subagentId?: RegExp
  /** The traits decide which damages can be repaired. */
  traits: Traits
  /**
   * Every path where its sessions may be, whether or not it exists. Accesses no file. Empty for a variation
   * of another store (compressed, archived) whose sessions are in the same folders: the other store's
   * `discover` yields them too.
   */
  locations(environment: Environment): Location[]
  /**
   * The sessions in one location, cheaply: from names, sizes and indexes, without full reads. A session or
   * folder that cannot be examined is yielded as a failure. Only a location that cannot be examined at all
   * throws. A location that does not exist has no sessions.
   */
  discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void>
  /**
   * The same sessions without a look at any of them, for a store in which each is a file of its own and its identity is
   * the mark of the file. Absent for other stores.
   */
  listFiles?(location: Location): Generator<SessionFiles | FoundFailure, void, void>
  /** Reads one session. Never changes anything. Throws every failure that is not in PARTIAL_CODES. */
  read(session: SessionRef, options?: ReadOptions): Reading
  /** How a large session is read in parts. If absent, it is always read in one. */
  parts?: () => Promise<StoreParts>
  /** A faster way to what a summary needs of a session. */
  skim?: () => Promise<Skim>
  /**
   * The project folder that `read` would give, from the first lines of the file: only complete ones.
   * Undefined if they do not decide it.
   */
  projectInHead?(head: Buffer): string | undefined
  /**
   * The id of a session file outside every location, such as a copy. Undefined if the file is not of this
   * store. `head` holds its first bytes.
   */
  recognise?(path: string, head: Buffer): string | undefined
  /** Why the stored form of a row is not shown: it can hold keys and tokens. Absent if no row holds any. */
  withholds?(place: RowPlace): string | undefined
  /**
   * Reads the row of a message, for stores whose rows have no rowid or need a special read. Undefined if the
   * row does not exist.
   */
  readRow?(
    session: SessionRef,
    place: RowPlace,
    options?: DatabaseOptions,
  ): Promise<Record<string, unknown> | undefined>
  /**
   * How a person resumes this session in the agent. `resumeOf` builds the command and refuses ids of another
   * form.
   */
  resume(session: SessionRef, facts: SessionFacts): Resume
  /** Whether its resume finds the session from any folder. If absent, only from the conversation's folder. */
  resumesAnywhere?(environment: Environment): boolean
  /** The adapter for checks and repairs. Absent if sessions can only be read. */
  repair?: () => Promise<StoreRepair>
  /** What belongs to a session beside its file, and which rows. If absent, its own files alone. */
  archive?: StoreArchive
  /** Which sessions the agent's own list shows. Absent if it is not known. */
  listing?: () => Promise<StoreListing>
  /** How it takes sessions of another home. Absent if it takes none. */
  adoption?: () => Promise<StoreAdoption>
  /** The command that repairs its sessions, if it is not the usual one. */
  repairCommand?: string
}

export interface Location {
  /** A folder, or a database file. */
  path: string
  /** The folder that links may not leave: `path` itself, or the folder around it. */
  root: string
}

export type Found = { type: 'session'; session: SessionRef } | FoundFailure

export interface FoundFailure {
  type: 'failure'
  failure: Failure
}

/** Files in one folder, each of which is a session. */
export interface SessionFiles {
  type: 'files'
  folder: string
  /** In order, each once. */
  names: string[]
  /** What the end of every name is after the id. */
  suffix: string
  generation: string
  subagentOf?: string
}

export interface DiscoverOptions extends DatabaseOptions {
  environment: Environment
}

/** What a summary needs of a session, without its words. Undefined for a session that has to be read. */
export type Skim = (
  file: ReadOnceFile,
  session: SessionRef,
  counting: TokenCounting | undefined,
) => SkimmedSession | undefined

export interface SkimmedSession {
  /** As `read` gives them. */
  facts: SessionFacts
  /** Those of the messages that `read` gives. */
  messageCount: number
  usage?: SessionUsage
}

export interface ReadOptions extends DatabaseOptions {
  /** Read only what was added since. */
  after?: Checkpoint
  /** Read this branch instead of the active one. */
  branch?: string
  /** No later reading continues from this one, so the store may leave out the checkpoint. */
  isOnce?: boolean
}

export type Resume =
  | { type: 'command'; command: string; words: Words; folder: string | undefined }
  /** The agent cannot resume it. The reason is shown. */
  | { type: 'unsupported'; reason: string }

export interface Traits {
  framing: 'json-lines' | 'json-document' | 'json-tree' | 'text' | 'sqlite'
  /** Records name their parent, and a resume follows these links. */
  linkedByParent: boolean
  /** The agent cannot load the session without its first record. */
  headerRecord: boolean
  /** Calls and results are paired by an id. */
  toolPairs: boolean
  /** Another file lists the sessions, and can disagree with the log. */
  indexBeside: boolean
  /** A record can rewind the conversation to an earlier message. */
  rewinds?: boolean
  /**
   * The agent's line reader also ends a line at U+2028 and U+2029, so that a record with a raw one is lost.
   */
  splitsAtSeparators?: boolean
  /** The file is compressed: offsets refer to the text inside it, and its bytes cannot be patched. */
  isCompressed?: boolean
  /** The file only grows, so that a second reading can continue where the first ended. */
  appendOnly: boolean
  /** How the store counts tokens, if not in the usual way. */
  tokens?: TokenCounting
}

type InStore = Pick<SessionRef, 'generation'>

/** The store of a session. Undefined for a name that the agent does not have. */
export function findStore(agent: Pick<Agent, 'stores'> | undefined, session: InStore): Store | undefined {
  return agent?.stores.find(({ name }) => name === session.generation)
}

/** The store of a session. Throws `not-a-session` if there is none. */
export function storeOf(agent: Pick<Agent, 'id' | 'stores'>, session: InStore & Pick<SessionRef, 'filePath'>): Store {
  const store = findStore(agent, session)
  if (store !== undefined) return store
  throw new RethreadError({
    code: 'not-a-session',
    text: `${session.filePath} is in a store (${session.generation}) that ${agent.id} does not have.`,
    hint: 'See what can be read: rethread list',
    path: session.filePath,
  })
}

export interface LocatedStore {
  store: Store
  location: Location
  /** The environment in whose layout the location is. */
  environment: Environment
}

/** Every location of every store, in the order of the stores, each once. */
export function locationsOf({ stores }: Pick<Agent, 'stores'>, environment: Environment): LocatedStore[] {
  const layouts = layoutsOf(environment)
  return stores.flatMap(store => {
    const known = new Map<string, LocatedStore>()
    for (const layout of layouts)
      for (const location of store.locations(layout))
        if (!known.has(location.path)) known.set(location.path, { store, location, environment: layout })
    return [...known.values()]
  })
}
