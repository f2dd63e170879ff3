// Compares what a resume loads with what a person sees. The reader shows messages; the model of the agent's
// loader reaches records.
import type { Loaded, ShownMessages } from '../../agents/repair.ts'
import { isBlank } from '../../bytes/text.ts'
import type { Finding } from '../../model/finding.ts'
import { formatNumber } from '../../model/format-number.ts'
import { isConversation } from '../../model/message.ts'
import type { ByteEdit } from '../../model/plan.ts'
import type { Reading, ReadingEnd } from '../../model/reading.ts'
import type { NotLoaded } from '../../model/verdict.ts'
import type { RecordIndex } from '../records/record-index.ts'
import { KIND, kindFlag, META, MessageCounter, mainLane, SIDECHAIN, SUPERSEDED, USER } from '../records/record-index.ts'

/** The class of a finding that no damage class explains. */
export const HISTORY_MISMATCH = 'history-mismatch'

export interface Reach {
  /** The number of shown messages that the agent loads. */
  loaded: number
  /** Messages that the agent leaves out on purpose, with the reason. */
  notLoaded: NotLoaded[]
  /** The number of messages that are not loaded, without a reason. */
  unreached: number
  /** The byte range of the first unreached message. */
  firstUnreached?: { start: number; end: number }
  /** The number of loaded messages beyond those shown: loaded twice, or from another place. */
  extra: number
}

/** `upTo` excludes what was appended after the file was opened. */
export async function readShown(reading: Reading, upTo: number): Promise<ShownMessages> {
  const ranges = new Map<string, [start: number, end: number]>()
  for await (const message of reading)
    if (isConversation(message) && 'start' in message.at && message.at.end <= upTo)
      ranges.set(message.id, [message.at.start, message.at.end])
  const sorted = [...ranges.values()].sort(([a], [b]) => a - b)
  return {
    starts: Float64Array.from(sorted, ([start]) => start),
    ends: Float64Array.from(sorted, ([, end]) => end),
  }
}

/** Returns the number of messages a person sees, and how the reading ended. */
export async function readToEnd(reading: Reading): Promise<{ shown: number; end: ReadingEnd }> {
  const ids = new Set<string>()
  let step = await reading.next()
  for (; !step.done; step = await reading.next()) if (isConversation(step.value)) ids.add(step.value.id)
  return { shown: ids.size, end: step.value }
}

/**
 * True only where every message of the log is loaded exactly once. Then the shown messages need not be read.
 */
export function reachesAll(index: RecordIndex, { chain, messages, leftOut = [], begins }: Loaded): boolean {
  if (leftOut.length > 0 || begins !== undefined || messages !== countTalk(index)) return false
  const { flags } = index
  const isLoaded = new Uint8Array(flags.length)
  for (const record of chain) isLoaded[record] = 1
  const lane = mainLane(index) ? SIDECHAIN : 0
  for (let record = 0; record < flags.length; record++) {
    const own = flags[record] ?? 0
    if ((own & SUPERSEDED) !== 0) return false
    if (isShownTalk(own) && (isLoaded[record] === 1) !== ((own & SIDECHAIN) === lane)) return false
  }
  return true
}

/** Counts messages of sub-agents only where the file holds nothing else. */
export function countTalk(index: RecordIndex): number {
  const { flags } = index
  const lane = mainLane(index) ? SIDECHAIN : 0
  const counter = new MessageCounter()
  for (let record = 0; record < flags.length; record++) {
    const own = flags[record] ?? 0
    if ((own & SIDECHAIN) === lane && isShownTalk(own)) counter.add(index.group(record))
  }
  return counter.messages
}

/**
 * A prompt that was typed while the agent worked is stored as an attachment. It still is a message of the
 * user.
 */
function isShownTalk(flags: number): boolean {
  const isTalk = (flags & KIND) === TALK || (flags & (KIND | USER)) === QUEUED
  return isTalk && (flags & (SUPERSEDED | META)) === 0
}

const TALK = kindFlag('talk')
const QUEUED = kindFlag('attachment') | USER

/** The file after some edits. `visible` and `loaded` describe this edited file. */
export interface EditedFile {
  /** Maps an offset in the edited file to the file that was read. */
  toFile(offset: number): number
  changes(): Iterable<{ start: number; end: number }>
}

