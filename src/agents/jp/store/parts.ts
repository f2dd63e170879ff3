// Reads a large events.json in parts, if it is valid and written as JP writes it. A message depends on no other one, but
// for the model: what it is at the start of a part is known when that is cut.
import { basename } from 'node:path'
import { openFile } from '../../../disk/files/read.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { ReadingEnd, RecordCounts } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { PartEnd, PartJoiner, PartPlan, StoreParts, TrueState } from '../../parts.ts'
import { GrowingPlan, joinNotes, PartCutter } from '../../stores/part-log.ts'
import { asObject } from '../../stores/values.ts'
import { EventChecks } from '../classify/classify-file.ts'
import { BASE_CONFIG, EVENTS } from '../names.ts'
import { classifyBeside, endConversation } from './conversation-end.ts'
import { type ArrayElement, parseEventText } from './event-file.ts'
import { type FactNotes, modelAfter } from './facts.ts'
import { modelOf } from './messages.ts'
import { CLEAN_SCAN, proveEvents, readProvedEvents } from './proved-events.ts'
import { CONFIG_DELTA, EventTaker } from './take-events.ts'

interface Known {
  /** The number of the first event of the part, and the place after each of its events. */
  first: number
  ends: number[]
  /** The model that answers before them. */
  model: string | undefined
  /** The identity of the file. */
  key: string
}

interface Collected {
  counts: RecordCounts
  notes: FactNotes
  parsedUpTo: number
  /** The events on which the loading of the conversation depends, as text: a value may not be plain data. */
  decisive: { index: number; text: string }[]
}

export const parts: StoreParts = {
  plan(session, sizes, onPart) {
    if (basename(session.filePath) !== EVENTS) return undefined
    const file = openFile(session.filePath, session.storeRoot)
    try {
      const { key, size } = file.identity
      const growing = new GrowingPlan(file, onPart)
      let model = modelOf(classifyBeside(session)[BASE_CONFIG].value)
      let known: Known = { first: 0, ends: [], model, key }
      const cutter = new PartCutter(bounds => {
        growing.add({ ...bounds, warmUp: bounds.start }, known)
        known = { first: known.first + known.ends.length, ends: [], model, key }
      }, sizes)
      const isProved = proveEvents({ size, range: file.range }, (event, end) => {
        cutter.add(event.start)
        known.ends.push(end)
        if (event.shape['type'] === CONFIG_DELTA) model = modelAfter(parseEventText(event.bytes().toString()), model)
        return true
      })
      if (!isProved) return undefined
      cutter.finish(size)
      return growing.plan
    } finally {
      file.close()
    }
  },
  read: (session, plan, part) => readPart(session, plan, part),
  join: session => new Joiner(session),
}

function* readPart(session: SessionRef, plan: PartPlan, part: number): Generator<Message, PartEnd | undefined, void> {
  const planned = plan.parts[part]
  if (planned === undefined) return undefined
  const { first, ends, model, key } = planned.known as Known
  const file = openFile(session.filePath, session.storeRoot)
  try {
    if (file.identity.key !== key) return undefined
    const taker = new EventTaker(session.filePath, model)
    const decisive: Collected['decisive'] = []
    // The first byte of the file opens the list.
    const events = readProvedEvents(file, { first, start: Math.max(planned.start, 1), ends })
    let step = events.next()
    for (; !step.done; step = events.next()) {
      const { index, start, end } = step.value
      if (isDecisive(step.value)) decisive.push({ index, text: file.range(start, end).toString() })
      for (const message of taker.take(step.value)) yield message
    }
    if (step.value !== 'read' || taker.checks.hasFaults) return undefined
    const { counts, notes } = taker
    const collected: Collected = { counts, notes, parsedUpTo: ends.at(-1) ?? 0, decisive }
    return { before: '', after: '', collected }
  } finally {
    file.close()
  }
}

function isDecisive({ index, value }: ArrayElement): boolean {
  return index === 0 || asObject(value)?.['type'] === CONFIG_DELTA
}

class Joiner implements PartJoiner {
  readonly #session: SessionRef
  readonly #checks = new EventChecks()
  readonly #counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  #notes: FactNotes = {}
  #parsedUpTo = 0

  constructor(session: SessionRef) {
    this.#session = session
  }

  accepts(): boolean {
    return true
  }

  add({ collected }: PartEnd): boolean {
    const { counts, notes, parsedUpTo, decisive } = collected as Collected
    for (const name of ['records', 'bookkeeping', 'unknown'] as const) this.#counts[name] += counts[name]
    this.#notes = joinNotes(this.#notes, notes, ['prompt', 'firstAt'], ['lastAt'])
    this.#parsedUpTo = Math.max(this.#parsedUpTo, parsedUpTo)
    for (const { index, text } of decisive)
      this.#checks.take({ type: 'element', index, value: parseEventText(text), start: 0, end: 0 })
    return true
  }

  state(): TrueState {
    return { state: undefined, met: undefined }
  }

  end(): ReadingEnd {
    const { condition, events } = this.#checks.end({ scanned: CLEAN_SCAN, isArray: true })
    const state = { file: EVENTS, path: this.#session.filePath, condition } as const
    const read = { counts: this.#counts, notes: this.#notes, isAllRead: true, parsedUpTo: this.#parsedUpTo }
    return endConversation(this.#session, classifyBeside(this.#session), { state, events, ...read }, new Findings())
  }

  close(): void {}
}
