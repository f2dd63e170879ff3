// What all logs that are read in parts share: where they are cut, and how the records of one part are read.
import type { IsRecord } from '../../bytes/records.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { type Finding, Findings } from '../../model/finding.ts'
import type { Message } from '../../model/message.ts'
import type { SessionRef } from '../../model/session.ts'
import type { OnPart, PartBounds, PartEnd, PartPlan, PartSizes, PlannedFile, PlannedPart, TrueState } from '../parts.ts'
import type { KnownLines, LogEnd, LogRecord, RecordLog } from './json-lines.ts'
import { openLog } from './json-lines.ts'
import { present } from './values.ts'

export const PART_BYTES = 2 * 1024 * 1024
const SIZES: PartSizes = { part: PART_BYTES, warmUp: 64 * 1024, warmUpLines: 16 }

/** Cuts a log at line borders, while a first pass meets its lines. */
export class PartCutter {
  readonly #sizes: PartSizes
  readonly #mostBytes: number
  readonly #onCut: (bounds: PartBounds) => void
  /** The starts of the last lines, in a ring. */
  readonly #lines: number[] = []
  #count = 0
  #start = 0
  #startWarmUp = 0
  /** Lines that are far enough before the next part: the second one may become it. */
  #warmUp = 0
  #nextWarmUp = 0

  /** `mostBytes` is where a part ends, even if that is a bad place. */
  constructor(onCut: (bounds: PartBounds) => void, sizes = SIZES, mostBytes = 2 * sizes.part) {
    this.#onCut = onCut
    this.#sizes = sizes
    this.#mostBytes = mostBytes
  }

  /** Gets the start of each line. Returns whether a part starts there. With `isBad`, only if it has to. */
  add(line: number, isBad = false): boolean {
    const { warmUp, warmUpLines } = this.#sizes
    const isCut = isBad ? this.lengthUpTo(line) >= this.#mostBytes : this.isDue(line)
    if (isCut) this.#cut(line)
    else if (line - this.#nextWarmUp >= warmUp) {
      this.#warmUp = this.#nextWarmUp
      this.#nextWarmUp = line
    }
    this.#lines[this.#count++ % warmUpLines] = line
    return isCut
  }

  /** Whether the part that is not cut yet is long enough with this line as its end. */
  isDue(line: number): boolean {
    return this.lengthUpTo(line) >= this.#sizes.part
  }

  /** Whether the next part may start soon after this place. */
  isNear(place: number): boolean {
    const { part, warmUp } = this.#sizes
    return this.lengthUpTo(place) >= part - warmUp
  }

  /** Of the part that is not cut yet. */
  lengthUpTo(place: number): number {
    return place - this.#start
  }

  /** The last part ends with the log. */
  finish(size: number): void {
    this.#cut(size)
  }

  #cut(at: number): void {
    this.#onCut({ warmUp: this.#startWarmUp, start: this.#start, end: at })
    const { warmUpLines } = this.#sizes
    this.#startWarmUp = Math.min(this.#warmUp, this.#lines[this.#count % warmUpLines] ?? 0)
    this.#start = at
    this.#warmUp = at
    this.#nextWarmUp = at
  }
}

/** A plan whose parts are added while the log is cut. */
export class GrowingPlan {
  readonly plan: PartPlan
  readonly #file: PlannedFile
  readonly #onPart: OnPart

