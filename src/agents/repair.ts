// What a store declares about its files so that they can be checked and repaired. Types only. Damages depend
// on these and on traits, never on an agent.
import type { IsRecord } from '../bytes/records.ts'
import type { Remains, Structure } from '../bytes/salvage/index.ts'
import type { Field } from '../bytes/scanner/fields.ts'
import type { Change, ProposedChange } from '../model/plan.ts'
import type { SessionRef } from '../model/session.ts'
import type { RecordFacts, RecordIndex } from '../repair/records/record-index.ts'
import type { Slots } from '../repair/records/record-rows.ts'
import type { ShapeFacts } from '../repair/records/record-shape.ts'
import type { Environment } from './environment.ts'

/** One type for each framing. Loaded only when a session is checked. */
export type StoreRepair = LogRepair | DocumentRepair | TreeRepair | DatabaseRepair

interface AnyRepair {
  /**
   * A sign that the agent is running on this session (a registry of live processes, a lock file), in words
   * for a person.
   */
  liveSign?(session: SessionRef, environment: Environment): LiveSign | undefined
  /**
   * Whether an agent process that runs in `folder` can be working on this session. If absent, any process of
   * the agent can.
   */
  canRunIn?(session: SessionRef, folder: string): boolean
  /**
   * Other files that take part, such as an index beside the log. A change of one makes a verdict outdated.
   */
  companions?(session: SessionRef, environment: Environment): string[]
  /** The installed version of the agent, found without running it. */
  installedVersion?(environment: Environment): string | undefined
}

export interface LiveSign {
  text: string
  hint: string
}

/** The bytes of a file after the edits planned so far. */
export interface Bytes {
  size: number
  /** With `into`, the bytes may be in that buffer: they are valid until its next use. */
  range(start: number, end: number, into?: Buffer): Buffer
}

/* ---- logs of JSON records ---- */

export interface LogRepair extends AnyRepair {
  framing: 'json-lines'
  /** Whether a JSON object found in a damaged line is a whole record and not a piece of one. */
  isRecord: IsRecord
  describe(record: Record<string, unknown>): RecordFacts
  /**
   * The fields that `describe` reads, so that the scanner need not parse whole records. `describe` then gets a
   * record with nothing else, in which ids, times and texts are replaced. Absent if it needs whole records.
   */
  fields?: Field
  /** The model of the agent's own resume. */
  load(log: LogView): Loaded
  /** Needs `fields`. Each can read one log after the other. */
  makePlain?(): PlainLog
  /**
   * The messages that the store's reader shows of a log without broken lines, if the index says it exactly. Else
   * the log has to be read.
   */
  findShown?(log: LogView): ShownMessages | undefined
  /** For logs with linked records: the fields that hold a record's id and its parent's id. */
  links?: LinkFields
  header?: HeaderRepair
  rewinds?: RewindRepair
  lists?: ListRepair
  repeats?: RepeatRepair
  refusals?: RefusalRepair
  tools?: ToolRepair
  content?: ContentRepair
  times?: TimeRepair
  shapes?: ShapeRepair
  /**
   * Searches other files of the same agent for records that are missing here. Maps each id found to its file.
   */
  findInOtherSessions?(session: SessionRef, ids: readonly string[]): Map<string, string>
  /** The index beside the log: its problems, and the changes that make the agent rebuild it. */
  checkIndex?(session: SessionRef, log: LogView): IndexProblem[] | Promise<IndexProblem[]>
  /**
   * For tests and fuzzing only: a file of the index that the agent cannot use. `log` is the session's own
   * file.
   */
  breakIndex?(session: SessionRef, log: Buffer): { file: string; bytes: Buffer } | undefined
  /**
   * Changes in other files that any edit of the log requires, such as a cursor into its bytes. `firstEdit` is
   * the lowest offset that changes.
   */
  afterEdit?(session: SessionRef, firstEdit: number): Change[] | Promise<Change[]>
}

/** Names of fields at the top level of a record. */
export interface LinkFields {
  id: string
  parent: string
  /** Whether the person rewound to before the first message, so that this second root is intended. */
  startsOver?(index: RecordIndex, root: number): boolean
  /** For tests only: a progress record as the agent writes it, between `parent` and the record `before`. */
  makeProgress?(id: string, parent: string, before: Record<string, unknown>): Record<string, unknown>
}

export interface LogView {
  session: SessionRef
  /** All records, including those that only a salvage finds. */
  index: RecordIndex
  /** The records as the agent sees them: each alone on its line. Equal to `index` if no line is damaged. */
  visible: RecordIndex
  bytes: Bytes
  /** The installed version of the agent, if known. */
  installedVersion?: string
}

