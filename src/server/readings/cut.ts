// A message as a page shows it: long texts cut, so that a page
// stays small whatever an agent or its tools wrote.
import { toJson } from '../../bytes/json.ts'
import { imageSizeOf } from '../../model/image.ts'
import type { Message, Part } from '../../model/message.ts'
import type { ApiMessage, ApiPart } from '../api.ts'
import { MAX_PART_CHARS } from '../api.ts'
import { MAX_MESSAGE_CHARS } from './limits.ts'

export type Unnumbered = Omit<ApiMessage, 'index'>

export interface MessageForms {
  shown: string
  /** Present where something was cut, unless the whole is longer than the longest string. */
  whole?: string
}

/** Strings inside a value are cut to the first of these lengths with which the value fits. */
const STRING_LIMITS = [10_000, 2000, 200]
/** For names and ids, which are never that long on purpose. */
const MAX_NAME_CHARS = 2000

export function formsOf(message: Message): MessageForms {
  const plain = unnumbered(message)
  const whole = toJsonIfPossible(plain)
  const hasImage = message.parts.some(part => part.type === 'file' && part.data !== undefined)
  if (whole !== undefined && whole.length <= MAX_PART_CHARS && !hasImage) return { shown: whole }
  const shown = toJson(fitted({ ...plain, parts: plain.parts.map(cutPart) }))
  return whole === undefined || whole === shown ? { shown } : { shown, whole }
}

function unnumbered({ id, role, time, parts, at, model }: Message): Unnumbered {
  return { id, role, time, parts, at, ...(model === undefined ? {} : { model }) }
}

function toJsonIfPossible(message: Unnumbered): string | undefined {
  try {
    return toJson(message)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

export function cutPart(part: Part): ApiPart {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'notice': {
      const { text, ...rest } = cutText(part.text)
      return { ...part, text, ...rest }
    }
    case 'tool-result': {
      const { text, ...rest } = cutText(part.output)
      return { ...part, output: text, ...rest }
    }
    case 'tool-call': {
      const { value, ...rest } = cutValue(part.input)
      return { ...part, input: value, ...rest }
    }
    case 'unknown': {
      const { value, ...rest } = cutValue(part.value)
      return { ...part, value, ...rest }
    }
    case 'file': {
      const { data, ...rest } = part
      const image = data === undefined ? {} : { imageBytes: imageSizeOf(data) }
      return { ...rest, name: cutName(part.name), reference: cutName(part.reference), ...image }
    }
  }
}

function cutText(text: string): { text: string; cutChars?: number } {
  if (text.length <= MAX_PART_CHARS) return { text }
  const kept = beginning(text, MAX_PART_CHARS)
  return { text: kept, cutChars: text.length - kept.length }
}

/** Keeps its shape if shorter strings make it fit. Otherwise the beginning of its JSON is shown. */
function cutValue(value: unknown): { value: unknown; cutChars?: number } {
  const json = toJsonOrText(value)
  if (json.length <= MAX_PART_CHARS) return { value }
  for (const limit of STRING_LIMITS) {
    const shorter = withShorterStrings(value, limit)
    if (shorter !== undefined && shorter.length <= MAX_PART_CHARS)
      return { value: JSON.parse(shorter), cutChars: json.length - shorter.length }
  }
  return { value: beginning(json, MAX_PART_CHARS), cutChars: json.length - MAX_PART_CHARS }
}

/** True for a value longer than the longest string. Only its length is shown. */
function toJsonOrText(value: unknown): string {
  try {
    return toJson(value) ?? ''
  } catch (error) {
    if (error instanceof RangeError) return ' '.repeat(MAX_PART_CHARS + 1)
    throw error
  }
}

/** Undefined where it is nested too deeply: shorter strings do not help then. */
function withShorterStrings(value: unknown, limit: number): string | undefined {
  try {
    return JSON.stringify(value, (_, item: unknown) =>
      typeof item === 'string' && item.length > limit ? `${beginning(item, limit)}…` : item,
    )
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function cutName(name: string | null): string | null {
  return name === null || name.length <= MAX_NAME_CHARS ? name : `${beginning(name, MAX_NAME_CHARS)}…`
}

/** For a message with very many parts, shows the first ones and the number of the others. */
export function fitted(message: Unnumbered): Unnumbered {
  const lengths = message.parts.map(part => toJson(part).length)
  let total = 0
  const fitting = lengths.findIndex(length => {
    // And the comma.
    total += length + 1
    return total > MAX_MESSAGE_CHARS
  })
  if (fitting === -1) return { ...message, id: cutName(message.id) ?? '' }
  const left = message.parts.length - fitting
  const text = left === 1 ? '1 more part is not shown here.' : `${left} more parts are not shown here.`
  const cutChars = lengths.slice(fitting).reduce((sum, length) => sum + length, 0)
  return {
    ...message,
    id: cutName(message.id) ?? '',
    parts: [...message.parts.slice(0, fitting), { type: 'notice', text, cutChars }],
  }
}

/** Never half a character. */
function beginning(text: string, chars: number): string {
  const isSplit = (text.charCodeAt(chars - 1) & 0xfc00) === 0xd800
  return text.slice(0, isSplit ? chars - 1 : chars)
}
