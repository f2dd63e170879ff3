// events.json: element by element, so that its size does not matter.
import { asObject } from '../../stores/values.ts'
import type { ArrayEnd, ArrayItem } from '../store/event-file.ts'
import { readArray } from '../store/event-file.ts'
import { conditionOf } from './condition.ts'
import { describeKind } from './json-value.ts'
import { checkUsable } from './shape-config.ts'
import { checkForLoader, checkForValidator, isKnownType } from './shape-event.ts'
import type { Condition, ShapeFault } from './state.ts'

/** More of them would say no more. */
export const MAX_SHAPE_FAULTS = 100

/** What else the events tell, learnt in the same pass. */
export interface EventsFacts {
  elements: number
  /** Of a type that JP does not know; it keeps them, and so do we. */
  unknown: number
  /** What stands first: the base config of the layout without base_config.json, `inline` in a still older one. */
  first: 'nothing' | 'config-delta' | 'inline-config' | 'other'
  /** Why the config in the first event would not do as a base; undefined where it would. */
  firstFault: string | undefined
  /** Of the last complete element. */
  parsedUpTo: number
}

export function classifyEvents(chunks: Iterable<Buffer>): { condition: Condition; events: EventsFacts } {
  const notes = new EventChecks()
  const reading = readArray(chunks)
  let step = reading.next()
  for (; !step.done; step = reading.next()) notes.take(step.value)
  return notes.end(step.value)
}

/** Whoever reads the events for another reason hands each of them in, and asks at the end. */
export class EventChecks {
  readonly #faults: ShapeFault[] = []
  #more = 0
  #unknown = 0
  #first: EventsFacts['first'] = 'nothing'
  #firstFault: string | undefined

  take(item: ArrayItem): void {
    if (item.type === 'junk') return
    const { index, value } = item
    if (index === 0) this.#noteFirst(value)
    const type = asObject(value)?.['type']
    if (typeof type === 'string' && !isKnownType(type)) this.#unknown++
    const seen = checkForValidator(value)
    const wrong = seen.length > 0 ? seen : checkForLoader(value)
    const element = { index, start: item.start, end: item.end }
    for (const { path, text } of wrong) {
      const full = path === '' ? `[${index}]` : `[${index}].${path}`
      if (this.#faults.length === MAX_SHAPE_FAULTS) this.#more++
      else this.#faults.push({ path: full, text, element, isSeenByValidator: seen.length > 0 })
    }
  }

  end({ scanned, isArray, elements, parsedUpTo }: ArrayEnd): { condition: Condition; events: EventsFacts } {
    const events = { elements, unknown: this.#unknown, first: this.#first, firstFault: this.#firstFault, parsedUpTo }
    const broken = conditionOf(scanned)
    // What only a reader of values stumbles over counts for nothing where the validator has refused it before.
    if (!isArray && scanned.fault === undefined && !scanned.isBlank) return { condition: notAnArray(), events }
    if (broken !== undefined) return { condition: broken, events }
    const condition: Condition =
      this.#faults.length === 0 ? { type: 'healthy' } : { type: 'wrong-shape', faults: this.#faults, more: this.#more }
    return { condition, events }
  }

  #noteFirst(value: unknown): void {
    const event = asObject(value)
    if (event?.['type'] !== 'config_delta') this.#first = 'other'
    else if (!('delta' in event)) this.#first = 'inline-config'
    else {
      this.#first = 'config-delta'
      const [wrong] = checkUsable(event['delta'])
      if (wrong !== undefined)
        this.#firstFault = `${wrong.path === '' ? describeKind(event['delta']) : wrong.path} ${wrong.text}`
    }
  }
}

function notAnArray(): Condition {
  const fault = { path: '', text: 'should be an array of events', isSeenByValidator: true }
  return { type: 'wrong-shape', faults: [fault], more: 0 }
}
