// What an agent's folder knows of its own files so that they can be checked and repaired: types alone. A damage asks for these, and for traits, and never for an agent.
import type { IsRecord } from '../bytes/records.ts'
import type { Remains, Structure } from '../bytes/salvage/index.ts'
import type { Change, ProposedChange } from '../model/plan.ts'
import type { SessionRef } from '../model/session.ts'
import type { RecordFacts, RecordIndex } from '../repair/records/record-index.ts'
import type { Environment } from './environment.ts'

/** By framing. Loaded only when a session is checked. */
export type StoreRepair = LogRepair | DocumentRepair | TreeRepair | DatabaseRepair

interface AnyRepair {
  /** A sign that the agent is running on this session (a registry of live processes, a lock file), in words for a person. */
  liveSign?(session: SessionRef, environment: Environment): LiveSign | undefined
  /** Whether a process of the agent that runs in `folder` can be at work on this session. Absent: any process of the agent can. */
  canRunIn?(session: SessionRef, folder: string): boolean
  /** Other files that take part and whose change makes a verdict old, such as an index beside the log. */
  companions?(session: SessionRef, environment: Environment): string[]
  /** The version of the agent that is installed, found without running it. */
  installedVersion?(environment: Environment): string | undefined
}

export interface LiveSign {
  text: string
  hint: string
}

/** Bytes of a file as it would be after the edits that are already planned. */
export interface Bytes {
  size: number
  range(start: number, end: number): Buffer
}

/* ---- logs of JSON records ---- */

export interface LogRepair extends AnyRepair {
  framing: 'json-lines'
  /** Whether a JSON object found in a damaged line is a record and not a piece of one. */
  isRecord: IsRecord
  describe(record: Record<string, unknown>): RecordFacts
  /** The model of the agent's own resume. */
  load(log: LogView): Loaded
  /** Where a record says what it is called and what it goes on from, for logs whose records are linked. */
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
  /** Looks for records that are missing here in other files of the same agent: a map from their id to the file. */
  findInOtherSessions?(session: SessionRef, ids: readonly string[]): Map<string, string>
  /** The index beside the log: what is wrong with it, and the changes that let the agent make it again. */
  checkIndex?(session: SessionRef, log: LogView): IndexTrouble[] | Promise<IndexTrouble[]>
  /** For tests and fuzzing alone: a file of the index as it is of no use to the agent. `log` is the session's own file. */
  breakIndex?(session: SessionRef, log: Buffer): { file: string; bytes: Buffer } | undefined
  /** Changes that any edit of the log makes necessary elsewhere, such as a cursor into its bytes. `firstEdit` is the lowest offset that changes. */
  afterEdit?(session: SessionRef, firstEdit: number): Change[] | Promise<Change[]>
}

/** The names of fields of the record itself. */
export interface LinkFields {
  id: string
  parent: string
  /** Whether the person went back to before the first message, so that this root is meant to be one. */
  startsOver?(index: RecordIndex, root: number): boolean
  /** For breakers in tests alone: a report of progress as the agent writes it, between `parent` and the record `before`. */
  makeProgress?(id: string, parent: string, before: Record<string, unknown>): Record<string, unknown>
}

export interface LogView {
  session: SessionRef
  /** All records, also those that only a salvage finds. */
  index: RecordIndex
  /** As the agent sees it: records that stand alone on their line. Equal to `index` where nothing is wrong with the lines. */
  visible: RecordIndex
  bytes: Bytes
  /** The version of the installed agent, where it is known. */
  installedVersion?: string
}

/** Numbers of records. A conversation can have a million of them, and then they are kept in few bytes. */
export type Chain = readonly number[] | Int32Array

export interface Loaded {
  /** How many messages it would load, counted as the reader counts them. */
  messages: number
  /** How many it would send to the model, where it joins neighbours; absent where that is the same. */
  sent?: number
  /** The records that it loads, as numbers in `visible`, in the order in which they are sent. */
  chain: Chain
  /** From the last message back to a root or to the break. */
  depth: number
  /** Those of `chain` that it reaches and leaves out, as they hold nothing that it sends again. */
  leftOut?: Chain
  /** The record in `visible` that the history begins with, where what stands before it is left out on purpose. */
  begins?: { record: number; reason: 'compaction' | 'rewind' }
}

export interface HeaderRepair {
  /** Whether the agent would find the header once all lines are repaired. */
  isPresent(log: LogView): boolean
  /** From facts alone (file name, later records, index). Edits in the coordinates of `log.bytes`. */
  rebuild(log: LogView): RebuiltHeader | Promise<RebuiltHeader>
  /** Further headers, because of which the agent does not load what stands before them. */
  findRepeated?(log: LogView): { start: number; end: number; text: string }[]
}

export type RebuiltHeader = (RawEdit & { reason: string }) | { refused: string }

export interface RewindRepair {
  /** Records that take back from a message on that is not there when their turn comes, once all lines are repaired. */
  findDangling(log: LogView): { start: number; end: number; text: string }[]
  /** For tests and fuzzing alone: the record, without its newline, that takes back from this message on. */
  write(target: string): Buffer
}

/** For logs in which a record can hold the whole conversation in place of what stands before it. */
export interface ListRepair {
  /** Lists that leave nothing of a conversation that is there, and that no later list makes meaningless. */
  findEmptied(log: LogView): { start: number; end: number; text: string }[]
  /** For tests and fuzzing alone: the record, without its newline, that leaves nothing. */
  write(): Buffer
}

/** For logs in which the agent writes every record once. Records are numbers in `visible`. */
export interface RepeatRepair {
  /** Whether the agent never writes the bytes of this record twice: it has an id of its own, or a time and words. */
  isUnique(log: LogView, record: number): boolean
  /** Whether two records with the same id are one, though their bytes differ. */
  isSame?(log: LogView, first: number, second: number): boolean
}