/**
 * Logs in which nothing is unusual, from the lines as the scanner gives them: for most logs, no index is needed. What
 * is accepted here has no damage and is loaded whole, with the numbers that `load` gives.
 */
export interface PlainLog {
  begin(installedVersion: string | undefined): void
  /** The next line, whose first slot is `slot`. False if the log is not plain. */
  add(facts: ShapeFacts, slots: PlainSlots, slot: number): boolean
  /** Undefined if the log is not plain. */
  end(session: SessionRef): PlainCounts | undefined
}

export type PlainSlots = Pick<Slots, 'slots' | 'timeAt'>

/** As in `Loaded`. */
export interface PlainCounts {
  messages: number
  sent: number
  depth: number
}

/** The messages of the conversation in file order, each with its byte range. */
export interface ShownMessages {
  starts: Float64Array
  ends: Float64Array
}

/** Numbers of records. Typed arrays keep a chain of a million records small. */
export type Chain = readonly number[] | Int32Array

export interface Loaded {
  /** How many messages the agent would load, counted as the reader counts them. */
  messages: number
  /**
   * How many messages it would send to the model, if it joins neighbours. Absent if the number is the same.
   */
  sent?: number
  /** The records that it loads, as numbers in `visible`, in the order in which they are sent. */
  chain: Chain
  /** The number of records from the last message back to a root or to the break. */
  depth: number
  /** The records of `chain` that it reaches but leaves out, because they hold nothing that it sends again. */
  leftOut?: Chain
  /**
   * The record in `visible` that the history starts with, if the agent leaves out the earlier ones on
   * purpose.
   */
  begins?: { record: number; reason: 'compaction' | 'rewind' }
}

export interface HeaderRepair {
  /** Whether the agent would find the header once all lines are repaired. */
  isPresent(log: LogView): boolean
  /** Uses facts only (file name, later records, index). Edits are in the coordinates of `log.bytes`. */
  rebuild(log: LogView): RebuiltHeader | Promise<RebuiltHeader>
  /** Further headers, because of which the agent does not load the records before them. */
  findRepeated?(log: LogView): { start: number; end: number; text: string }[]
}

export type RebuiltHeader = (RawEdit & { reason: string }) | { refused: string }

export interface RewindRepair {
  /** Rewind records whose target does not exist when they apply, once all lines are repaired. */
  findDangling(log: LogView): { start: number; end: number; text: string }[]
  /** For tests and fuzzing only: the record, without its newline, that rewinds to this message. */
  write(target: string): Buffer
}

/** For logs in which a record can replace the whole conversation before it. */
export interface ListRepair {
  /** Lists that empty a conversation, unless a later list replaces them. */
  findEmptied(log: LogView): { start: number; end: number; text: string }[]
  /** For tests and fuzzing only: a record, without its newline, that empties the conversation. */
  write(): Buffer
}

/** For logs in which the agent writes every record once. Records are numbers in `visible`. */
export interface RepeatRepair {
  /**
   * Whether the agent never writes the bytes of this record twice: the record has its own id, or a time and
   * text.
   */
  isUnique(log: LogView, record: number): boolean
  /** Only records with an id are unique. Where no id is repeated, no record is. */
  needsId?: true
  /** Whether two records with the same id are one record although their bytes differ. */
  isSame?(log: LogView, first: number, second: number): boolean
}

/** Records that the agent leaves out or fails on, because a field is missing or has the wrong type. */
export interface RefusalRepair {
  findRefused(log: LogView): RefusedRecord[]
  /**
   * For tests and fuzzing only: the record in a form that the agent refuses. Undefined if it would still
   * accept it.
   */
  spoil(record: Record<string, unknown>, choice: number): Record<string, unknown> | undefined
}

export interface RefusedRecord {
  start: number
  end: number
  text: string
  /** The agent loads nothing until this is repaired. */
  isFatal?: boolean
  /** The smallest edit that makes the agent accept the record, or why there is none. */
  repair: { edits: RawEdit[]; reason: string } | { refused: string }
}

/** Calls without a result and results without a call in this log, and their repair. */
export interface ToolRepair {
  /** The kinds that the agent does not heal itself, and that are therefore reported. If absent, all kinds. */
  kinds?: readonly UnpairedTool['kind'][]
  /**
   * Every unpaired call or result on the chain that the agent would load from `index` once all lines are
   * repaired.
   */
  findUnpaired(log: LogView): UnpairedTool[]
}

export interface RawEdit {
  start: number
  end: number
  bytes: Buffer
}

export interface UnpairedTool {
  kind: 'call-without-result' | 'result-without-call' | 'duplicate-result'
  /** The record that holds it. */
  start: number
  end: number
  text: string
  /** The smallest edit that pairs it without inventing a result, or why there is none. */
  repair: { edits: RawEdit[]; reason: string } | { refused: string }
}

