// Events repeat the messages of response items. An event whose item is torn or missing is the only copy of its
// text, so it is shown in place of the item.
import { hash } from 'node:crypto'
import type { Json } from '../../stores/values.ts'
import { asObject, asString } from '../../stores/values.ts'
import { contentParts } from './content.ts'
import { textsOf, userDraft } from './items.ts'
import type { RolloutRecord } from './record.ts'

export type Speaker = 'answer' | 'thought' | 'prompt'

/** A text by which an event is paired with its item. */
export interface Said {
  speaker: Speaker
  text: string
}

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
    const { events, items } = textsToPair(record)
    for (const said of events) this.#addEvent(keyOf(said), place)
    if (items.some(({ speaker }) => speaker === 'prompt')) this.#prompts.add(place)
    for (const said of items) this.#addItem(keyOf(said), place)
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

export interface TextsToPair {
  events: Said[]
  items: Said[]
}

export function textsToPair({ type, payload }: RolloutRecord): TextsToPair {
  return {
    events: type === 'event_msg' ? textsOfEvent(payload) : [],
    items: type === 'response_item' ? textsOfItem(payload) : [],
  }
}

/** Short, whatever the length of the text. */
export function keyOf({ speaker, text }: Said): string {
  return `${speaker} ${hash('sha1', text, 'base64')}`
}

function textsOfItem(item: Json): Said[] {
  switch (item['type']) {
    case 'message':
      if (item['role'] === 'assistant') return textsIn('answer', item['content'])
      return item['role'] === 'user' && isPrompt(item) ? textsIn('prompt', item['content']) : []
    case 'reasoning':
      return [...textsOf(item['summary']), ...textsOf(item['content'])].flatMap(text => saidBy('thought', text))
    default:
      return []
  }
}

/** Context that the agent sends in the name of the person has no event. */
function isPrompt(item: Json): boolean {
  return userDraft(contentParts(item['content'], 'message')).role === 'user'
}

function textsOfEvent(event: Json): Said[] {
  switch (event['type']) {
    case 'agent_message':
      return saidBy('answer', asString(event['message']) ?? '')
    case 'agent_reasoning':
    case 'agent_reasoning_raw_content':
      return saidBy('thought', asString(event['text']) ?? '')
    case 'user_message':
      return saidBy('prompt', asString(event['message']) ?? '')
    case 'item_completed':
      return textsOfCompleted(asObject(event['item']) ?? {})
    default:
      return []
  }
}

/** A completed item with several texts is paired by all of them together. */
function textsOfCompleted(item: Json): Said[] {
  switch (item['type']) {
    case 'AgentMessage':
      return saidBy('answer', joined(item['content']))
    case 'UserMessage':
      return saidBy('prompt', joined(item['content']))
    case 'Reasoning':
      return [...textsOf(item['summary_text']), ...textsOf(item['raw_content'])].flatMap(text =>
        saidBy('thought', text),
      )
    default:
      return []
  }
}

/** Each text of a message may have its own event, or all of them one. */
function textsIn(speaker: Speaker, content: unknown): Said[] {
  const texts = typeof content === 'string' ? [content] : textsOf(content)
  const said = texts.flatMap(text => saidBy(speaker, text))
  return texts.length > 1 ? [...said, ...saidBy(speaker, joined(content))] : said
}

function joined(content: unknown): string {
  return textsOf(content).join('')
}

function saidBy(speaker: Speaker, text: string): Said[] {
  const said = text.trim()
  return said === '' ? [] : [{ speaker, text: said }]
}