/** Records that the agent leaves out, or fails on, because a field is missing or of another kind. */
export interface RefusalRepair {
  findRefused(log: LogView): RefusedRecord[]
  /** For tests and fuzzing alone: the record as the agent would not take it; undefined where it would. */
  spoil(record: Record<string, unknown>, choice: number): Record<string, unknown> | undefined
}

export interface RefusedRecord {
  start: number
  end: number
  text: string
  /** The agent loads nothing as long as this is so. */
  isFatal?: boolean
  /** The least edit that makes the agent take it, or why there is none. */
  repair: { edits: RawEdit[]; reason: string } | { refused: string }
}

/** How calls without a result, and results without a call, look in this log and how they are repaired. */
export interface ToolRepair {
  /** What the agent does not heal by itself and is therefore found; everything where it is absent. */
  kinds?: readonly UnpairedTool['kind'][]
  /** Every unpaired call or result on the chain that the agent would load from `index` once all lines are repaired. */
  findUnpaired(log: LogView): UnpairedTool[]
}

export interface RawEdit {
  start: number
  end: number
  bytes: Buffer
}

export interface UnpairedTool {
  kind: 'call-without-result' | 'result-without-call' | 'duplicate-result'
  /** The record it is in. */
  start: number
  end: number
  text: string
  /** The least edit that pairs it honestly, or why there is none. */
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
  /** Messages that are not of the form that the agent expects, so that it fails on them or leaves them out. */
  findWrong(log: LogView): RepairableRecord[]
}

/** A record that is wrong, and the edits that make it right. */
export interface RepairableRecord {
  start: number
  end: number
  text: string
  repair: { edits: RawEdit[]; reason: string }
}

export interface TimeRepair {
  /** The field of a record that holds its time. */
  field: string
  /** Records whose time keeps a resume from the end of the conversation, once all lines are repaired. */
  findWrong(log: LogView): RepairableRecord[]
}

export interface IndexTrouble {
  file: string
  text: string
  changes: ProposedChange[]
  refused?: string
  /** The agent loads nothing of the session as long as this is so. */
  isFatal: boolean
}

/* ---- one JSON document ---- */

/** The parts of a document: the names at its top, and what its messages look like. */
export interface DocumentRepair extends AnyRepair, Structure {
  framing: 'json-document'
  /** Counts the messages of one document as the reader counts them, one element of the list at a time: documents can be larger than memory. */
  counter(): (element: unknown) => number
  /** Why the agent would not take a document with these fields at the top; undefined where it would. */
  refuses?(fields: ReadonlySet<string>): string | undefined
  /** The fields that the agent insists on and that are missing, as far as the file's name and what is left of it tell them. */
  restoreFields?(session: SessionRef, remains: Remains): ReadonlyMap<string, unknown>
}

/* ---- a tree of JSON files ---- */

export interface TreeRepair extends AnyRepair {
  framing: 'json-tree'
  /** Every file that the agent reads for the session, and what it is. Missing folders have no files; what cannot be read throws. */
  files(session: SessionRef): TreeFile[]
  /** The fields at the top of a file whose text is worth keeping where the file was cut in the middle of it. */
  texts: readonly string[]
  /** Why the agent could not use a file that holds this; undefined where it can. */
  refuses(file: TreeFile, value: Record<string, unknown>): string | undefined
  /** Builds a message that is lost again, from what is left of its file, its parts and its neighbours. */
  rebuildMessage(message: ParsedTreeFile, files: readonly ParsedTreeFile[]): Rebuilt
  /** Builds the file of the session itself again, from what is left of it, its other files and its name. */
  rebuildRoot(session: SessionRef, files: readonly ParsedTreeFile[]): Rebuilt
  /** How many messages the agent loads once all files parse. */
  countMessages(files: readonly ParsedTreeFile[]): number
  /** Calls of a process that is dead: files to be rewritten. */
  findUnsettled?(files: readonly ParsedTreeFile[]): { file: string; text: string; edits: RawEdit[]; reason: string }[]
}

export type Rebuilt = { file: string; bytes: Buffer; reason: string } | { refused: string }

export interface TreeFile {
  file: string
  /** A stray file is no record of the agent's, but it trips over it. */
  role: 'session' | 'message' | 'part' | 'stray'
  id: string
  /** The message a part belongs to. */
  of?: string
}

export interface ParsedTreeFile extends TreeFile {
  bytes: Buffer
  /** undefined where it does not parse. */
  value: Record<string, unknown> | undefined
}

/* ---- a database ---- */

export interface DatabaseRepair extends AnyRepair {
  framing: 'sqlite'
  /** Rows of this session that the agent cannot use, and the changes that make it usable. Reads through src/disk/sqlite/read-database.ts. */
  findBadRows(session: SessionRef): Promise<RowTrouble[]>
  /** How many messages the agent would load now (0 where a bad row makes it fail), and with the bad rows repaired. */
  countMessages(session: SessionRef): Promise<{ now: number; afterRepair: number }>
  /** Whether damage of this kind may be repaired by writing to the database; else only said. */
  isRepairable: boolean
  /** For `RebuildDatabase.fills`. */
  fills?: readonly string[]
  /** Where the records of sessions are that the agent insists on: a column with JSON in each row. */
  records?: readonly RecordColumn[]
}

export interface RecordColumn {
  table: string
  /** The column that tells rows apart. */
  key: string
  /** The column with the id of the session. */
  session: string
  column: string
}

export interface RowTrouble {
  kind: 'unreadable' | 'unsettled'
  table: string
  row: string | number
  text: string
  changes: ProposedChange[]
  refused?: string
}
