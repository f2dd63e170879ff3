// Reads a large plain log in parts.
import type { Span } from '../../../bytes/json.ts'
import type { OpenFile } from '../../../disk/files/read.ts'
import { Column } from '../../../model/columns.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { ReadingEnd, RecordCounts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { PartBounds, PartEnd, PartJoiner, PartSizes, StoreParts, TrueState } from '../../parts.ts'
import { Copies, CopyRows } from '../../stores/copies.ts'
import { type LogRecord, openLog, type RecordLog } from '../../stores/json-lines.ts'
import {
  collectedOf,
  type GrowingPlan,
  LogEnds,
  PartCutter,
  type PartReader,
  planLog,
  readPart,
} from '../../stores/part-log.ts'
import { type FactNotes, factsFrom, joinPart } from '../facts.ts'
import { isRecord } from './changes.ts'
import { type CopyCheck, findSuperseded, type OnLine, PlainLog } from './plain.ts'
import { addWarnings } from './read.ts'

/** What the first pass finds out for a part. */
interface Known {
  /** The starts of records that a later one replaces. */
  superseded: Float64Array
  /** Whether two records of the log have the same id and length. Otherwise, none is a copy. */
  mayHaveCopies: boolean
}

interface Collected {
  notes: FactNotes
  counts: RecordCounts
  /** Which message gives each result that was met in the part. */
  owners: [string, string][]
  rows: Float64Array
  /** The log was changed while it was read. */
  isChanged: boolean
}

interface Met {
  owners: Map<string, string>
  copies: Copies
  hasCopy: boolean
}

const NONE = -1
const NO_COUNTS: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }

/** The plan of a larger log, and what is met in its parts, would take more memory than two threads are worth. */
const MAX_BYTES = 512 * 1024 * 1024

export const parts: StoreParts = {
  plan(session, sizes, onPart) {
    if (session.fileSize > MAX_BYTES) return undefined
    return planLog(session, isRecord, onPart, (log, growing) => {
      const lines = new PlannedLines()
      const onLine: OnLine = (line, replaced) => lines.add(line, replaced)
      if (findSuperseded(log, onLine, () => true) === undefined) return false
      lines.cut(log.file.identity.size, sizes, growing)
      return true
    })
  },
  read(session, plan, part, from) {
    if ((from?.met as Met | undefined)?.hasCopy === true) return nothing()
    const known = plan.parts[part]?.known as Known
    return readPart(session, plan, { part, from }, isRecord, file => new Part(file, known, part, from))
  },
  join: session => new Joiner(session),
}

/** The session has to be read in one. */
// biome-ignore lint/correctness/useYield: what is given may be nothing.
function* nothing(): ReturnType<StoreParts['read']> {
  return undefined
}

/** More records of one message are not compared. */
const MAX_COMPARED = 64

/** The lines of a log, in columns: a large one has hundreds of thousands. */
class PlannedLines {
  readonly #starts = new Column(Float64Array)
  /** The start of the line that replaces it; 0 where none does. */
  readonly #replacedBy = new Column(Float64Array)
  readonly #lengths = new Column(Uint32Array)
  /** The number of the line that it replaces, counted from 1; 0 where it replaces none. */
  readonly #replaced = new Column(Uint32Array)
  #mayHaveCopies = false

  add({ start, end }: Span, replaced: number | undefined): void {
    const before = replaced === undefined ? NONE : this.#firstFrom(replaced)
    this.#starts.push(start)
    this.#lengths.push(end - start)
    this.#replacedBy.push(0)
    this.#replaced.push(before + 1)
    if (before === NONE) return
    this.#replacedBy.set(before, start)
    this.#mayHaveCopies ||= this.#isLengthMet(before, end - start)
  }

