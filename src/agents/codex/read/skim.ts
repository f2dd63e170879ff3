// What a summary needs of a rollout. Records with words of the conversation, and those that say something about the
// session, are parsed. The calls, the outputs and the events between them are only counted.
import { parseObject } from '../../../bytes/json.ts'
import type { Field } from '../../../bytes/scanner/fields.ts'
import type { ReadOnceFile } from '../../../disk/files/read-once.ts'
import type { Message, Role } from '../../../model/message.ts'
import { MessageTally } from '../../../model/message-tally.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { TokenCounting } from '../../../model/usage.ts'
import type { SkimmedSession } from '../../store.ts'
import { type ProvedLine, proveLines, slotOf } from '../../stores/prove-lines.ts'
import { TimedLines } from '../../stores/timed-lines.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asString, asTime } from '../../stores/values.ts'
import { BOOKKEEPING_RECORDS } from '../records/bookkeeping.ts'
import { isSilentEvent } from '../records/events.ts'
import { interpret, type RolloutContext } from '../records/interpret.ts'
import { EventPairs, mayHaveKeys } from '../records/lone-events.ts'
import { toRolloutRecord } from '../records/record.ts'
import { MAX_HELD, newUsageState, UsageJoiner } from '../records/usage.ts'
import { type FactNotes, factsFrom, noteMessage, noteRecord } from './facts.ts'
import { give } from './index.ts'
import { ROLLED_BACK } from './rollout.ts'

/** Undefined for a session that has to be read. */
export function skim(
  file: ReadOnceFile,
  session: SessionRef,
  counting: TokenCounting | undefined,
): SkimmedSession | undefined {
  return file.identity.size > MAX_BYTES ? undefined : new Skimmer(file, session, counting).run()
}

/** A longer rollout is read step by step, so that an interrupt is noticed. */
const MAX_BYTES = 64 * 1024 * 1024

const WORD: Field = { leaf: 'word' }
const FIELDS: Field = {
  fields: {
    timestamp: { leaf: 'time' },
    type: WORD,
    payload: { fields: { type: WORD, id: { leaf: 'id' }, item: { fields: { type: WORD } } } },
  },
}

class Skimmer {
  readonly #file: ReadOnceFile
  readonly #session: SessionRef
  readonly #notes: FactNotes = {}
  readonly #context: RolloutContext = { eventsOnly: false, compacted: false }
  readonly #joiner = new UsageJoiner(newUsageState())
  readonly #pairs = new EventPairs()
  readonly #tally: MessageTally
  readonly #items = new Set<number>()
  /** Those without an id. */
  readonly #lines: TimedLines
  #latestItem = Number.NEGATIVE_INFINITY
  #hasItems = false
  #hasEvents = false
  /** Events since the last answer got its count that the reader may show, because it does not know all of their fields. */
  #mayBeShown = 0

  constructor(file: ReadOnceFile, session: SessionRef, counting: TokenCounting | undefined) {
    this.#file = file
    this.#session = session
    this.#tally = new MessageTally(counting)
    this.#lines = new TimedLines(file)
  }

