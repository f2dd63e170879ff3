// Reads a large session in parts, if its records are one branch.

import type { Message } from '../../../model/message.ts'
import type { ReadingEnd, RecordCounts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { Usage } from '../../../model/usage.ts'
import type { PartEnd, PartJoiner, StoreParts, TrueState } from '../../parts.ts'
import type { LogRecord } from '../../stores/json-lines.ts'
import {
  collectedOf,
  joinNotes,
  LogEnds,
  PartCutter,
  type PartReader,
  planLog,
  readPart,
} from '../../stores/part-log.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import type { FactNotes } from './facts.ts'
import { factsFrom, noteFacts } from './facts.ts'
import { isRecord } from './index.ts'
import { isLinear } from './linear.ts'
import type { JoinerState } from './message-joiner.ts'
import { MAX_COUNTED, MessageJoiner } from './message-joiner.ts'
import { interpret } from './messages.ts'

interface Collected {
  notes: FactNotes
  counts: RecordCounts
  /** The messages of the model that began in this part. */
  opened: string[]
  /** Whether one of them began twice. */
  reopened: boolean
  counted: [string, Usage][]
}

export const parts: StoreParts = {
  plan(session, sizes, onPart) {
    return planLog(session, isRecord, onPart, ({ file }, growing) => {
      const cutter = new PartCutter(bounds => growing.add(bounds, undefined), sizes)
      if (!isLinear(file.chunks(), line => void cutter.add(line))) return false
      cutter.finish(file.identity.size)
      return true
    })
  },
  read: (session, plan, part, from) => readPart(session, plan, { part, from }, isRecord, () => new Part(from)),
  join: () => new Joiner(),
}

class Part implements PartReader<Collected> {
  readonly #joiner: MessageJoiner
  readonly #counted: Map<string, Usage>
  readonly #isTrue: boolean
  #notes: FactNotes = { summaries: {} }
  #counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  #opened: string[] = []
  #reopened = false

  constructor(from: TrueState | undefined) {
    this.#isTrue = from !== undefined
    this.#counted = from === undefined ? new Map() : new Map(from.met as Map<string, Usage>)
    const state: JoinerState = from?.state === undefined ? {} : JSON.parse(from.state)
    this.#joiner = new MessageJoiner(state, this.#counted)
  }

  *take(record: LogRecord): Generator<Message, void, void> {
    noteFacts(this.#notes, record.value)
    const interpreted = interpret(record)
    if (interpreted.type === 'bookkeeping') {
      this.#counts.bookkeeping++
      return
    }
    countUnknown(this.#counts, interpreted.message.parts)
    const group = interpreted.type === 'message' ? interpreted.group : undefined
    if (group !== undefined && group !== this.#joiner.open?.group) {
      this.#opened.push(group)
      this.#reopened ||= this.#counted.has(group)
    }
    yield* this.#joiner.add(interpreted.message, group)
  }

  startPart(): void {
    if (this.#isTrue) return
    this.#notes = { summaries: {} }
    this.#counts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
    this.#opened = []
    this.#reopened = false
    this.#counted.clear()
  }

  state(): string {
    return JSON.stringify(this.#joiner.state)
  }

  finish(): Iterable<Message> {
    return this.#joiner.flush()
  }

  collected(): Collected {
    const { opened, reopened } = { opened: this.#opened, reopened: this.#reopened }
    return { notes: this.#notes, counts: this.#counts, opened, reopened, counted: [...this.#counted] }
  }
}

class Joiner implements PartJoiner {
  readonly #ends = new LogEnds()
  readonly #counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  /** The same as in a reading of the whole log. */
  readonly #counted = new Map<string, Usage>()
  #notes: FactNotes = { summaries: {} }

  accepts(end: PartEnd): boolean {
    const { opened, reopened, counted } = collectedOf<Collected>(end)
    const isFull = this.#counted.size + counted.length > MAX_COUNTED
    return this.#ends.isNext(end) && !(reopened && isFull) && !opened.some(group => this.#counted.has(group))
  }

  add(end: PartEnd): boolean {
    const { notes, counts, counted } = this.#ends.add<Collected>(end)
    for (const [group, usage] of counted)
      if (this.#counted.size < MAX_COUNTED || this.#counted.has(group)) this.#counted.set(group, usage)
    this.#counts.bookkeeping += counts.bookkeeping
    this.#counts.unknown += counts.unknown
    const joined = joinNotes(this.#notes, notes, FIRST_COUNTS, ['updatedAt'])
    this.#notes = { ...joined, summaries: { ...this.#notes.summaries, ...notes.summaries } }
    return true
  }

  state(): TrueState {
    return { state: this.#ends.after, met: this.#counted }
  }

  end(): ReadingEnd {
    const { end, findings } = this.#ends
    const counts = { ...this.#counts, records: end.records, skipped: end.skipped }
    const common = { facts: factsFrom(this.#notes, () => false), counts, branches: [], continued: false }
    return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered: end.records > 0 })
  }

  close(): void {}
}

const FIRST_COUNTS = ['prompt', 'sidePrompt', 'slug', 'sessionId', 'project', 'startedAt', 'forkedFrom'] as const
