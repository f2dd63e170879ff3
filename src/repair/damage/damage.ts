// The one interface that every class of damage meets: how it is found, what repairs it, and how a test inflicts it. A damage asks for traits, never for an agent.

import type {
  Bytes,
  DatabaseRepair,
  DocumentRepair,
  LogRepair,
  LogView,
  ParsedTreeFile,
  StoreRepair,
  TreeRepair,
} from '../../agents/repair.ts'
import type { Traits } from '../../agents/store.ts'
import type { Item } from '../../bytes/records.ts'
import type { Finding } from '../../model/finding.ts'
import type { PageCheck } from '../../model/page-check.ts'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Random } from './lines/line-damage.ts'

export type { Random } from './lines/line-damage.ts'

export type Damage = LogDamage | DocumentDamage | TreeDamage | DatabaseDamage

interface AnyDamage<Framing extends StoreRepair['framing'], Subject> {
  /** Public and stable: the name of its folder. */
  id: string
  /** A few words for a person. */
  title: string
  /** Cause, effect and cure, for a person who asks why. */
  why?: string
  /** Raised when it finds something else than before: verdicts that are stored are then made again. */
  version?: number
  framing: Framing
  /** Whether sessions with these traits can have it. */
  concerns(traits: Traits, repair: Extract<StoreRepair, { framing: Framing }>): boolean
  /** Looks at the whole session. Cheap where there is nothing to find. */
  detect(subject: Subject): Detected[] | Promise<Detected[]>
  /** The least change that repairs what was found. All of it at once, as repairs of one class can depend on each other. */
  plan(subject: Subject, detected: readonly Detected[]): Planned
  /** Where one session is broken like this, all sessions of its store are. */
  breaksStore?: boolean
  /** Only early versions of an agent stumble over it. */
  isOfEarlyVersions?: boolean
  /** For tests, fuzzing and the demo alone: breaks a healthy session in a way that this damage finds. */
  inflict: Inflict
}

/** A finding, and what `plan` has to know of it beyond what a person is told. */
export interface Detected {
  finding: Finding
  detail?: unknown
  /** The agent loads nothing as long as this is so, whatever the records say. */
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
  /** What the lines hold beside records, in the order of the file. */
  junk: readonly Junk[]
  /** Somebody may still be writing: an unfinished end is no damage. */
  isLive: boolean
}
export type LogDamage = AnyDamage<'json-lines', LogSubject>

export interface DocumentSubject {
  session: SessionRef
  traits: Traits
  repair: DocumentRepair
  bytes: Bytes
  isLive: boolean
}
export type DocumentDamage = AnyDamage<'json-document', DocumentSubject>

export interface TreeSubject {
  session: SessionRef
  traits: Traits
  repair: TreeRepair
  /** Read when they are looked at, as a session can be larger than memory. */
  files: readonly ParsedTreeFile[]
  isLive: boolean
}
export type TreeDamage = AnyDamage<'json-tree', TreeSubject>

export interface DatabaseSubject {
  session: SessionRef
  traits: Traits
  repair: DatabaseRepair
  isLive: boolean
  /** Absent where nobody has looked at the pages. */
  pages?: PageCheck
}
export type DatabaseDamage = AnyDamage<'sqlite', DatabaseSubject>

/**
 * Breaks a copy of a session on disk. `file` is the session's file and may be rewritten freely; files beside it only below `root`.
 * undefined where this session cannot have the damage (too short, no such record).
 */
export type Inflict = (target: InflictTarget, random: Random) => Inflicted | undefined

export interface InflictTarget {
  session: SessionRef
  traits: Traits
  repair: StoreRepair
  /** Reads and writes files of the copy: handed in, as this layer writes nothing. */
  read(file: string): Buffer
  write(file: string, bytes: Buffer): void
  remove(file: string): void
  /** Runs statements on a database of the copy. */
  sql(file: string, statement: string, ...values: (string | number | null | Uint8Array)[]): Record<string, unknown>[]
}

export interface Inflicted {
  /** What was done, for the report of a failing test. */
  what: string
  /** How many records the break destroyed for good; no repair can bring these back. */
  destroyed: number
  /** Nothing can be repaired any more: a repair has to refuse, and say why. */
  isBeyondRepair?: boolean
}
