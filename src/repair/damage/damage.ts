// The interface of every damage class: how it is found, what repairs it, and how a test inflicts it. A damage
// class depends on traits of a store, never on an agent.
import type {
  DatabaseRepair,
  DocumentRepair,
  LogRepair,
  LogView,
  ParsedTreeFile,
  StoreRepair,
  TreeRepair,
} from '../../agents/repair.ts'
import type { Traits } from '../../agents/store.ts'
import type { DocumentBytes } from '../../bytes/outline.ts'
import type { Item } from '../../bytes/records.ts'
import type { Finding } from '../../model/finding.ts'
import type { PageCheck } from '../../model/page-check.ts'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Random } from './lines/line-damage.ts'

export type { Random } from './lines/line-damage.ts'

export type Damage = LogDamage | DocumentDamage | TreeDamage | DatabaseDamage

interface AnyDamage<Framing extends StoreRepair['framing'], Subject> {
  /** Public and stable. Equal to the name of its folder. */
  id: string
  /** A few words for users. */
  title: string
  /** Cause, effect and repair, for users who ask why. */
  why?: string
  /** Raise it when the class finds something else than before. Cached verdicts are then made again. */
  version?: number
  framing: Framing
  /** Whether sessions of a store with these traits can have this damage. */
  appliesTo(traits: Traits, repair: Extract<StoreRepair, { framing: Framing }>): boolean
  /** Scans the whole session. Must be cheap where there is nothing to find. */
  detect(subject: Subject): Detected[] | Promise<Detected[]>
  /**
   * Plans the smallest change that repairs the findings. Gets all of them at once, because repairs of one
   * class can depend on each other.
   */
  plan(subject: Subject, detected: readonly Detected[]): Planned
  /**
   * Whether the classes after this one wait until the edits of this round are made: their repairs would change what
   * this class is about to find.
   */
  goesFirst?(subject: Subject, detected: readonly Detected[]): boolean
  /** If one session has this damage, all sessions of its store are affected. */
  breaksStore?: boolean
  /** Only early versions of an agent fail on it. */
  isOfEarlyVersions?: boolean
  /** For tests, fuzzing and the demo only: breaks a healthy session in a way that this class finds. */
  inflict: Inflict
}

/** A finding, with what `plan` needs beyond the text for users. */
export interface Detected {
  finding: Finding
  detail?: unknown
  /** The agent loads nothing while this damage exists. */
  isFatal?: boolean
}

export interface Planned {
  changes: Change[]
  /** Findings that are left alone, and why. */
  refused: { finding: Finding; reason: string }[]
}

export const NOTHING_PLANNED: Planned = { changes: [], refused: [] }

export type Junk = Extract<Item, { type: 'junk' }>

export interface LogSubject extends LogView {
  traits: Traits
  repair: LogRepair
  /** Bytes in the lines that are not records, in file order. */
  junk: readonly Junk[]
  /** The agent may still be writing: an incomplete end is not damage. */
  isLive: boolean
}
export type LogDamage = AnyDamage<'json-lines', LogSubject>

export interface DocumentSubject {
  session: SessionRef
  traits: Traits
  repair: DocumentRepair
  bytes: DocumentBytes
  isLive: boolean
}
export type DocumentDamage = AnyDamage<'json-document', DocumentSubject>

export interface TreeSubject {
  session: SessionRef
  traits: Traits
  repair: TreeRepair
  /** Read on access, because a session can be larger than memory. */
  files: readonly ParsedTreeFile[]
  isLive: boolean
}
export type TreeDamage = AnyDamage<'json-tree', TreeSubject>

export interface DatabaseSubject {
  session: SessionRef
  traits: Traits
  repair: DatabaseRepair
  isLive: boolean
  /** Absent where the pages were not checked. */
  pages?: PageCheck
}
export type DatabaseDamage = AnyDamage<'sqlite', DatabaseSubject>

/**
 * Breaks a copy of a session on disk. `file` is the session's file and may be rewritten freely; other files
 * only below `root`. Returns undefined where this session cannot have the damage (too short, no such record).
 */
export type Inflict = (target: InflictTarget, random: Random) => Inflicted | undefined

export interface InflictTarget {
  session: SessionRef
  traits: Traits
  repair: StoreRepair
  /** Reads and writes files of the copy. Passed in, because this layer does not write. */
  read(file: string): Buffer
  write(file: string, bytes: Buffer): void
  remove(file: string): void
  /** Runs statements on a database of the copy. */
  sql(file: string, statement: string, ...values: (string | number | null | Uint8Array)[]): Record<string, unknown>[]
}

export interface Inflicted {
  /** What was done, for the report of a failing test. */
  what: string
  /** The number of records that were destroyed for good. No repair can bring them back. */
  destroyed: number
  /** Nothing can be repaired: a repair must refuse and say why. */
  isBeyondRepair?: boolean
}

/**
 * A tool call without a result, while its agent may still be running it. Once the agent is gone, the same
 * call is damage. So it is reported as unfinished, and a verdict with it is not cached.
 */
export const RUNNING_CALL = {
  severity: 'updating',
  text: 'A tool call has no result yet: the agent may still be working on it.',
  hint: 'Nothing to do while the agent is working.',
} as const satisfies Partial<Finding>
