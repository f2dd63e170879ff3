// The facts of all records of one shape. The scanner gives every different shape of a record once, with marks for
// ids and times. The store describes it like a record, and what it makes of the marks says where the facts of each
// record come from.
import { ID_MARK, NUMBERS_PER_SLOT, TIME_MARK } from '../../bytes/scanner/kernel.ts'
import { hashOf, type IdHash, type Seeds } from '../../model/columns.ts'
import type { RecordFacts } from './record-facts.ts'
import { flagsOf } from './record-flags.ts'

/** The number of a slot among those of the record, or NO_SLOT and the value itself. */
export interface Source<Value> {
  slot: number
  value: Value
}

export const NO_SLOT = -1

export interface ShapeFacts {
  /** All flags and the kind, for a record that stands alone on its line. */
  flags: number
  id: Source<string> | undefined
  parent: Source<string> | undefined
  group: Source<string> | undefined
  time: Source<number>
  calls: readonly Source<string>[]
  results: readonly Source<string>[]
  target: Source<string> | undefined
  version: Source<string> | undefined
}

/** Starts every text that stands for an id. JSON without escapes cannot contain it. */
const PLACEHOLDER = '\u0000'
/** The first milliseconds of the calendar stand for times. The scanner gives none before 1970. */
const FIRST_TIME = -8.64e15
const MAX_SLOTS = 100_000

/** Undefined if the store makes something else of an id or a time: then each record has to be described. */
export function describeShape(
  shape: string,
  describe: (record: Record<string, unknown>) => RecordFacts,
): ShapeFacts | undefined {
  const facts = describe(fillIn(shape))
  try {
    return {
      flags: flagsOf(true, facts),
      id: textSource(facts.id),
      parent: textSource(facts.parent ?? undefined),
      group: textSource(facts.group),
      time: timeSource(facts.time),
      calls: (facts.calls ?? []).map(ofText),
      results: (facts.results ?? []).map(ofText),
      target: textSource(facts.target),
      version: textSource(facts.version),
    }
  } catch (error) {
    if (error instanceof AlteredSlot) return undefined
    throw error
  }
}

/** Every mark becomes a text or a time of its own. */
function fillIn(shape: string): Record<string, unknown> {
  let slot = 0
  const json = shape.replace(MARKS, mark =>
    JSON.stringify(mark === ID_MARK ? `${PLACEHOLDER}${slot++}` : timeOfSlot(slot++)),
  )
  return JSON.parse(json)
}

const MARKS = new RegExp(`[${ID_MARK}${TIME_MARK}]`, 'g')

function timeOfSlot(slot: number): string {
  return new Date(FIRST_TIME + slot).toISOString()
}

const TIME_OF_SLOT = timeOfSlot(0).slice(0, '-271821-04-20T'.length)

/** The store made another text of an id, or a text of a time. */
class AlteredSlot extends Error {}

function textSource(text: string | undefined): Source<string> | undefined {
  return text === undefined ? undefined : ofText(text)
}

function ofText(text: string): Source<string> {
  if (!text.includes(PLACEHOLDER) && !text.includes(TIME_OF_SLOT)) return { slot: NO_SLOT, value: text }
  const slot = Number(text.slice(PLACEHOLDER.length))
  if (text !== `${PLACEHOLDER}${slot}`) throw new AlteredSlot()
  return { slot, value: '' }
}

function timeSource(time: number | undefined): Source<number> {
  if (time === undefined || Number.isNaN(time)) return { slot: NO_SLOT, value: Number.NaN }
  const slot = time - FIRST_TIME
  return slot < MAX_SLOTS ? { slot, value: 0 } : { slot: NO_SLOT, value: time }
}

/** The facts of one record as those of a shape, and its slots: as if the scanner had given it. */
export function slotsOfRecord(facts: RecordFacts, seeds: Seeds): { shape: ShapeFacts; slots: SlotNumbers } {
  const { parent, calls = [], results = [], time = Number.NaN } = facts
  const texts: string[] = []
  const inSlot = (text: string): Source<string> => {
    // The scanner gives no slot for an empty text.
    if (text === '') return { slot: NO_SLOT, value: '' }
    return { slot: texts.push(text) - 1, value: '' }
  }
  const inSlotIfAny = (text: string | null | undefined): Source<string> | undefined =>
    typeof text === 'string' ? inSlot(text) : undefined
  const shape: ShapeFacts = {
    flags: flagsOf(true, facts),
    id: inSlotIfAny(facts.id),
    parent: inSlotIfAny(parent),
    group: inSlotIfAny(facts.group),
    time: { slot: NO_SLOT, value: Number.NaN },
    calls: calls.map(inSlot),
    results: results.map(inSlot),
    target: inSlotIfAny(facts.target),
    version: facts.version === undefined ? undefined : { slot: NO_SLOT, value: facts.version },
  }
  const slots = new SlotNumbers(new Int32Array((texts.length + 1) * NUMBERS_PER_SLOT))
  for (const [slot, text] of texts.entries()) slots.setHash(slot, hashOf(text, seeds))
  if (!Number.isNaN(time)) shape.time = slots.setTime(texts.length, time)
  return { shape, slots }
}

/** Hashes of ids, and times, in slots as the scanner gives them. */
export class SlotNumbers {
  readonly slots: Int32Array
  readonly #times: DataView

  constructor(slots: Int32Array) {
    this.slots = slots
    this.#times = new DataView(slots.buffer, slots.byteOffset, slots.byteLength)
  }

  timeAt(slot: number): number {
    return this.#times.getFloat64(slot * BYTES_PER_SLOT, true)
  }

  setTime(slot: number, time: number): Source<number> {
    this.#times.setFloat64(slot * BYTES_PER_SLOT, time, true)
    return { slot, value: 0 }
  }

  setHash(slot: number, { a, b }: IdHash): void {
    this.slots[slot * NUMBERS_PER_SLOT] = a
    this.slots[slot * NUMBERS_PER_SLOT + 1] = b
  }
}

const BYTES_PER_SLOT = NUMBERS_PER_SLOT * Int32Array.BYTES_PER_ELEMENT