/** `visible` is the index that the record numbers in `loaded` refer to. */
export function reachOf(
  shown: ShownMessages,
  loaded: Loaded,
  visible: RecordIndex,
  view: EditedFile,
  findings: readonly Finding[],
): Reach {
  const toFile = (offset: number): number => view.toFile(offset)
  const marks = new Marks(shown)
  const mark = (record: number, as: number): void => marks.add(visible.start(record), visible.end(record), toFile, as)
  const leftOut = new Set(loaded.leftOut)
  for (const record of loaded.chain) if (leftOut.size === 0 || !leftOut.has(record)) mark(record, LOADED)
  for (const record of leftOut) mark(record, LEFT_OUT)
  markCopies(visible, loaded, leftOut, mark)
  // Messages that the edits remove need not be reached. Messages inside a finding are already reported.
  const places = findings.flatMap(({ at }) => ('start' in at ? [at] : []))
  for (const { start, end } of [...view.changes(), ...places])
    marks.add(start, Math.max(start + 1, end), offset => offset, NAMED)
  const reach = tally(shown, marks.as, beginOf(loaded, visible, toFile))
  // The loader may know that it makes fewer or more messages of these records. For lines that form one
  // message, only the reader knows how many messages result.
  const isExact = !loaded.chain.some(record => visible.group(record) !== undefined)
  const difference = isExact ? loaded.messages - reach.loaded : 0
  return { ...reach, unreached: reach.unreached + Math.max(0, -difference), extra: Math.max(0, difference) }
}

/** Where an id is repeated, the reader may show another record with it than the one that the agent loads. */
function markCopies(
  visible: RecordIndex,
  { chain }: Loaded,
  leftOut: ReadonlySet<number>,
  mark: (record: number, as: number) => void,
): void {
  const { flags } = visible
  if (!flags.some(own => (own & SUPERSEDED) !== 0)) return
  const isLoaded = new Uint8Array(flags.length)
  for (const record of chain) isLoaded[record] = 1
  for (let record = 0; record < flags.length; record++) {
    if (((flags[record] ?? 0) & SUPERSEDED) === 0) continue
    const latest = visible.latest(record)
    if (leftOut.has(latest)) mark(record, LEFT_OUT)
    else if (isLoaded[latest] === 1) mark(record, LOADED)
  }
}

const LOADED = 1
const LEFT_OUT = 2
const NAMED = 3

type Beginning = { offset: number; reason: NotLoaded['reason']; at?: string }

function beginOf({ begins }: Loaded, visible: RecordIndex, toFile: (offset: number) => number): Beginning | undefined {
  if (begins === undefined) return undefined
  const time = visible.time(begins.record)
  return {
    offset: toFile(visible.start(begins.record)),
    reason: begins.reason,
    ...(Number.isNaN(time) ? {} : { at: new Date(time).toISOString() }),
  }
}

function tally(shown: ShownMessages, isReached: Uint8Array, beginning: Beginning | undefined): Omit<Reach, 'extra'> {
  let [loaded, before, leftOut, unreached] = [0, 0, 0, 0]
  let firstUnreached: Reach['firstUnreached']
  for (let message = 0; message < isReached.length; message++) {
    const as = isReached[message]
    if (as === LOADED) {
      loaded++
      continue
    }
    const start = shown.starts[message] ?? 0
    if (as === LEFT_OUT) leftOut++
    else if (beginning !== undefined && start < beginning.offset) before++
    else if (as !== NAMED) {
      unreached++
      firstUnreached ??= { start, end: shown.ends[message] ?? start }
    }
  }
  const notLoaded: NotLoaded[] = []
  if (beginning !== undefined && before > 0) {
    const { offset: _, ...rest } = beginning
    notLoaded.push({ ...rest, messages: before })
  }
  if (leftOut > 0) notLoaded.push({ reason: 'left-out', messages: leftOut })
  return { loaded, notLoaded, unreached, ...(firstUnreached === undefined ? {} : { firstUnreached }) }
}

/**
 * The number of earlier messages that are checked for reaching over an offset. Lines of one message are close
 * together.
 */
