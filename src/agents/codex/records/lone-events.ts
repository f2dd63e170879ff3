// Events repeat the messages of response items. An event whose item is torn or missing is the only copy of its
// text, so it is shown in place of the item.
import { hash } from 'node:crypto'
import type { Json } from '../../stores/values.ts'
import { asObject, asString } from '../../stores/values.ts'
import { contentParts } from './content.ts'
import { textsOf, userDraft } from './items.ts'
import type { RolloutRecord } from './record.ts'

type Speaker = 'answer' | 'thought' | 'prompt'

/** What a later reading needs to know of this one. Plain data, because it is part of a checkpoint. */
export interface EventState {
  /** The last items without an event, and the last events without an item. */
  items: string[]
  events: string[]
}

const REMEMBERED = 32

/** Items of an earlier reading have no place. */
const EARLIER = -1

/** Pairs events with items while the records pass, whichever comes first. */
export class EventPairs {
  /** The places of items that no event has claimed yet. */
  readonly #items = new Map<string, number[]>()
  readonly #waiting = new Map<string, number[]>()
  /** Prompts without an event of the same text. */
  readonly #prompts = new Set<number>()
  /** Events of the earlier reading that were shown. */
  readonly #shown: ReadonlySet<string>
  /** Whether an item came for an event that was shown already. */
  contradicts = false

  constructor(before?: EventState) {
    for (const key of before?.items ?? []) push(this.#items, key, EARLIER)
    this.#shown = new Set(before?.events)
  }

  add(record: RolloutRecord, place: number): void {
    const { events, items } = pairKeys(record)
    for (const key of events) this.#addEvent(key, place)
    if (items.some(isPromptKey)) this.#prompts.add(place)
    for (const key of items) this.#addItem(key, place)
  }

  /** The places of events without an item. */
  lone(): Set<number> {
    const lone = new Set([...this.#waiting.values()].flat())
    const prompts = [...this.#waiting].flatMap(([key, places]) => (isPromptKey(key) ? places : []))
    // The agent may send a prompt in other words than those typed: the nearest event belongs to it.
    for (const item of this.#prompts) {
      const nearest = prompts.toSorted((a, b) => Math.abs(a - item) - Math.abs(b - item))[0]
      if (nearest === undefined) break
      lone.delete(nearest)
      prompts.splice(prompts.indexOf(nearest), 1)
    }
    return lone
  }

  state(): EventState {
    const open = (places: Map<string, number[]>) => [...places].flatMap(([key, all]) => (all.length > 0 ? [key] : []))
    return {
      items: open(this.#items).slice(-REMEMBERED),
      events: [...this.#shown, ...open(this.#waiting)].slice(-REMEMBERED),
    }
  }

  #addItem(key: string, place: number): void {
    this.contradicts ||= this.#shown.has(key)
    if (this.#waiting.get(key)?.shift() === undefined) push(this.#items, key, place)
    else this.#prompts.delete(place)
  }

  #addEvent(key: string, place: number): void {
    const item = this.#items.get(key)?.shift()
    if (item === undefined) push(this.#waiting, key, place)
    else this.#prompts.delete(item)
  }
}

function push(places: Map<string, number[]>, key: string, place: number): void {
  const known = places.get(key)
  if (known === undefined) places.set(key, [place])
  else known.push(place)
}

function isPromptKey(key: string): boolean {
  return key.startsWith('prompt ')
}

const TYPES_WITH_KEYS = new Set<unknown>([
  ...['message', 'reasoning'],
  ...['agent_message', 'agent_reasoning', 'agent_reasoning_raw_content', 'user_message'],
])
const COMPLETED_WITH_KEYS = new Set<unknown>(['AgentMessage', 'UserMessage', 'Reasoning'])

/** Whether an item or an event may be paired, by its type and the type of its completed item. */
export function mayHaveKeys(payload: Json): boolean {
  if (payload['type'] === 'item_completed') return COMPLETED_WITH_KEYS.has(asObject(payload['item'])?.['type'])
  return TYPES_WITH_KEYS.has(payload['type'])
}

/** By which a record is paired, as an event or as an item: one key for each text. */
export function pairKeys({ type, payload }: RolloutRecord): { events: string[]; items: string[] } {
  return {
    events: type === 'event_msg' ? eventKeys(payload) : [],
    items: type === 'response_item' ? itemKeys(payload) : [],
  }
}

function itemKeys(item: Json): string[] {
  switch (item['type']) {
    case 'message':
      if (item['role'] === 'assistant') return textKeys('answer', item['content'])
      return item['role'] === 'user' && isPrompt(item) ? textKeys('prompt', item['content']) : []
    case 'reasoning':
      return [...textsOf(item['summary']), ...textsOf(item['content'])].flatMap(text => keyOf('thought', text))
    default:
      return []
  }
}

/** Context that the agent sends in the name of the person has no event. */
function isPrompt(item: Json): boolean {
  return userDraft(contentParts(item['content'], 'message')).role === 'user'
}

function eventKeys(event: Json): string[] {
  switch (event['type']) {
    case 'agent_message':
      return keyOf('answer', asString(event['message']) ?? '')
    case 'agent_reasoning':
    case 'agent_reasoning_raw_content':
      return keyOf('thought', asString(event['text']) ?? '')
    case 'user_message':
      return keyOf('prompt', asString(event['message']) ?? '')
    case 'item_completed':
      return completedKeys(asObject(event['item']) ?? {})
    default:
      return []
  }
}

/** A completed item with several texts is paired by all of them together. */
function completedKeys(item: Json): string[] {
  switch (item['type']) {
    case 'AgentMessage':
      return keyOf('answer', joined(item['content']))
    case 'UserMessage':
      return keyOf('prompt', joined(item['content']))
    case 'Reasoning':
      return [...textsOf(item['summary_text']), ...textsOf(item['raw_content'])].flatMap(text => keyOf('thought', text))
    default:
      return []
  }
}

/** Each text of a message may have its own event, or all of them one. */
function textKeys(speaker: Speaker, content: unknown): string[] {
  const texts = typeof content === 'string' ? [content] : textsOf(content)
  const keys = texts.flatMap(text => keyOf(speaker, text))
  return texts.length > 1 ? [...keys, ...keyOf(speaker, joined(content))] : keys
}

function joined(content: unknown): string {
  return textsOf(content).join('')
}

function keyOf(speaker: Speaker, text: string): string[] {
  const said = text.trim()
  return said === '' ? [] : [`${speaker} ${hash('sha1', said, 'base64')}`]
}
