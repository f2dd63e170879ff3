// The blocks of a record's content as spans of its bytes, and edits that cut some of them and leave all
// others unchanged.
import { CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../../../bytes/ascii.ts'
import type { Span } from '../../../bytes/json.ts'
import { endOfContainer, endOfString, plainString } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import { skipSpaces, skipSpacesBack } from '../../../bytes/text.ts'
import type { RawEdit } from '../../repair.ts'

export interface Block extends Span {
  /** Empty if the block names no type. */
  type: string
}

const MESSAGE = fieldNames('message')
const CONTENT = fieldNames('content')
const TYPE = fieldNames('type')

/** The content of the record's message: a string, or a list of blocks. */
export function contentOf(bytes: Buffer): Span | undefined {
  const message = skimFields(bytes, MESSAGE)?.[0]
  return message === undefined ? undefined : innerContent(bytes, message)
}

/** The `content` of an object: of a message, or of a block that holds others. */
export function innerContent(bytes: Buffer, outer: Span): Span | undefined {
  return skimFields(bytes, CONTENT, outer.start, outer.end)?.[0]
}

/** No blocks if `list` is not an array. */
export function blocksIn(bytes: Buffer, list: Span | undefined): Block[] {
  return elementsOf(bytes, list).map(span => {
    const type = skimFields(bytes, TYPE, span.start, span.end)?.[0]
    return { ...span, type: plainString(bytes, type) ?? '' }
  })
}

const TOOL_IDS = { tool_use: fieldNames('id'), tool_result: fieldNames('tool_use_id') }

/**
 * The id that pairs a call with its result, with its quotes. Undefined if the block is of another type or has
 * no id.
 */
export function toolId(bytes: Buffer, block: Block, type: keyof typeof TOOL_IDS): Span | undefined {
  if (block.type !== type) return undefined
  const id = skimFields(bytes, TOOL_IDS[type], block.start, block.end)?.[0]
  return plainString(bytes, id)?.trim() ? id : undefined
}

function elementsOf(bytes: Buffer, list: Span | undefined): Span[] {
  const elements: Span[] = []
  if (list === undefined || bytes[list.start] !== OPEN_BRACKET) return elements
  for (let at = skipSpaces(bytes, list.start + 1); at < list.end - 1; at = skipSpaces(bytes, at)) {
    if (bytes[at] === COMMA) {
      at++
      continue
    }
    const end = endOfValue(bytes, at)
    if (end <= at) return elements
    elements.push({ start: at, end })
    at = end
  }
  return elements
}

function endOfValue(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === QUOTE) return endOfString(bytes, at)
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return endOfContainer(bytes, at)
  let end = at
  while (end < bytes.length && bytes[end] !== COMMA && bytes[end] !== CLOSE_BRACKET) end++
  return skipSpacesBack(bytes, end)
}

export interface Cut extends RawEdit {
  /** The numbers of the removed elements. */
  elements: number[]
}

/**
 * One edit for each run of adjacent elements, including the comma that is then superfluous. `filler` is
 * inserted if nothing is left.
 */
export function cutElements(elements: readonly Span[], isCut: (index: number) => boolean, filler: Buffer): Cut[] {
  const cuts: Cut[] = []
  let previous: Span | undefined
  let open: Cut | undefined
  for (const [index, element] of elements.entries()) {
    if (isCut(index)) {
      if (open === undefined) {
        open = { start: previous?.end ?? element.start, end: element.end, bytes: Buffer.alloc(0), elements: [] }
        cuts.push(open)
      }
      open.end = element.end
      open.elements.push(index)
    } else {
      // At the start of the list, the comma after the element is removed.
      if (open !== undefined && previous === undefined) open.end = element.start
      open = undefined
      previous = element
    }
  }
  if (previous === undefined && open !== undefined) open.bytes = filler
  return cuts
}

export function textBlock(text: string): Buffer {
  return Buffer.from(JSON.stringify({ type: 'text', text }))
}

/** Converts the coordinates of a record to those of its file. */
export function shift<E extends RawEdit>(edit: E, by: number): RawEdit {
  return { start: edit.start + by, end: edit.end + by, bytes: edit.bytes }
}