const MAX_CHECKED_MESSAGES = 1000

/** As what each of the shown messages is reached; 0 where it is not. */
class Marks {
  readonly as: Uint8Array
  readonly #starts: Float64Array
  readonly #ends: Float64Array
  /** The place of the last search: most records come in the order of the file. */
  #near = 0

  constructor({ starts, ends }: ShownMessages) {
    this.as = new Uint8Array(starts.length)
    this.#starts = starts
    this.#ends = ends
  }

  /**
   * Marks the messages of a record that are not marked yet. Tries three of its bytes: bytes that a repair added or
   * blanked are not part of the message. Called for each record, so it creates no objects.
   */
  add(start: number, end: number, toFile: (offset: number) => number, as: number): void {
    if (this.#markAt(toFile(Math.floor((start + end) / 2)), as)) return
    if (this.#markAt(toFile(end - 1), as)) return
    this.#markAt(toFile(start), as)
  }

  /**
   * Marks the message around this offset, and others of the same record. Lines of other messages may stand between the
   * lines of one message: the innermost counts. False where there is none.
   */
  #markAt(offset: number, as: number): boolean {
    const [starts, ends] = [this.#starts, this.#ends]
    const nearest = this.#lastNotAfter(offset)
    let message = nearest
    while (message >= 0 && nearest - message < MAX_CHECKED_MESSAGES && (ends[message] ?? 0) <= offset) message--
    if (message < 0 || (ends[message] ?? 0) <= offset) return false
    const [start, end] = [starts[message], ends[message]]
    for (; message >= 0 && starts[message] === start && ends[message] === end; message--) this.as[message] ||= as
    return true
  }

  /** The last message that starts at or before an offset, or -1. */
  #lastNotAfter(offset: number): number {
    const starts = this.#starts
    let [low, high] = [0, starts.length]
    const near = this.#near
    if ((starts[near] ?? Number.POSITIVE_INFINITY) <= offset) {
      // One of the next two, as long as the records are in order.
      low = near + 1
      if ((starts[low + 1] ?? Number.POSITIVE_INFINITY) > offset) high = Math.min(high, low + 1)
    } else high = Math.min(near, high)
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((starts[middle] ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    this.#near = Math.max(0, low - 1)
    return low - 1
  }
}

/**
 * The messages that edits remove without a loss: copies. `edits` are sorted. A damage loses nothing if all its
 * findings say so.
 */
export function countCopies(shown: ShownMessages, edits: readonly ByteEdit[], findings: readonly Finding[]): number {
  const losing = new Set(findings.flatMap(({ damage, severity }) => (severity === 'survived' ? [] : damage)))
  const removals = edits.filter(({ bytes, damage }) => isBlank(bytes) && !losing.has(damage))
  if (removals.length === 0) return 0
  let next = 0
  let copies = 0
  for (const [message, start] of shown.starts.entries()) {
    while ((removals[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++
    const { start: from, end: to } = removals[next] ?? { start: Number.POSITIVE_INFINITY, end: 0 }
    if (from <= start && (shown.ends[message] ?? 0) <= to) copies++
  }
  return copies
}

/**
 * Returns the finding for messages that a resume does not reach or loads twice and that no damage class
 * explains, or undefined.
 */
export function describeMismatch(
  reach: Pick<Reach, 'loaded' | 'unreached' | 'extra' | 'firstUnreached'>,
  messages: number,
  file: string,
): Finding | undefined {
  const { loaded, unreached, extra, firstUnreached: at = { start: 0, end: 0 } } = reach
  if (unreached === 0 && extra === 0) return undefined
  const load = `${formatNumber(messages)} messages are shown, and a resume would load ${formatNumber(loaded + extra)}.`
  const text =
    unreached > 0
      ? `${load} The first message that is not loaded begins here.`
      : `${load} Some are loaded twice, or are not part of the shown conversation.`
  return {
    damage: HISTORY_MISMATCH,
    severity: 'survived',
    at: { file, ...at },
    text,
    hint: 'Everything that is shown can still be read: rethread show',
  }
}

export const NO_KNOWN_REPAIR =
  'No broken link, order or repeated record explains this, so nothing can safely be changed.'