  /** Whether this line, or one of which it is a later record, is as long. */
  #isLengthMet(last: number, length: number): boolean {
    let steps = 0
    for (let line = last; line !== NONE; line = this.#replaced.get(line) - 1)
      if (this.#lengths.get(line) === length || steps++ === MAX_COMPARED) return true
    return false
  }

  /** The first line that starts there or later. */
  #firstFrom(start: number): number {
    let [low, high] = [0, this.#starts.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#starts.get(middle) < start) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Cuts where no message waits for a later record of it, if there is such a place. */
  cut(size: number, sizes: PartSizes | undefined, growing: GrowingPlan): void {
    const cutter = new PartCutter(bounds => growing.add(bounds, this.#knownIn(bounds)), sizes)
    let waitsUntil = -1
    for (let line = 0; line < this.#starts.length; line++) {
      const start = this.#starts.get(line)
      cutter.add(start, waitsUntil >= start)
      waitsUntil = Math.max(waitsUntil, this.#replacedBy.get(line))
    }
    cutter.finish(size)
  }

  /** For the records of a part, and for those from which its reader gets its state. */
  #knownIn({ warmUp, end }: PartBounds): Known {
    const superseded: number[] = []
    for (let line = this.#firstFrom(warmUp); line < this.#starts.length; line++) {
      if (this.#starts.get(line) >= end) break
      if (this.#replacedBy.get(line) > 0) superseded.push(this.#starts.get(line))
    }
    return { superseded: new Float64Array(superseded), mayHaveCopies: this.#mayHaveCopies }
  }
}

/** Notes which results are asked for. Of others, the records before the part may name a wrong owner. */
class PartOwners extends Map<string, string> {
  readonly #asked = new Set<string>()

  override has(result: string): boolean {
    this.#asked.add(result)
    return super.has(result)
  }

  startPart(): void {
    this.#asked.clear()
  }

  /** Of the results that were asked for since then. */
  inPart(): [string, string][] {
    return [...this.#asked].map(result => [result, this.get(result) ?? ''])
  }
}

const NO_COPIES: CopyCheck = { has: () => false }

class Part implements PartReader<Collected> {
  readonly #plain: PlainLog
  readonly #findings = new Findings()
  readonly #rows = new CopyRows()
  readonly #owners = new PartOwners()
  readonly #isFirst: boolean
  #notes: FactNotes = { hashed: 0 }
  #counts: RecordCounts = { ...NO_COUNTS }

  constructor(file: OpenFile, { superseded, mayHaveCopies }: Known, part: number, from: TrueState | undefined) {
    this.#isFirst = part === 0
    const met = from?.met as Met | undefined
    const noted = { notes: this.#notes, counts: this.#counts, findings: this.#findings }
    const copies = mayHaveCopies ? (met?.copies ?? { has: record => this.#addRow(record) }) : NO_COPIES
    this.#plain = new PlainLog({ file }, new Set(superseded), noted, { copies, owners: met?.owners ?? this.#owners })
    if (from?.state !== undefined) this.#plain.restore(from.state)
  }

  /** Before its turn, it is not known which records were there before. */
  #addRow(record: LogRecord): boolean {
    this.#rows.add(record, record.bytes)
    return false
  }

  take(record: LogRecord): Iterable<Message> {
    return this.#plain.add(record)
  }

  startPart(): void {
    this.#notes = this.#isFirst ? { hashed: 0 } : { hashed: 0, paths: [] }
    this.#counts = { ...NO_COUNTS }
    this.#rows.clear()
    this.#owners.startPart()
    this.#plain.noteIn({ notes: this.#notes, counts: this.#counts })
  }

  state(): string {
    return this.#plain.state
  }

  finish(): Iterable<Message> {
    return this.#plain.finish()
  }

  collected(): Collected {
    return {
      notes: this.#notes,
      counts: this.#counts,
      owners: this.#owners.inPart(),
      rows: this.#rows.toNumbers(),
      isChanged: this.#findings.list.length > 0,
    }
  }
}

class Joiner implements PartJoiner {
  readonly #session: SessionRef
  readonly #log: RecordLog
  readonly #ends = new LogEnds()
  readonly #counts = { ...NO_COUNTS }
  readonly #met: Met
  #notes: FactNotes | undefined

  constructor(session: SessionRef) {
    this.#session = session
    this.#log = openLog(session.filePath, session.storeRoot, isRecord)
    this.#met = { owners: new Map(), copies: new Copies(this.#log.file), hasCopy: false }
  }

  accepts(end: PartEnd): boolean {
    const { owners, rows, isChanged } = collectedOf<Collected>(end)
    const met = this.#met
    if (isChanged || !this.#ends.isNext(end)) return false
    if (owners.some(([result, id]) => (met.owners.get(result) ?? id) !== id)) return false
    met.hasCopy = met.copies.hasAny(rows)
    return !met.hasCopy
  }

  add(end: PartEnd): boolean {
    const { notes, counts, owners, isChanged } = this.#ends.add<Collected>(end)
    for (const [result, id] of owners) this.#met.owners.set(result, id)
    this.#counts.bookkeeping += counts.bookkeeping
    this.#counts.unknown += counts.unknown
    const joined = this.#notes === undefined ? notes : joinPart(this.#notes, notes)
    this.#notes = joined
    return !isChanged && joined !== undefined
  }

  state(): TrueState {
    return { state: this.#ends.after, met: this.#met }
  }

  end(): ReadingEnd {
    const { end, findings } = this.#ends
    const notes = this.#notes ?? { hashed: 0 }
    this.#met.copies.note(findings)
    addWarnings(this.#log, { notes, findings, end, emptied: undefined })
    const facts = factsFrom(notes, this.#session.project, this.#session.subagentOf)
    const counts = { ...this.#counts, records: end.records, skipped: end.skipped }
    const common = { facts, counts, branches: [], continued: false }
    return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered: end.records > 0 })
  }

  close(): void {
    this.#log.close()
  }
}
