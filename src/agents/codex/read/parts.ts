// Reads a large rollout in parts, if no turn was rolled back and every event has its item.

import { parseObject } from '../../../bytes/json.ts'
import type { OpenFile } from '../../../disk/files/read.ts'
import type { Message } from '../../../model/message.ts'
import type { ReadingEnd, RecordCounts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { PartBounds, PartEnd, PartJoiner, PartSizes, StoreParts, TrueState } from '../../parts.ts'
import { Copies, CopyRows } from '../../stores/copies.ts'
import { CopiesByTime, TimedRecords, type TimedRows } from '../../stores/copies-by-time.ts'
import { type LogRecord, openLog, type RecordLog } from '../../stores/json-lines.ts'
import {
  collectedOf,
  findingsOf,
  type GrowingPlan,
  joinNotes,
  LogEnds,
  PartCutter,
  type PartReader,
  planLog,
  readPart,
} from '../../stores/part-log.ts'
import { asText, present } from '../../stores/values.ts'
import { interpret, type RolloutContext } from '../records/interpret.ts'
import { mayHaveKeys, type TextsToPair, textsToPair } from '../records/lone-events.ts'
import { isWholeRecord, type RolloutRecord, toRolloutRecord } from '../records/record.ts'
import { MAX_SEEN, newUsageState, UsageJoiner, type UsageState } from '../records/usage.ts'
import { type FactNotes, factsFrom, noteRecord } from './facts.ts'
import { give, note } from './index.ts'
import { addExcess, type Excess, PartTexts, RecentEvents } from './part-pairs.ts'
import { isSameRecord, itemId, proveKinds, scanForWords } from './rollout.ts'
import { KnownSilent, SilentLines, type SilentPlaces } from './silent.ts'
import type { NotedState } from './state.ts'

/** Beyond this, a part ends even if an event waits for its item. */
const MAX_PART_BYTES = 16 * 1024 * 1024

/** From a place in the log on, until the next one. */
interface ModelChange {
  start: number
  model: string
}

/** What the first pass finds out for a part. */
interface Known {
  /** The last one before the records from which the reader of the part gets its state. */
  model: string | undefined
  silent: SilentPlaces
}

interface Collected {
  notes: FactNotes
  counts: RecordCounts
  /** The names of the totals that were counted in the part. */
  totals: string[]
  /** Of items with an id, and of other records. */
  rows: { items: Float64Array; timed: TimedRows }
  /** By how many the items of a text in the part exceed its events. */
  excess: [string, number][]
  /** The log was written while it was read. */
  isChanged: boolean
}

export const parts: StoreParts = {
  plan(session, sizes, onPart) {
    return planLog(session, isRecord, onPart, (log, growing) => {
      const { events, items } = scanForWords(log)
      return (items || !events) && cutRollout(log.file, sizes, growing)
    })
  },
  read(session, plan, part, from) {
    const known = plan.parts[part]?.known as Known
    const reading = readPart(session, plan, { part, from }, isRecord, file => new Part(file, known, from))
    return from === undefined ? reading : admitted(reading, from.met as Met)
  },
  join: session => new Joiner(session),
}

type PartReading = Generator<Message, PartEnd | undefined, void>

/** Nothing is given before it is known that no event of the part is shown. */
function* admitted(reading: PartReading, met: Met): PartReading {
  if (met.isInOne) return undefined
  const messages: Message[] = []
  let step = reading.next()
  for (; !step.done; step = reading.next()) messages.push(step.value)
  if (step.value === undefined || !met.admits(step.value)) return undefined
  yield* messages
  return step.value
}

/** Damaged lines are never read in parts. */
function isRecord(value: Record<string, unknown>): boolean {
  return isWholeRecord(value, true)
}

/**
 * Each part gets the last model that was named before the records from which its reader gets its state. Cuts the log
 * where no event waits for its item, if there is such a place. False if it has to be read in one.
 */
function cutRollout(file: OpenFile, sizes: PartSizes | undefined, growing: GrowingPlan): boolean {
  const models: ModelChange[] = []
  const silent = new SilentLines(file.identity)
  const onCut = (bounds: PartBounds): void => {
    const model = models.findLast(({ start }) => start < bounds.warmUp)?.model
    const known: Known = { model, silent: silent.take() }
    growing.add(bounds, known)
  }
  const cutter = new PartCutter(onCut, sizes, MAX_PART_BYTES)
  const events = new RecentEvents(({ start, end }) => {
    const record = recordIn(file.range(start, end))
    return record === undefined ? NO_TEXTS : textsToPair(record)
  })
  const isPlain = proveKinds(file, (line, { says, rollsBack, isTurnContext, silentTime }) => {
    const { start } = line
    if (cutter.add(start, cutter.isDue(start) && events.isWaiting())) events.clear()
    events.add(line, says)
    if (silentTime !== undefined) silent.add(line, silentTime)
    if (rollsBack || !isTurnContext) return !rollsBack
    const model = asText(recordIn(line.bytes())?.payload['model'])
    if (model !== undefined && model !== models.at(-1)?.model) models.push({ start, model })
    return true
  })
  if (isPlain) cutter.finish(file.identity.size)
  return isPlain
}

const NO_TEXTS: TextsToPair = { events: [], items: [] }

function recordIn(bytes: Buffer): RolloutRecord | undefined {
  const value = parseObject(bytes)
  return value === undefined ? undefined : toRolloutRecord(value)
}

/** On what later messages depend. */
interface PartState {
  context: RolloutContext
  usage: UsageState
  held: Message[]
}

class Part implements PartReader<Collected> {
  readonly known: KnownSilent
  readonly #context: RolloutContext
  readonly #joiner: UsageJoiner
  readonly #seen: Set<string>
  readonly #isTrue: boolean
  readonly #items = new CopyRows()
  readonly #timed: TimedRecords
  readonly #texts = new PartTexts()
  #noted = newNoted()

  constructor(file: OpenFile, { model, silent }: Known, from: TrueState | undefined) {
    this.known = new KnownSilent(file.path, silent, file.identity)
    this.#timed = new TimedRecords(file)
    this.#isTrue = from !== undefined
    this.#seen = (from?.met as Met | undefined)?.seen ?? new Set()
    const state: PartState =
      from?.state === undefined
        ? { context: { eventsOnly: false, compacted: false, ...present({ model }) }, usage: newUsageState(), held: [] }
        : JSON.parse(from.state)
    this.#context = state.context
    this.#joiner = new UsageJoiner(state.usage, this.#seen, state.held)
  }

  take(record: LogRecord): readonly Message[] {
    const rollout = toRolloutRecord(record.value)
    if (rollout !== undefined) {
      this.#addRow(record, rollout)
      if (mayHaveKeys(rollout.payload)) this.#texts.add(textsToPair(rollout))
    }
    noteRecord(this.#noted.notes, record.value)
    const interpreted = interpret(record, this.#context)
    note(this.#noted, interpreted, WHOLE)
    return give(this.#joiner, interpreted)
  }

  /** Without an id and a time, equal text does not prove a copy. */
  #addRow(record: LogRecord, { time }: RolloutRecord): void {
    const id = itemId(record.value)
    if (id !== undefined) this.#items.add(record, Buffer.from(id))
    else if (time !== null) this.#timed.add(time, record)
  }

  startPart(): void {
    if (this.#isTrue) return
    this.#items.clear()
    this.#timed.clear()
    this.#texts.clear()
    this.#seen.clear()
    this.#noted = newNoted()
  }

  state(): string {
    const { compacted, model } = this.#context
    const { open, counted, closed, waiting, total } = this.#joiner.state
    // Always in the same order, so that equal states are equal as text.
    const usage = { open, counted, closed, waiting, total }
    return JSON.stringify({ context: { eventsOnly: false, compacted, model }, usage, held: this.#joiner.held })
  }

  finish(): Iterable<Message> {
    return this.#joiner.flush()
  }

  collected(): Collected {
    const { notes, counts } = this.#noted
    const totals = this.#isTrue ? [] : [...this.#seen]
    const rows = { items: this.#items.toNumbers(), timed: this.#timed.rows() }
    return { notes, counts, totals, rows, excess: this.#texts.excess(), isChanged: this.known.isDoubtful() }
  }
}

const WHOLE = { start: 0 }

function newNoted(): NotedState {
  return { notes: {}, counts: { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }, branches: [] }
}

/** What was met in the parts so far. */
class Met {
  readonly seen = new Set<string>()
  readonly #items: Copies
  readonly #timed: CopiesByTime
  readonly excess: Excess = new Map()
  isInOne = false

  constructor(file: OpenFile) {
    this.#items = new Copies(file)
    this.#timed = new CopiesByTime(file)
  }

  /**
   * Whether no record of a part is a copy, and every event up to its end has an item: then none of them is shown,
   * whatever follows. Takes note of its records; what does not admit a part admits none after it.
   */
  admits(end: PartEnd): boolean {
    const { rows, excess } = collectedOf<Collected>(end)
    for (const [key, by] of excess) addExcess(this.excess, key, by)
    const isLone = excess.some(([key]) => (this.excess.get(key) ?? 0) < 0)
    const hasCopy = this.#items.hasAny(rows.items, isSameRecord) || this.#timed.hasAny(rows.timed)
    this.isInOne = isLone || findingsOf(end).length > 0 || hasCopy
    return !this.isInOne
  }
}

class Joiner implements PartJoiner {
  readonly #session: SessionRef
  readonly #log: RecordLog
  readonly #ends = new LogEnds()
  readonly #met: Met
  readonly #counts = newNoted().counts
  #notes: FactNotes = {}

  constructor(session: SessionRef) {
    this.#session = session
    this.#log = openLog(session.filePath, session.storeRoot, isRecord)
    this.#met = new Met(this.#log.file)
  }

  accepts(end: PartEnd): boolean {
    const { totals, isChanged } = collectedOf<Collected>(end)
    const { seen } = this.#met
    if (isChanged || !this.#ends.isNext(end) || seen.size + totals.length > MAX_SEEN) return false
    return !totals.some(name => seen.has(name)) && this.#met.admits(end)
  }

  add(end: PartEnd): boolean {
    const { notes, counts, totals, isChanged } = this.#ends.add<Collected>(end)
    for (const name of totals) this.#met.seen.add(name)
    this.#counts.bookkeeping += counts.bookkeeping
    this.#counts.unknown += counts.unknown
    this.#notes = joinNotes(this.#notes, notes, FIRST_COUNTS, ['lastTime'])
    return !isChanged
  }

  state(): TrueState {
    return { state: this.#ends.after, met: this.#met }
  }

  end(): ReadingEnd {
    const { end, findings } = this.#ends
    const counts = { ...this.#counts, records: end.records, skipped: end.skipped }
    const common = { facts: factsFrom(this.#notes, this.#session), counts, branches: [], continued: false }
    return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered: end.records > 0 })
  }

  close(): void {
    this.#log.close()
  }
}

const FIRST_COUNTS = ['meta', 'prompt', 'turnFolder', 'contextFolder', 'firstTime'] as const