  constructor({ identity }: Pick<OpenFile, 'identity'>, onPart: OnPart = () => {}) {
    const { device, inode, size } = identity
    this.#file = { device, inode, size }
    this.#onPart = onPart
    this.plan = { ...this.#file, parts: [] }
  }

  add(bounds: PartBounds, known: unknown): void {
    const part: PlannedPart = { ...bounds, known }
    this.plan.parts.push(part)
    this.#onPart(part, this.#file)
  }
}

/** `cut` adds the parts of the log. It returns false for one that has to be read in one. */
export function planLog(
  { filePath, storeRoot }: SessionRef,
  isRecord: IsRecord,
  onPart: OnPart | undefined,
  cut: (log: RecordLog, growing: GrowingPlan) => boolean,
): PartPlan | undefined {
  const log = openLog(filePath, storeRoot, isRecord)
  try {
    const growing = new GrowingPlan(log.file, onPart)
    return cut(log, growing) ? growing.plan : undefined
  } finally {
    log.close()
  }
}

/** What a store does with the records of one part. */
export interface PartReader<Collected> {
  /** Of the records of the part. */
  readonly known?: KnownLines
  take(record: LogRecord): Iterable<Message>
  /** Everything on which later messages depend, as text that is equal for equal states. */
  state(): string
  /** Forgets what was collected before the part. */
  startPart(): void
  /** After the last record of the log. */
  finish(): Iterable<Message>
  collected(): Collected
}

/** What is collected of every part. */
export interface ReadPart<Collected> {
  end: LogEnd
  findings: Finding[]
  of: Collected
}

export function* readPart<Collected>(
  session: SessionRef,
  plan: PartPlan,
  { part, from }: { part: number; from: TrueState | undefined },
  isRecord: IsRecord,
  makeReader: (file: OpenFile) => PartReader<Collected>,
): Generator<Message, PartEnd | undefined, void> {
  const bounds = plan.parts[part]
  const log = openLog(session.filePath, session.storeRoot, isRecord)
  try {
    const { device, inode, size } = log.file.identity
    if (bounds === undefined || device !== plan.device || inode !== plan.inode || size < plan.size) return undefined
    const { warmUp, start, end } = bounds
    const reader = makeReader(log.file)
    if (from === undefined)
      for (const record of log.recordsIn(warmUp, start, new Findings())) for (const _ of reader.take(record));
    reader.startPart()
    const before = stateOf(reader)
    if (before === undefined) return undefined
    const findings = new Findings()
    const records = log.recordsIn(start, end, findings, reader.known)
    let step = records.next()
    // Much faster than `yield*`.
    for (; !step.done; step = records.next()) for (const message of reader.take(step.value)) yield message
    const isLast = end === plan.size
    // A broken line may go on in the next part.
    if (findings.beyondLimit > 0 || (findings.list.length > 0 && !isLast)) return undefined
    if (isLast) yield* reader.finish()
    // Nothing was read: the parts before it say how far.
    if (step.value.parsedUpTo === start) step.value.parsedUpTo = 0
    const collected: ReadPart<Collected> = { end: step.value, findings: findings.list, of: reader.collected() }
    const after = stateOf(reader)
    return after === undefined ? undefined : { before, after, collected }
  } finally {
    log.close()
  }
}

/** Undefined if a message of it is nested too deeply to become text. */
function stateOf<Collected>(reader: PartReader<Collected>): string | undefined {
  try {
    return reader.state()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Adds up what is collected of every part. */
export class LogEnds {
  readonly findings = new Findings()
  readonly end: LogEnd = { parsedUpTo: 0, records: 0, skipped: 0 }
  /** The state after the last part. */
  after: string | undefined

  /** The reader of the first part starts without a state. */
  isNext({ before }: PartEnd): boolean {
    return this.after === undefined || this.after === before
  }

  add<Collected>({ after, collected }: PartEnd): Collected {
    const { end, findings, of } = collected as ReadPart<Collected>
    for (const finding of findings) this.findings.add(finding)
    this.end.records += end.records
    this.end.skipped += end.skipped
    this.end.parsedUpTo = Math.max(this.end.parsedUpTo, end.parsedUpTo)
    this.after = after
    return of
  }
}

export function collectedOf<Collected>({ collected }: PartEnd): Collected {
  return (collected as ReadPart<Collected>).of
}

export function findingsOf({ collected }: PartEnd): Finding[] {
  return (collected as ReadPart<unknown>).findings
}

/**
 * The notes of two stretches of a log. A field is taken from the second, if it is there, except those that count where
 * they come first, and times of which the later counts.
 */
export function joinNotes<Notes extends object>(
  one: Notes,
  other: Notes,
  first: readonly (keyof Notes)[],
  latest: readonly (keyof Notes)[],
): Notes {
  const notes: Notes = { ...one, ...present(other) }
  for (const name of first) if (one[name] !== undefined) notes[name] = one[name]
  for (const name of latest) {
    const [before, after] = [one[name], other[name]]
    if (typeof before === 'string' && !(typeof after === 'string' && after > before)) notes[name] = before
  }
  return notes
}