  run(): SkimmedSession | undefined {
    if (!proveLines(this.#file, FIELDS, line => this.#add(line))) return undefined
    // Without items the events are the conversation, and an event without its item is shown in its place.
    if (this.#hasEvents && (!this.#hasItems || this.#pairs.lone().size > 0)) return undefined
    for (const message of this.#joiner.flush()) this.#tally.add(message)
    const latest = asTime(Math.max(this.#lines.latest, this.#latestItem))
    if (latest !== undefined) this.#notes.lastTime = latest
    const facts = factsFrom(this.#notes, this.#session)
    return { facts, ...this.#tally.result(facts) }
  }

  /** False for a rollout that has to be read. */
  #add(line: ProvedLine): boolean {
    const plan = planOf(line.shape)
    if (plan === undefined || !this.#isNew(line, plan)) return false
    this.#hasItems ||= plan.isItem
    this.#hasEvents ||= plan.isEvent
    if (plan.isParsed) return this.#addParsed(line)
    this.#notes.firstTime ??= line.text(plan.time)
    if (plan.mayBeShown) this.#mayBeShown++
    if (plan.role !== undefined) this.#addMessage(line, plan, plan.role)
    return this.#joiner.held.length + this.#mayBeShown < MAX_HELD
  }

  /** Whether no record before it is the same. Items with an id are the same if their ids are. */
  #isNew(line: ProvedLine, { id, time }: LinePlan): boolean {
    if (id === undefined) return this.#lines.add(line, line.number(time))
    const known = this.#items.size
    this.#items.add(line.hash(id))
    if (line.number(time) > this.#latestItem) this.#latestItem = line.number(time)
    return this.#items.size > known
  }

  #addMessage(line: ProvedLine, { time }: LinePlan, role: Role): void {
    if (role !== 'system') this.#context.compacted = false
    const at = { file: this.#file.path, start: line.start, end: line.end }
    this.#give(this.#joiner.add({ id: `@${line.start}`, role, time: line.text(time), parts: [], at }))
  }

  #addParsed(line: ProvedLine): boolean {
    const bytes = line.bytes()
    const value = parseObject(bytes)
    const rollout = value === undefined ? undefined : toRolloutRecord(value)
    if (value === undefined || rollout === undefined) return false
    const at = { file: this.#file.path, start: line.start, end: line.end }
    if (mayHaveKeys(rollout.payload)) this.#pairs.add(rollout, line.start)
    noteRecord(this.#notes, value)
    const interpreted = interpret({ value, bytes, at }, this.#context)
    if (interpreted.type === 'message') noteMessage(this.#notes, interpreted.message, true)
    this.#give(give(this.#joiner, interpreted))
    return true
  }

  #give(messages: readonly Message[]): void {
    for (const message of messages) this.#tally.add(message)
    if (this.#joiner.held.length === 0) this.#mayBeShown = 0
  }
}

interface LinePlan {
  /** Slots. */
  time: number
  /** Of an item that has one. */
  id: number | undefined
  isItem: boolean
  isEvent: boolean
  /** Every line of this shape has to be parsed: the rest says nothing. */
  isParsed: boolean
  /** That of its message; undefined where it has none. */
  role: Role | undefined
  mayBeShown: boolean
}

/** Shapes are few, and the same objects for all lines. Null for one whose rollout has to be read. */
const plans = new WeakMap<object, LinePlan | null>()

function planOf(shape: Json): LinePlan | undefined {
  let plan = plans.get(shape)
  if (plan === undefined) {
    plan = makePlan(shape) ?? null
    plans.set(shape, plan)
  }
  return plan ?? undefined
}

function makePlan(shape: Json): LinePlan | undefined {
  const time = slotOf(shape['timestamp'])
  const type = asString(shape['type'])
  const payload = asObject(shape['payload'])
  const kind = asString(payload?.['type'])
  if (time === undefined || type === undefined || payload === undefined || kind === ROLLED_BACK) return undefined
  const isItem = type === 'response_item'
  const isEvent = type === 'event_msg'
  const role = isItem ? roleOf(kind) : undefined
  const mayBeShown = isEvent && kind === 'item_completed' && isOtherCompleted(payload)
  const isSilent = isEvent ? isSilentEvent(kind) || mayBeShown : BOOKKEEPING_RECORDS.has(type)
  const id = isItem ? slotOf(payload['id']) : undefined
  return { time, id, isItem, isEvent, isParsed: role === undefined && !isSilent, role, mayBeShown }
}

/** Of an item whose words are not needed. */
function roleOf(kind = ''): Role | undefined {
  return kind.endsWith('_output') ? 'tool' : kind.endsWith('_call') ? 'assistant' : undefined
}

/** Such an item is never shown, unless it holds text in fields that the reader does not know. */
function isOtherCompleted(payload: Json): boolean {
  const kind = asObject(payload['item'])?.['type']
  return typeof kind === 'string' && kind !== 'Plan' && !mayHaveKeys(payload)
}