export interface ContentRepair {
  /** Content on the chain that the model's API refuses. */
  findRejected(log: LogView): RejectedContent[]
}

export interface RejectedContent {
  kind: 'blank' | 'half-character' | 'unsigned'
  start: number
  end: number
  text: string
  repair: { edits: RawEdit[]; reason: string } | { refused: string }
}

export interface ShapeRepair {
  /** Messages in a form that the agent does not expect, so that it fails on them or leaves them out. */
  findWrong(log: LogView): RepairableRecord[]
}

/** A wrong record, and the edits that correct it. */
export interface RepairableRecord {
  start: number
  end: number
  text: string
  repair: { edits: RawEdit[]; reason: string }
}

export interface TimeRepair {
  /** The field of a record that holds its time. */
  field: string
  /**
   * Records whose time keeps a resume from reaching the end of the conversation, once all lines are repaired.
   */
  findWrong(log: LogView): RepairableRecord[]
}

export interface IndexProblem {
  file: string
  text: string
  changes: ProposedChange[]
  refused?: string
  /** The agent loads nothing of the session until this is repaired. */
  isFatal: boolean
}

/* ---- one JSON document ---- */

/** The structure of a document: the names at its top level, and the form of its messages. */
export interface DocumentRepair extends AnyRepair, Structure {
  framing: 'json-document'
  /**
   * Counts the messages of one document as the reader does, one list element at a time: a document can be
   * larger than memory.
   */
  counter(): (element: unknown) => number
  /** Why the agent would refuse a document with these top-level fields. Undefined if it accepts it. */
  refuses?(fields: ReadonlySet<string>): string | undefined
  /**
   * The missing fields that the agent requires, as far as they follow from the file's name and its remains.
   */
  restoreFields?(session: SessionRef, remains: Remains): ReadonlyMap<string, unknown>
}

/* ---- a tree of JSON files ---- */

export interface TreeRepair extends AnyRepair {
  framing: 'json-tree'
  /**
   * Every file that the agent reads for the session, and its role. A missing folder has no files. An
   * unreadable one throws.
   */
  files(session: SessionRef): TreeFile[]
  /** The top-level fields whose text is worth saving if the file was cut in the middle of it. */
  texts: readonly string[]
  /** Why the agent could not use a file with this value. Undefined if it can. */
  refuses(file: TreeFile, value: Record<string, unknown>): string | undefined
  /** Rebuilds a lost message from the remains of its file, its parts and its neighbours. */
  rebuildMessage(message: ParsedTreeFile, files: readonly ParsedTreeFile[]): Rebuilt
  /** Rebuilds the session's own file from its remains, its other files and its name. */
  rebuildRoot(session: SessionRef, files: readonly ParsedTreeFile[]): Rebuilt
  /** How many messages the agent loads once all files parse. */
  countMessages(files: readonly ParsedTreeFile[]): number
  /** Tool calls of a process that has ended: the files to rewrite. */
  findUnsettled?(files: readonly ParsedTreeFile[]): { file: string; text: string; edits: RawEdit[]; reason: string }[]
}

export type Rebuilt = { file: string; bytes: Buffer; reason: string } | { refused: string }

export interface TreeFile {
  file: string
  /** A `stray` file is not a record of the agent, but the agent fails on it. */
  role: 'session' | 'message' | 'part' | 'stray'
  id: string
  /** The message that a part belongs to. */
  of?: string
}

export interface ParsedTreeFile extends TreeFile {
  bytes: Buffer
  /** Undefined if the file does not parse. */
  value: Record<string, unknown> | undefined
}

/* ---- a database ---- */

export interface DatabaseRepair extends AnyRepair {
  framing: 'sqlite'
  /**
   * Rows of this session that the agent cannot use, and the changes that make them usable. Reads through
   * src/disk/sqlite/read-database.ts.
   */
  findBadRows(session: SessionRef): Promise<RowProblem[]>
  /** How many messages the agent would load now (0 if a bad row makes it fail), and after the repair. */
  countMessages(session: SessionRef): Promise<{ now: number; afterRepair: number }>
  /** Whether a repair may write to the database. If false, problems are only reported. */
  isRepairable: boolean
  /** See `RebuildDatabase.fills`. */
  fills?: readonly string[]
  /** The JSON columns that hold the session records the agent requires. */
  records?: readonly RecordColumn[]
}

export interface RecordColumn {
  table: string
  /** The column that identifies a row. */
  key: string
  /** The column with the id of the session. */
  session: string
  column: string
}

export interface RowProblem {
  kind: 'unreadable' | 'unsettled'
  table: string
  row: string | number
  text: string
  changes: ProposedChange[]
  refused?: string
}
